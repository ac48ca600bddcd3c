import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';

export interface BoughtVoucher {
  readonly variantId: number;
  readonly brandId: number;
  /** The unit it is for; null for one that is kept for later. */
  readonly unit: { readonly orderItemId: number; readonly unitNo: number } | null;
  readonly partnerId: number | null;
  readonly costMinor: number | null;
  readonly codeSealed: Buffer;
  readonly codeDigest: Buffer;
  readonly pinSealed: Buffer | null;
  readonly redemptionUrlSealed: Buffer | null;
  readonly serialNumberSealed: Buffer | null;
  readonly expiresAt: Date | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const insert = statement(
  'vouchers_insert_bought',
  `INSERT INTO vouchers (variant_id, brand_id, order_item_id, unit_no, partner_id, source_type, status, cost_minor,
     code_sealed, code_digest, pin_sealed, redemption_url_sealed, serial_number_sealed, expires_at, metadata, assigned_at)
   VALUES ($1, $2, $3, $4, NULLIF($5::bigint, 0), 'PARTNER', CASE WHEN $3::bigint IS NULL THEN 'available' ELSE 'assigned' END,
     $6, $7, $8, $9, $10, $11, $12, $13, CASE WHEN $3::bigint IS NULL THEN NULL ELSE now() END)
   RETURNING id`,
);

const freeUnit = statement(
  'vouchers_free_held_unit',
  `UPDATE vouchers SET status = 'available', order_item_id = NULL, unit_no = NULL, reserved_until = NULL
   WHERE order_item_id = $1 AND unit_no = $2 AND status = 'reserved'`,
);

/** What the stock holds for a unit goes back: the unit is about to get another code. */
export async function freeHeldUnit(tx: Tx, unit: { orderItemId: number; unitNo: number }): Promise<void> {
  await tx.query(freeUnit, [unit.orderItemId, unit.unitNo]);
}

/** A code from a partner, given to its unit for ever, or kept in the stock. */
export async function insertBoughtVoucher(tx: Tx, voucher: BoughtVoucher): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(insert, [
    voucher.variantId,
    voucher.brandId,
    voucher.unit?.orderItemId ?? null,
    voucher.unit?.unitNo ?? null,
    voucher.partnerId,
    voucher.costMinor,
    voucher.codeSealed,
    voucher.codeDigest,
    voucher.pinSealed,
    voucher.redemptionUrlSealed,
    voucher.serialNumberSealed,
    voucher.expiresAt,
    JSON.stringify(voucher.metadata),
  ]);
  if (!rows[0]) throw new Error('INSERT … RETURNING gave no row');
  return rows[0].id;
}
