import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { SecretBox } from '../../../platform/secret-box.ts';
import { maskCode, voucherContexts } from '../../vouchers/index.ts';
import { ANSWER_CONTEXT } from '../purchases/call-store.ts';
import type { CallRow } from '../purchases/call-store.ts';
import { purchaseStates } from '../purchases/purchase-states.ts';
import type { TransactionRow } from './transaction-list-store.ts';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });
const settings = Type.Record(Type.String(), Type.Unknown());

export const transactionStatusSchema = Type.Union(
  purchaseStates.states.map((status) => Type.Literal(status)),
);

export const transactionSchema = Type.Object({
  id: Type.Integer(),
  order_id: Type.Integer(),
  order_item_id: Type.Integer(),
  unit_no: Type.Integer({ description: 'Which of the item’s units, from 1' }),
  partner_id: nullable(Type.Integer()),
  partner_name: nullable(Type.String()),
  source_id: nullable(Type.Integer()),
  reference: Type.String({ description: 'Ours: what the partner knows the purchase by' }),
  correlation_id: Type.String(),
  status: Type.String({ description: purchaseStates.states.join(', ') }),
  failure_reason: nullable(Type.String()),
  partner_transaction_id: nullable(Type.String()),
  voucher_id: nullable(Type.Integer()),
  voucher_code: nullable(Type.String({ description: 'Masked without vouchers:reveal' })),
  admin_id: nullable(Type.Integer({ description: 'The operator who asked; null when automatic' })),
  request: settings,
  response: settings,
  questions: Type.Integer({ description: 'How often the partner was asked what became of it' }),
  next_step_at: nullable(timestamp),
  first_sent_at: nullable(timestamp),
  last_sent_at: nullable(timestamp),
  answered_at: nullable(timestamp),
  resolved_by: nullable(Type.Integer()),
  resolution_notes: nullable(Type.String()),
  created_at: timestamp,
  updated_at: timestamp,
});
export type TransactionWire = Static<typeof transactionSchema>;

const callSchema = Type.Object({
  id: Type.Integer(),
  method: Type.String(),
  url: Type.String(),
  request_body: nullable(Type.String({ description: 'Without credentials' })),
  http_status: nullable(Type.Integer()),
  error: nullable(Type.String()),
  response_text: nullable(Type.String({ description: 'The answer as it came; only when revealed' })),
  took_ms: Type.Integer(),
  occurred_at: timestamp,
});

export const transactionDetailSchema = Type.Object({
  ...transactionSchema.properties,
  calls: Type.Array(callSchema),
});
export type TransactionDetailWire = Static<typeof transactionDetailSchema>;

export const resolveBody = Type.Object({
  outcome: Type.Union([
    Type.Literal('not_executed', { description: 'The partner confirmed that nothing was bought' }),
    Type.Literal('delivered', { description: 'It was, and this is the code' }),
    Type.Literal('credited', { description: 'The recipient was credited (top-ups)' }),
  ]),
  evidence: Type.String({
    minLength: 10,
    maxLength: 2_000,
    description: 'How this is known: who said so, where',
  }),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  pin: Type.Optional(Type.String({ maxLength: 200 })),
  redemption_url: Type.Optional(Type.String({ maxLength: 2_000 })),
  serial_number: Type.Optional(Type.String({ maxLength: 200 })),
  expires_at: Type.Optional(timestamp),
});
export type ResolveBody = Static<typeof resolveBody>;

export interface Shown {
  readonly box: SecretBox;
  /** Codes and raw answers in clear: only for who may, and with an audit row. */
  readonly isRevealed: boolean;
}

export function toTransactionWire(row: TransactionRow, { box, isRevealed }: Shown): TransactionWire {
  const code = row.code_sealed && box.open(row.code_sealed, voucherContexts.code);
  const shown = code === null || isRevealed ? code : maskCode(code);
  return {
    id: row.id,
    order_id: row.order_id,
    order_item_id: row.order_item_id,
    unit_no: row.unit_no,
    partner_id: row.partner_id,
    partner_name: row.partner_name,
    source_id: row.source_id,
    reference: row.reference,
    correlation_id: row.correlation_id,
    status: row.status,
    failure_reason: row.failure_reason,
    partner_transaction_id: row.partner_transaction_id,
    voucher_id: row.voucher_id,
    voucher_code: shown,
    admin_id: row.admin_id,
    request: { ...row.request },
    response: row.response,
    questions: row.query_step,
    ...momentsOf(row),
    resolved_by: row.resolved_by,
    resolution_notes: row.resolution_notes,
  };
}

function momentsOf(row: TransactionRow) {
  return {
    next_step_at: row.next_step_at?.toISOString() ?? null,
    first_sent_at: row.first_sent_at?.toISOString() ?? null,
    last_sent_at: row.last_sent_at?.toISOString() ?? null,
    answered_at: row.answered_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function toCallWire(row: CallRow, { box, isRevealed }: Shown): TransactionDetailWire['calls'][number] {
  const answer = isRevealed && row.response_sealed ? box.open(row.response_sealed, ANSWER_CONTEXT) : null;
  return {
    id: row.id,
    method: row.method,
    url: row.url,
    request_body: row.request_body,
    http_status: row.http_status,
    error: row.error,
    response_text: answer === null ? null : (JSON.parse(answer) as { text: string }).text,
    took_ms: row.took_ms,
    occurred_at: row.occurred_at.toISOString(),
  };
}
