import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../../platform/money.ts';
import { refundStates } from './refund-states.ts';
import type { RefundDetailRow } from './refund-store.ts';

const nullable = <Schema extends ReturnType<typeof Type.String>>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const moment = Type.String({ format: 'date-time' });

export const refundStatusSchema = Type.Enum([...refundStates.states]);

export const refundSchema = Type.Object({
  id: Type.Integer(),
  payment_id: Type.Integer(),
  order_id: Type.Integer(),
  order_number: Type.String(),
  transactionId: Type.String(),
  method: Type.String(),
  gateway: Type.String(),
  amount: Type.Number(),
  currency: Type.String(),
  reason: Type.String(),
  status: Type.String({
    description: `${refundStates.states.join(', ')}. unknown: the gateway's answer was lost, it is being asked. manual: refunded outside the gateway.`,
  }),
  reference: Type.String({ description: 'Ours, as the gateway was told' }),
  gateway_refund_id: nullable(Type.String()),
  failure_reason: nullable(Type.String()),
  notes: nullable(Type.String()),
  requested_by: Type.Integer({ description: 'Admin id' }),
  approved_by: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Admin id of who approved or rejected it',
  }),
  decided_at: nullable(moment),
  sent_at: nullable(moment),
  settled_at: nullable(moment),
  created_at: moment,
  updated_at: moment,
});

export type RefundWire = Static<typeof refundSchema>;

export function toRefundWire(row: RefundDetailRow): RefundWire {
  return {
    id: row.id,
    payment_id: row.payment_id,
    order_id: row.order_id,
    order_number: row.order_number,
    transactionId: row.transaction_id,
    method: row.method,
    gateway: row.gateway,
    amount: toWireAmount(row.amount_minor),
    currency: row.currency,
    reason: row.reason,
    status: row.status,
    reference: row.reference,
    gateway_refund_id: row.gateway_refund_id,
    failure_reason: row.failure_reason,
    notes: row.notes,
    requested_by: row.requested_by,
    approved_by: row.decided_by,
    decided_at: row.decided_at?.toISOString() ?? null,
    sent_at: row.sent_at?.toISOString() ?? null,
    settled_at: row.settled_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
