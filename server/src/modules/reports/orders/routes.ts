import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { AdminCaller, Endpoint } from '../../../platform/http/endpoint.ts';
import { pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { orderStates } from '../../orders/index.ts';
import { paymentStates } from '../../payments/index.ts';
import { attemptSchema } from './attempt-wire.ts';
import { readOrderList } from './list-orders.ts';
import { orderSorts } from './order-list-store.ts';
import type { OrderSort } from './order-list-store.ts';
import { listedOrderSchema } from './order-list-wire.ts';
import { orderDetailSchema } from './order-detail-wire.ts';
import { readAttempts, readOrderForOperator } from './read-order.ts';
import type { ReadOrderDeps } from './read-order.ts';
import { readSearchTerm } from './search-term.ts';

const tag = 'Orders';
const read = { permission: 'orders:read' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });

const mayReveal = (caller: AdminCaller): boolean => caller.permissions.has('vouchers:reveal');

const oneOf = <Value extends string>(values: readonly Value[]) =>
  Type.Union(values.map((value) => Type.Literal(value)));
const moment = Type.Optional(Type.String({ format: 'date-time' }));
const id = Type.Optional(Type.Integer({ minimum: 1 }));

const listQuery = Type.Object({
  ...pageQuery,
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Order number or id, transaction, e-mail address, mobile number or a whole voucher code',
    }),
  ),
  status: Type.Optional(oneOf(orderStates.states)),
  payment_status: Type.Optional(oneOf(paymentStates.states)),
  payment_method: Type.Optional(Type.String({ maxLength: 40 })),
  discount_code: Type.Optional(Type.String({ maxLength: 64 })),
  user_id: id,
  variant_id: id,
  assigned_to: id,
  paid: Type.Optional(Type.Boolean()),
  open_alert: Type.Optional(Type.Boolean()),
  from: moment,
  to: moment,
  sort: Type.Optional(oneOf(Object.keys(orderSorts) as OrderSort[])),
});

export function orderReportRoutes(deps: ReadOrderDeps): Endpoint[] {
  return [
    listRoute(deps),
    endpoint({
      method: 'GET',
      path: '/orders/:id',
      access: read,
      summary: 'One order with its items, codes, payments, attempts, alerts and notes',
      description:
        'Codes are plain for `vouchers:reveal`, each such read an audit entry, and masked for others.',
      tag,
      params,
      data: orderDetailSchema,
      errors: ['NOT_FOUND'],
      handle: (call) =>
        readOrderForOperator(deps, {
          orderId: call.params.id,
          mayReveal: mayReveal(call.caller),
          actor: auditActor(call),
        }),
    }),
    endpoint({
      method: 'GET',
      path: '/orders/:id/fulfillment-attempts',
      access: read,
      summary: 'What was tried to deliver an order, newest first',
      tag: 'Fulfillment recovery',
      params,
      query: Type.Object(pageQuery),
      data: pageSchema(attemptSchema),
      errors: ['NOT_FOUND'],
      handle: (call) =>
        readAttempts(deps, {
          ...call.query,
          orderId: call.params.id,
          mayReveal: mayReveal(call.caller),
          actor: auditActor(call),
        }),
    }),
  ];
}

function listRoute(deps: ReadOrderDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/orders',
    access: read,
    summary: 'Orders, newest first, filtered and searched; codes masked',
    tag,
    query: listQuery,
    data: pageSchema(listedOrderSchema),
    handle: ({ query }) =>
      readOrderList(
        deps,
        {
          search: query.search?.trim() ? readSearchTerm(deps.box, query.search) : undefined,
          status: query.status,
          paymentStatus: query.payment_status,
          paymentMethod: query.payment_method,
          discountCode: query.discount_code,
          userId: query.user_id,
          variantId: query.variant_id,
          assignedTo: query.assigned_to,
          isPaid: query.paid,
          hasOpenAlert: query.open_alert,
          from: query.from === undefined ? undefined : new Date(query.from),
          to: query.to === undefined ? undefined : new Date(query.to),
          sort: query.sort ?? '-created_at',
        },
        query,
      ),
  });
}
