import type { Reader } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import type { PurchaseRow } from '../purchases/purchase-store.ts';

/** A purchase with what its list shows of the code it brought. */
export interface TransactionRow extends PurchaseRow {
  readonly code_sealed: Buffer | null;
}

const columns = `
  SELECT purchase.*, item.order_id, item.variant_id, item.mode, partner.name AS partner_name, voucher.code_sealed
  FROM partner_api_transactions AS purchase
  JOIN order_items AS item ON item.id = purchase.order_item_id
  LEFT JOIN partners AS partner ON partner.id = purchase.partner_id
  LEFT JOIN vouchers AS voucher ON voucher.id = purchase.voucher_id`;

const find = statement('partner_transactions_find', `${columns} WHERE purchase.id = $1`);
const list = statement(
  'partner_transactions_list',
  `SELECT *, count(*) OVER ()::int AS total FROM (${columns}) AS listed
   WHERE ($1::text IS NULL OR status = $1) AND ($2::bigint IS NULL OR partner_id = $2)
     AND ($3::bigint IS NULL OR order_id = $3) AND ($4::timestamptz IS NULL OR created_at <= $4)
     AND ($5::text IS NULL OR reference = $5 OR partner_transaction_id = $5)
   ORDER BY id DESC LIMIT $6 OFFSET $7`,
);
const listByIds = statement('partner_transactions_list_by_ids', `${columns} WHERE purchase.id = ANY ($1)`);

export async function findTransaction(reader: Reader, id: number): Promise<TransactionRow | undefined> {
  return (await reader.query<TransactionRow>(find, [id])).rows[0];
}

/** Those that attempts ended with. */
export async function listTransactionsById(
  reader: Reader,
  ids: readonly number[],
): Promise<TransactionRow[]> {
  if (ids.length === 0) return [];
  return (await reader.query<TransactionRow>(listByIds, [ids])).rows;
}

export interface TransactionFilter {
  readonly status: string | null;
  readonly partnerId: number | null;
  readonly orderId: number | null;
  readonly createdBefore: Date | null;
  /** Our reference or the partner's id. */
  readonly search: string | null;
  readonly limit: number;
  readonly offset: number;
}

export async function listTransactions(
  reader: Reader,
  filter: TransactionFilter,
): Promise<{ rows: TransactionRow[]; total: number }> {
  const { status, partnerId, orderId, createdBefore, search, limit, offset } = filter;
  const values = [status, partnerId, orderId, createdBefore, search, limit, offset];
  const { rows } = await reader.query<TransactionRow & { total: number }>(list, values);
  return { rows, total: rows[0]?.total ?? 0 };
}
