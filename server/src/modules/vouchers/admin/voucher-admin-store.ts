import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

/** A stored code row whole; the sealed columns stay sealed here. */
export interface StoredVoucherRow {
  readonly id: number;
  readonly variant_id: number;
  readonly brand_id: number;
  readonly order_item_id: number | null;
  readonly unit_no: number | null;
  readonly partner_id: number | null;
  readonly source_type: string;
  readonly status: 'available' | 'reserved' | 'assigned' | 'voided';
  readonly code_sealed: Buffer;
  readonly pin_sealed: Buffer | null;
  readonly redemption_url_sealed: Buffer | null;
  readonly serial_number_sealed: Buffer | null;
  readonly cost_minor: number | null;
  readonly currency: string;
  readonly expires_at: Date | null;
  readonly metadata: Record<string, unknown>;
  readonly note: string | null;
  readonly voided_at: Date | null;
  readonly void_reason: string | null;
  readonly batch_id: number | null;
  readonly reserved_until: Date | null;
  readonly assigned_at: Date | null;
  readonly created_at: Date;
}

const columns = `id, variant_id, brand_id, order_item_id, unit_no, partner_id, source_type, status, code_sealed,
  pin_sealed, redemption_url_sealed, serial_number_sealed, cost_minor, currency, expires_at, metadata, note, voided_at,
  void_reason, batch_id, reserved_until, assigned_at, created_at`;

const ofItems = statement(
  'vouchers_stored_of_items',
  `SELECT ${columns} FROM vouchers WHERE order_item_id = ANY ($1) AND status = 'assigned' ORDER BY order_item_id, unit_no`,
);
const byIds = statement(
  'vouchers_stored_by_ids',
  `SELECT ${columns} FROM vouchers WHERE id = ANY ($1) ORDER BY id`,
);

/** The codes that belong to these items. */
export async function listStoredVouchersOfItems(
  reader: Reader,
  itemIds: readonly number[],
): Promise<StoredVoucherRow[]> {
  return itemIds.length === 0 ? [] : (await reader.query<StoredVoucherRow>(ofItems, [itemIds])).rows;
}

export async function listStoredVouchers(
  reader: Reader,
  ids: readonly number[],
): Promise<StoredVoucherRow[]> {
  return ids.length === 0 ? [] : (await reader.query<StoredVoucherRow>(byIds, [ids])).rows;
}

const byDigest = statement(
  'vouchers_stored_by_digest',
  `SELECT ${columns.replaceAll(/\b([a-z_]+)\b/g, 'voucher.$1')}, item.order_id, orders.order_number
   FROM vouchers AS voucher
   LEFT JOIN order_items AS item ON item.id = voucher.order_item_id
   LEFT JOIN orders ON orders.id = item.order_id
   WHERE voucher.code_digest = $1 ORDER BY voucher.id`,
);

export type LookedUpRow = StoredVoucherRow & {
  readonly order_id: number | null;
  readonly order_number: string | null;
};

/** Every row with this code: the same code may be known to two brands. */
export async function findVouchersByDigest(reader: Reader, digest: Buffer): Promise<LookedUpRow[]> {
  return (await reader.query<LookedUpRow>(byDigest, [digest])).rows;
}

const lock = statement(
  'vouchers_lock_stored',
  `SELECT ${columns} FROM vouchers WHERE id = $1 FOR NO KEY UPDATE`,
);

export async function lockVoucher(tx: Tx, id: number): Promise<StoredVoucherRow | undefined> {
  return (await tx.query<StoredVoucherRow>(lock, [id])).rows[0];
}

const update = statement(
  'vouchers_update_stored',
  `UPDATE vouchers SET expires_at = $2, metadata = $3, note = $4 WHERE id = $1 RETURNING ${columns}`,
);

export async function updateVoucher(
  tx: Tx,
  change: {
    id: number;
    expiresAt: Date | null;
    metadata: Readonly<Record<string, unknown>>;
    note: string | null;
  },
): Promise<StoredVoucherRow | undefined> {
  const { id, expiresAt, metadata, note } = change;
  return (await tx.query<StoredVoucherRow>(update, [id, expiresAt, JSON.stringify(metadata), note])).rows[0];
}

const voidThem = statement(
  'vouchers_void_by_ids',
  `UPDATE vouchers SET status = 'voided', void_reason = $2 WHERE id = ANY ($1) AND status = 'available' RETURNING id`,
);

/** @returns those that were available and are voided now. */
export async function voidAvailableVouchers(
  tx: Tx,
  ids: readonly number[],
  reason: string,
): Promise<Set<number>> {
  const { rows } = await tx.query<{ id: number }>(voidThem, [ids, reason]);
  return new Set(rows.map((row) => row.id));
}
