import type { SecretBox } from '../../platform/secret-box.ts';
import type { VoucherRow } from './voucher-store.ts';

/** A code as its owner sees it. */
export interface PlainVoucher {
  readonly voucherId: number;
  readonly orderItemId: number;
  readonly unitNo: number;
  readonly code: string;
  readonly pin: string | null;
  readonly redemptionUrl: string | null;
  readonly serialNumber: string | null;
  readonly expiresAt: Date | null;
}

/** Where each secret stands: a value moved to another column does not open. */
export const voucherContexts = {
  code: 'vouchers.code',
  pin: 'vouchers.pin',
  redemptionUrl: 'vouchers.redemption_url',
  serialNumber: 'vouchers.serial_number',
} as const;

/** Codes are compared without surrounding space. */
export function voucherDigest(box: SecretBox, code: string): Buffer {
  return box.digest(code.trim(), voucherContexts.code);
}

export function openVoucher(box: SecretBox, row: VoucherRow): PlainVoucher {
  const optional = (sealed: Buffer | null, context: string): string | null =>
    sealed === null ? null : box.open(sealed, context);
  return {
    voucherId: row.id,
    orderItemId: row.order_item_id,
    unitNo: row.unit_no,
    code: box.open(row.code_sealed, voucherContexts.code),
    pin: optional(row.pin_sealed, voucherContexts.pin),
    redemptionUrl: optional(row.redemption_url_sealed, voucherContexts.redemptionUrl),
    serialNumber: optional(row.serial_number_sealed, voucherContexts.serialNumber),
    expiresAt: row.expires_at,
  };
}

/**
 * A code as an operator without `vouchers:reveal` sees it: its last four characters, and nothing of a short one. The
 * length is not shown either.
 */
export function maskCode(code: string): string {
  return code.length >= 8 ? `****${code.slice(-4)}` : '****';
}
