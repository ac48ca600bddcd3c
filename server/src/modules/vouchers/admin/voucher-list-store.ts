import type { Reader } from '../../../platform/db/database.ts';
import type { StoredVoucherRow } from './voucher-admin-store.ts';

export interface VoucherFilter {
  readonly variantId: number | undefined;
  readonly status: string | undefined;
  readonly sourceType: string | undefined;
  readonly batchId: number | undefined;
  readonly partnerId: number | undefined;
  readonly orderId: number | undefined;
  readonly orderItemId: number | undefined;
  readonly expiresBefore: Date | undefined;
  readonly expiresAfter: Date | undefined;
  readonly sort: VoucherSort;
}

export const voucherSorts = {
  id: 'voucher.id',
  '-id': 'voucher.id DESC',
  expires_at: 'voucher.expires_at, voucher.id',
  '-expires_at': 'voucher.expires_at DESC NULLS LAST, voucher.id DESC',
} as const;
export type VoucherSort = keyof typeof voucherSorts;

/**
 * Stored codes that match. The text is put together from fixed pieces, since one statement for all filters would be
 * planned for none of them; what the caller gave is only ever a value.
 */
export async function listVouchers(
  reader: Reader,
  filter: VoucherFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: StoredVoucherRow[]; total: number }> {
  const { where, values } = conditionsOf(filter);
  const order = voucherSorts[filter.sort];
  const [found, counted] = await Promise.all([
    reader.query<StoredVoucherRow>(
      `SELECT voucher.* FROM vouchers AS voucher ${where} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`,
      values,
    ),
    reader.query<{ total: number }>(
      `SELECT count(*)::int AS total FROM vouchers AS voucher ${where}`,
      values,
    ),
  ]);
  return { rows: found.rows, total: counted.rows[0]?.total ?? 0 };
}

function conditionsOf(filter: VoucherFilter): { where: string; values: unknown[] } {
  const values: unknown[] = [];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const conditions: string[] = [];
  const when = <Value>(value: Value | undefined, condition: (value: Value) => string): void => {
    if (value !== undefined) conditions.push(condition(value));
  };
  when(filter.variantId, (id) => `voucher.variant_id = ${put(id)}`);
  when(filter.status, (status) => `voucher.status = ${put(status)}`);
  when(filter.sourceType, (type) => `voucher.source_type = ${put(type)}`);
  when(filter.batchId, (id) => `voucher.batch_id = ${put(id)}`);
  when(filter.partnerId, (id) => `voucher.partner_id = ${put(id)}`);
  when(filter.orderItemId, (id) => `voucher.order_item_id = ${put(id)}`);
  when(
    filter.orderId,
    (id) =>
      `voucher.order_item_id IN (SELECT item.id FROM order_items AS item WHERE item.order_id = ${put(id)})`,
  );
  when(filter.expiresBefore, (at) => `voucher.expires_at < ${put(at)}`);
  when(filter.expiresAfter, (at) => `voucher.expires_at >= ${put(at)}`);
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}
