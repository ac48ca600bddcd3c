import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { AttemptRow } from './attempt-store.ts';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });

export const adminUserSchema = Type.Object({ id: Type.Integer(), name: Type.String(), email: Type.String() });

/** Interface part 2, fulfillment attempt. */
export const attemptSchema = Type.Object({
  id: Type.Integer(),
  order_item_id: nullable(Type.Integer({ description: 'Null when it was about the whole order' })),
  type: Type.String({ description: 'AUTO, MANUAL_CODE_INPUT, PARTNER_RETRY or RESEND_EMAIL' }),
  status: Type.String({ description: 'DISPATCHED, DISPATCH_FAILED, PARTNER_FAILED, FAILED or SUCCESS' }),
  correlation_id: Type.String(),
  error_message: nullable(Type.String()),
  partner_response: Type.Record(Type.String(), Type.Unknown(), {
    description: 'What the partner said; `allCodes` when an operator typed in several codes',
  }),
  code_provided: nullable(Type.String({ description: 'One code, or `<FIRST-CODE> (+<N> more)`' })),
  notes: nullable(Type.String()),
  created_at: timestamp,
  admin_user: nullable(adminUserSchema),
  partner_api_transaction: nullable(
    Type.Object({
      id: Type.Integer(),
      status: Type.String(),
      partner_transaction_id: nullable(Type.String()),
      voucher_code: nullable(Type.String()),
      created_at: timestamp,
    }),
  ),
});

export type AttemptWire = Static<typeof attemptSchema>;

/** @param codes the codes of the attempts' vouchers by their ids, plain or masked. */
export function toAttemptWire(row: AttemptRow, codes: ReadonlyMap<number, string>): AttemptWire {
  const provided = idsOf(row).flatMap((id) => codes.get(id) ?? []);
  const typedSeveral = row.type === 'MANUAL_CODE_INPUT' && provided.length > 1;
  return {
    id: row.id,
    order_item_id: row.order_item_id,
    type: row.type,
    status: row.status,
    correlation_id: row.correlation_id,
    error_message: row.error_message,
    partner_response: typedSeveral ? { allCodes: provided } : (row.purchase_response ?? {}),
    code_provided: sumUp(provided),
    notes: row.notes,
    created_at: row.created_at.toISOString(),
    admin_user: adminUserOf(row),
    partner_api_transaction: purchaseOf(row, codes),
  };
}

export function idsOf(row: AttemptRow): readonly number[] {
  if (row.voucher_ids.length > 0) return row.voucher_ids;
  return row.purchase_voucher_id === null ? [] : [row.purchase_voucher_id];
}

function sumUp(codes: readonly string[]): string | null {
  const [first, ...more] = codes;
  if (first === undefined) return null;
  return more.length === 0 ? first : `${first} (+${more.length} more)`;
}

function adminUserOf(row: AttemptRow): AttemptWire['admin_user'] {
  const { admin_id: id, admin_name: name, admin_email: email } = row;
  return id === null ? null : { id, name: name ?? '', email: email ?? '' };
}

function purchaseOf(
  row: AttemptRow,
  codes: ReadonlyMap<number, string>,
): AttemptWire['partner_api_transaction'] {
  if (row.purchase_id === null) return null;
  return {
    id: row.purchase_id,
    status: row.purchase_status ?? '',
    partner_transaction_id: row.partner_transaction_id,
    voucher_code: row.purchase_voucher_id === null ? null : (codes.get(row.purchase_voucher_id) ?? null),
    created_at: (row.purchase_created_at ?? row.created_at).toISOString(),
  };
}
