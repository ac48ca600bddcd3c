import type { Reader } from '../../../platform/db/database.ts';
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
  readonly batch_id: number | null;
  readonly reserved_until: Date | null;
  readonly assigned_at: Date | null;
  readonly created_at: Date;
}

const columns = `id, variant_id, brand_id, order_item_id, unit_no, partner_id, source_type, status, code_sealed,
  pin_sealed, redemption_url_sealed, serial_number_sealed, cost_minor, currency, expires_at, metadata, batch_id,
  reserved_until, assigned_at, created_at`;

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
