import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { AdminCaller, Endpoint } from '../../../platform/http/endpoint.ts';
import { pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { attemptSchema } from './attempt-wire.ts';
import { orderDetailSchema } from './order-detail-wire.ts';
import { readAttempts, readOrderForOperator } from './read-order.ts';
import type { ReadOrderDeps } from './read-order.ts';

const tag = 'Orders';
const read = { permission: 'orders:read' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });

const mayReveal = (caller: AdminCaller): boolean => caller.permissions.has('vouchers:reveal');

export function orderReportRoutes(deps: ReadOrderDeps): Endpoint[] {
  return [
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
