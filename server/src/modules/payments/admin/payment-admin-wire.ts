import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../../platform/money.ts';
import type { OrphanRow, PaymentDetailRow, PaymentEventRow } from './payment-admin-store.ts';

const moment = Type.String({ format: 'date-time' });
const nullableText = Type.Union([Type.String(), Type.Null()]);
const nullableMoment = Type.Union([moment, Type.Null()]);
const nullableNumber = Type.Union([Type.Number(), Type.Null()]);
const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const anything = Type.Record(Type.String(), Type.Unknown());

export const adminPaymentSchema = Type.Object({
  id: Type.Integer(),
  order_id: Type.Integer(),
  order_number: Type.String(),
  transactionId: Type.String(),
  gateway_reference: Type.String({ description: 'What the gateway knows it by' }),
  method: Type.String(),
  gateway: Type.String(),
  status: Type.String({ description: 'PENDING, SUCCEEDED, FAILED or CANCELLED' }),
  amount: Type.Number(),
  currency: Type.String(),
  refunded_amount: Type.Number(),
  paymentGatewayUrl: nullableText,
  gateway_transaction_id: nullableText,
  failure_reason: nullableText,
  drives_order: Type.Boolean({
    description: 'The payment that paid the order; other successes are duplicates',
  }),
  verified_amount: nullableNumber,
  verified_currency: nullableText,
  verified_at: nullableMoment,
  next_verify_at: Type.Union([moment, Type.Null()], { description: 'When the sweep asks the gateway again' }),
  description: nullableText,
  created_at: moment,
  updated_at: moment,
});

export function toAdminPaymentWire(row: PaymentDetailRow): Static<typeof adminPaymentSchema> {
  return {
    id: row.id,
    order_id: row.order_id,
    order_number: row.order_number,
    transactionId: row.transaction_id,
    gateway_reference: row.gateway_reference,
    method: row.method,
    gateway: row.gateway,
    status: row.status,
    amount: toWireAmount(row.amount_minor),
    currency: row.currency,
    refunded_amount: toWireAmount(row.refunded_minor),
    paymentGatewayUrl: row.payment_gateway_url,
    gateway_transaction_id: row.gateway_transaction_id,
    failure_reason: row.failure_reason,
    drives_order: row.drives_order,
    verified_amount: row.verified_amount_minor === null ? null : toWireAmount(row.verified_amount_minor),
    verified_currency: row.verified_currency,
    verified_at: row.verified_at?.toISOString() ?? null,
    next_verify_at: row.next_verify_at?.toISOString() ?? null,
    description: row.description,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export const paymentEventSchema = Type.Object({
  kind: Type.String({
    description: 'callback: what came in; verification: what the gateway answered when asked',
  }),
  id: Type.Integer(),
  occurred_at: moment,
  outcome: Type.String({ description: 'Verdict of a callback; outcome of a verification' }),
  claims: nullableText,
  asked_by: nullableText,
  seen_count: nullableInteger,
  last_seen_at: nullableMoment,
  source_ip: nullableText,
  took_ms: nullableInteger,
  content: anything,
});

export function toPaymentEventWire(row: PaymentEventRow): Static<typeof paymentEventSchema> {
  return {
    ...row,
    occurred_at: row.occurred_at.toISOString(),
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
  };
}

export const orphanSchema = Type.Object({
  id: Type.Integer(),
  gateway: Type.String(),
  verdict: Type.String(),
  claims: nullableText,
  content: anything,
  seen_count: Type.Integer(),
  source_ip: nullableText,
  received_at: moment,
  last_seen_at: moment,
});

export function toOrphanWire(row: OrphanRow): Static<typeof orphanSchema> {
  const { id, gateway, verdict, claims, payload: content, seen_count, source_ip } = row;
  const [received_at, last_seen_at] = [row.received_at.toISOString(), row.last_seen_at.toISOString()];
  return { id, gateway, verdict, claims, content, seen_count, source_ip, received_at, last_seen_at };
}

export const gatewayHealthSchema = Type.Object({
  name: Type.String(),
  method: Type.String(),
  segment: Type.String({ description: 'Path segment of its callbacks' }),
  state: Type.String({
    description:
      'closed: calls go through; open: it has been failing and is not called; half_open: being tried',
  }),
  calls: Type.Integer(),
  failures: Type.Integer(),
  refused: Type.Integer({ description: 'Calls that were not made' }),
  under_way: Type.Integer(),
});
