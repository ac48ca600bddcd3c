import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../../platform/money.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { maskCode, voucherContexts } from '../voucher-secrets.ts';
import type { StoredVoucherRow } from './voucher-admin-store.ts';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });

/** Interface part 2 (Voucher) with the columns of decisions part 3. */
export const storedVoucherSchema = Type.Object({
  id: Type.Integer(),
  variant_id: Type.Integer(),
  order_item_id: nullable(Type.Integer()),
  partner_id: nullable(Type.Integer()),
  source_type: Type.String({ description: 'PRELOADED, PARTNER or MANUAL' }),
  status: Type.String({ description: 'available, reserved, assigned or voided' }),
  code: Type.String({ description: 'Masked unless it says otherwise' }),
  pin: nullable(Type.String()),
  redemption_url: nullable(Type.String()),
  serial_number: nullable(Type.String()),
  cost: nullable(Type.Number({ description: 'BDT' })),
  currency: Type.String(),
  expires_at: nullable(timestamp),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  note: nullable(Type.String()),
  voided_at: nullable(timestamp),
  void_reason: nullable(Type.String()),
  batch_id: nullable(Type.Integer()),
  reserved_until: nullable(timestamp),
  assigned_at: nullable(timestamp),
  created_at: timestamp,
});

export type StoredVoucherWire = Static<typeof storedVoucherSchema>;

export interface VoucherSecrets {
  readonly code: string;
  readonly pin: string | null;
  readonly redemption_url: string | null;
  readonly serial_number: string | null;
}

export function openSecrets(box: SecretBox, row: StoredVoucherRow): VoucherSecrets {
  const open = (sealed: Buffer | null, context: string): string | null =>
    sealed === null ? null : box.open(sealed, context);
  return {
    code: box.open(row.code_sealed, voucherContexts.code),
    pin: open(row.pin_sealed, voucherContexts.pin),
    redemption_url: open(row.redemption_url_sealed, voucherContexts.redemptionUrl),
    serial_number: open(row.serial_number_sealed, voucherContexts.serialNumber),
  };
}

/** What an operator without `vouchers:reveal` sees: that there is a pin, never a part of it. */
export function maskSecrets(secrets: VoucherSecrets): VoucherSecrets {
  const hide = (text: string | null): string | null => (text === null ? null : '****');
  return {
    code: maskCode(secrets.code),
    pin: hide(secrets.pin),
    redemption_url: hide(secrets.redemption_url),
    serial_number: secrets.serial_number === null ? null : maskCode(secrets.serial_number),
  };
}

export function toStoredVoucherWire(row: StoredVoucherRow, secrets: VoucherSecrets): StoredVoucherWire {
  return {
    id: row.id,
    variant_id: row.variant_id,
    order_item_id: row.order_item_id,
    partner_id: row.partner_id,
    source_type: row.source_type,
    status: row.status,
    ...secrets,
    cost: row.cost_minor === null ? null : toWireAmount(row.cost_minor),
    currency: row.currency,
    expires_at: row.expires_at?.toISOString() ?? null,
    metadata: row.metadata,
    note: row.note,
    voided_at: row.voided_at?.toISOString() ?? null,
    void_reason: row.void_reason,
    batch_id: row.batch_id,
    reserved_until: row.reserved_until?.toISOString() ?? null,
    assigned_at: row.assigned_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

/** As every list shows it. */
export function toMaskedVoucherWire(box: SecretBox, row: StoredVoucherRow): StoredVoucherWire {
  return toStoredVoucherWire(row, maskSecrets(openSecrets(box, row)));
}
