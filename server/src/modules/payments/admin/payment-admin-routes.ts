import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import type { RecordAudit } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { gatewayNames } from '../gateways/gateway.ts';
import { paymentStates } from '../payment-states.ts';
import { verifyPayment } from '../verify-payment.ts';
import type { VerifyPaymentDeps } from '../verify-payment.ts';
import {
  findPaymentDetail,
  listOrphanCallbacks,
  listPaymentEvents,
  listPayments,
} from './payment-admin-store.ts';
import type { PaymentDetailRow } from './payment-admin-store.ts';
import {
  adminPaymentSchema,
  gatewayHealthSchema,
  orphanSchema,
  paymentEventSchema,
  toAdminPaymentWire,
  toOrphanWire,
  toPaymentEventWire,
} from './payment-admin-wire.ts';

export interface PaymentAdminDeps extends VerifyPaymentDeps {
  readonly recordAudit: RecordAudit;
}

const tag = 'Payments';
const READ = { permission: 'payments:read' } as const;
const byId = Type.Object({ id: Type.Integer({ minimum: 1 }) });

/** Payments for operators (decisions 4.12 and 4.19). */
export function paymentAdminRoutes(deps: PaymentAdminDeps): Endpoint[] {
  return [list(deps), orphans(deps), health(deps), getOne(deps), events(deps), reverify(deps)];
}

function list(deps: PaymentAdminDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/payments',
    access: READ,
    tag,
    summary: 'Payments, newest first',
    query: Type.Object({
      ...pageQuery,
      status: Type.Optional(Type.Enum([...paymentStates.states])),
      method: Type.Optional(Type.String({ maxLength: 40 })),
      order_id: Type.Optional(Type.Integer({ minimum: 1 })),
      search: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'In transactionId, gateway_reference, their id, order_number',
        }),
      ),
    }),
    data: pageSchema(adminPaymentSchema),
    async handle({ query }) {
      const { page, limit, status = null, method = null, order_id: orderId = null } = query;
      const search = query.search?.trim() || null;
      const filter = { status, method, orderId, search, limit, offset: (page - 1) * limit };
      const { rows, total } = await listPayments(deps.db, filter);
      return pageOf(rows.map(toAdminPaymentWire), { page, limit, total });
    },
  });
}

function orphans(deps: PaymentAdminDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/payments/orphans',
    access: READ,
    tag,
    summary: 'Callbacks that named no payment of ours, newest first',
    query: Type.Object({
      ...pageQuery,
      gateway: Type.Optional(Type.Enum([...gatewayNames])),
      verdict: Type.Optional(Type.Enum(['unreadable', 'unknown_payment', 'bad_signature'])),
    }),
    data: pageSchema(orphanSchema),
    async handle({ query }) {
      const { page, limit, gateway = null, verdict = null } = query;
      const filter = { gateway, verdict, limit, offset: (page - 1) * limit };
      const { rows, total } = await listOrphanCallbacks(deps.db, filter);
      return pageOf(rows.map(toOrphanWire), { page, limit, total });
    },
  });
}

function health(deps: PaymentAdminDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/payments/gateways',
    access: READ,
    tag,
    summary: 'The configured gateways and how the line to each one is',
    description: 'Of the process that answers: each has lines of its own.',
    data: Type.Object({ items: Type.Array(gatewayHealthSchema) }),
    handle: async () => ({
      items: deps.gateways.health().map(({ underWay, ...facts }) => ({ ...facts, under_way: underWay })),
    }),
  });
}

function getOne(deps: PaymentAdminDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/payments/:id',
    access: READ,
    tag,
    summary: 'A payment',
    params: byId,
    data: adminPaymentSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ params }) => toAdminPaymentWire(await getPayment(deps, params.id)),
  });
}

function events(deps: PaymentAdminDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/payments/:id/events',
    access: READ,
    tag,
    summary: 'Callbacks of a payment and what the gateway answered when asked, in the order they happened',
    description: 'As they came, secrets redacted.',
    params: byId,
    query: Type.Object(pageQuery),
    data: pageSchema(paymentEventSchema),
    errors: ['NOT_FOUND'],
    async handle({ params, query: { page, limit } }) {
      const { id: paymentId } = await getPayment(deps, params.id);
      const { rows, total } = await listPaymentEvents(deps.db, {
        paymentId,
        limit,
        offset: (page - 1) * limit,
      });
      return pageOf(rows.map(toPaymentEventWire), { page, limit, total });
    },
  });
}

function reverify(deps: PaymentAdminDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/payments/:id/reverify',
    access: { permission: 'payments:write' },
    tag,
    summary: 'Ask the gateway now what became of a payment',
    description: 'A SUCCEEDED payment is answered as it is. A verified success wins over every other state.',
    params: byId,
    data: adminPaymentSchema,
    errors: ['NOT_FOUND'],
    async handle(call) {
      const { id, status: before } = await getPayment(deps, call.params.id);
      await verifyPayment(deps, { paymentId: id, askedBy: 'operator' });
      const payment = await getPayment(deps, id);
      const facts = { before: { status: before }, after: { status: payment.status } };
      const entry = { ...auditActor(call), action: 'payments:reverify', resource: `payment:${id}`, ...facts };
      await inTransaction(deps.db, (tx) => deps.recordAudit(tx, entry));
      return answer(toAdminPaymentWire(payment), { message: `Payment is ${payment.status}` });
    },
  });
}

async function getPayment(deps: PaymentAdminDeps, id: number): Promise<PaymentDetailRow> {
  const row = await findPaymentDetail(deps.db, id);
  if (!row) throw new AppError('NOT_FOUND', 'There is no such payment');
  return row;
}
