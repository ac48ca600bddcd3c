import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { fieldError } from '../../../platform/errors.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Answer, Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { parseMinor } from '../../../platform/money.ts';
import { approveRefund, rejectRefund, settleByHand } from './decide-refund.ts';
import { refundNotFound } from './errors.ts';
import { askAboutRefund } from './follow-refund.ts';
import type { FollowRefundDeps } from './follow-refund.ts';
import type { RefundDeps } from './refund-deps.ts';
import { findRefund, listRefunds } from './refund-store.ts';
import type { RefundDetailRow } from './refund-store.ts';
import { refundSchema, refundStatusSchema, toRefundWire } from './refund-wire.ts';
import type { RefundWire } from './refund-wire.ts';
import { requestRefund } from './request-refund.ts';

export type RefundRoutesDeps = RefundDeps & FollowRefundDeps;

const tag = 'Refunds';
const READ = { permission: 'refunds:read' } as const;
const WRITE = { permission: 'refunds:write' } as const;
const byId = Type.Object({ id: Type.Integer({ minimum: 1 }) });
const optionalNotes = { notes: Type.Optional(Type.String({ maxLength: 1000 })) };

const wanted = {
  amount: Type.Optional(Type.Number({ description: 'All that is left to refund when left out' })),
  reason: Type.String({ minLength: 1, maxLength: 255 }),
};
const manual = Type.Optional(
  Type.Boolean({ description: 'Record a refund that was made outside the gateway' }),
);

export function refundRoutes(deps: RefundRoutesDeps): Endpoint[] {
  return [
    list(deps),
    request(deps),
    getOne(deps),
    refundPayment(deps),
    ...decisions(deps),
    requery(deps),
    settle(deps),
  ];
}

function list(deps: RefundRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/refunds',
    access: READ,
    tag,
    summary: 'Refunds, newest first',
    query: Type.Object({
      ...pageQuery,
      status: Type.Optional(refundStatusSchema),
      payment_id: Type.Optional(Type.Integer({ minimum: 1 })),
      order_id: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
    data: pageSchema(refundSchema),
    async handle({ query }) {
      const { page, limit, status = null, payment_id: paymentId = null, order_id: orderId = null } = query;
      const filter = { status, paymentId, orderId, limit, offset: (page - 1) * limit };
      const { rows, total } = await listRefunds(deps.db, filter);
      return pageOf(rows.map(toRefundWire), { page, limit, total });
    },
  });
}

function getOne(deps: RefundRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/refunds/:id',
    access: READ,
    tag,
    summary: 'A refund',
    params: byId,
    data: refundSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ params }) => toRefundWire(await getRefund(deps, params.id)),
  });
}

function request(deps: RefundRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/refunds',
    access: WRITE,
    tag,
    summary: 'Request a refund, to be approved',
    body: Type.Object({ payment_id: Type.Integer({ minimum: 1 }), ...wanted }),
    data: refundSchema,
    status: 201,
    errors: ['NOT_FOUND'],
    idempotent: true,
    async handle(call) {
      const { payment_id: paymentId, amount, reason } = call.body;
      const input = { paymentId, amountMinor: toMinor(amount), reason, actor: auditActor(call) };
      const { id } = await requestRefund(deps, { ...input, approve: 'later' });
      return show(deps, id, 'Refund requested');
    },
  });
}

function refundPayment(deps: RefundRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/payments/:id/refund',
    access: WRITE,
    tag,
    summary: 'Refund a payment: requested and approved in one step',
    description:
      'Full or partial. Sent to the gateway in the background where its protocol has refunds, else recorded as manual. Fulfilled items are not clawed back.',
    params: byId,
    body: Type.Object({ ...wanted, manual }),
    data: refundSchema,
    status: 201,
    errors: ['NOT_FOUND'],
    idempotent: true,
    async handle(call) {
      const { amount, reason, manual: isManual = false } = call.body;
      const input = {
        paymentId: call.params.id,
        amountMinor: toMinor(amount),
        reason,
        actor: auditActor(call),
      };
      const refund = await requestRefund(deps, { ...input, approve: isManual ? 'by_hand' : 'now' });
      return show(
        deps,
        refund.id,
        refund.status === 'manual' ? 'Refund recorded as manual' : 'Refund approved',
      );
    },
  });
}

function decisions(deps: RefundRoutesDeps): Endpoint[] {
  const common = { method: 'POST', access: WRITE, tag, params: byId, data: refundSchema } as const;
  return [
    endpoint({
      ...common,
      path: '/refunds/:id/approve',
      summary: 'Approve a requested refund: it is sent, or recorded as manual where the gateway has none',
      body: Type.Object({ ...optionalNotes, manual }),
      errors: ['NOT_FOUND', 'CONFLICT'],
      async handle(call) {
        const { notes = null, manual: byHand = false } = call.body;
        await approveRefund(deps, { refundId: call.params.id, notes, byHand, actor: auditActor(call) });
        return show(deps, call.params.id, 'Refund approved');
      },
    }),
    endpoint({
      ...common,
      path: '/refunds/:id/reject',
      summary: 'Reject a requested refund',
      body: Type.Object(optionalNotes),
      errors: ['NOT_FOUND', 'CONFLICT'],
      async handle(call) {
        const { notes = null } = call.body;
        await rejectRefund(deps, { refundId: call.params.id, notes, actor: auditActor(call) });
        return show(deps, call.params.id, 'Refund rejected');
      },
    }),
  ];
}

function requery(deps: RefundRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/refunds/:id/requery',
    access: WRITE,
    tag,
    summary: 'Ask the gateway now what became of a refund that was sent',
    description:
      'A refund that is not under way, or that is being asked about at this moment, is answered as it is.',
    params: byId,
    data: refundSchema,
    errors: ['NOT_FOUND'],
    async handle({ params }) {
      await askAboutRefund(deps, await getRefund(deps, params.id));
      return show(deps, params.id, 'Asked');
    },
  });
}

function settle(deps: RefundRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/refunds/:id/settle',
    access: WRITE,
    tag,
    summary: 'Record what the merchant panel says of a refund that is unknown',
    params: byId,
    body: Type.Object({
      outcome: Type.Union([Type.Literal('succeeded'), Type.Literal('failed')]),
      notes: Type.String({ minLength: 1, maxLength: 1000 }),
    }),
    data: refundSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      await settleByHand(deps, { refundId: call.params.id, ...call.body, actor: auditActor(call) });
      return show(deps, call.params.id, 'Refund settled');
    },
  });
}

async function getRefund(deps: RefundRoutesDeps, id: number): Promise<RefundDetailRow> {
  const row = await findRefund(deps.db, id);
  if (!row) throw refundNotFound();
  return row;
}

async function show(deps: RefundRoutesDeps, id: number, message: string): Promise<Answer<RefundWire>> {
  return answer(toRefundWire(await getRefund(deps, id)), { message });
}

function toMinor(amount: number | undefined): number | undefined {
  if (amount === undefined) return undefined;
  const minor = parseMinor(amount);
  if (minor === undefined) throw fieldError('amount', 'amount must be a number with at most two decimals');
  return minor;
}
