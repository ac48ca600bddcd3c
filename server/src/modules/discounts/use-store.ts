import { statement } from '../../platform/db/database.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';

export interface NewUse {
  readonly orderId: number;
  readonly discountId: number;
  /** The single-use code, null for the rule's own. */
  readonly codeId: number | null;
  readonly code: string;
  readonly userId: number;
  readonly subtotalMinor: number;
  readonly discountMinor: number;
  readonly isFirstOrder: boolean;
}

// Whoever else takes the same single-use code, or a welcome discount for the same customer, waits here until the
// other one commits, and the unique indexes decide: no row for the second.
const insertLive = statement(
  'discounts_insert_use',
  `INSERT INTO discount_uses (order_id, discount_id, code_id, code, user_id, subtotal_minor, discount_minor, is_first_order)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT DO NOTHING`,
);
// Orders of one customer wait for each other here.
const addCustomerUse = statement(
  'discounts_add_customer_use',
  `INSERT INTO discount_customers AS customer (discount_id, user_id, uses) VALUES ($1, $2, 1)
   ON CONFLICT (discount_id, user_id) DO UPDATE SET uses = customer.uses + 1
     WHERE $3::int IS NULL OR customer.uses < $3`,
);
// The row everybody waits for: the last statement before the commit. PostgreSQL reads the row again after waiting, so
// the limit is compared with what is true then.
const addUse = statement(
  'discounts_add_use',
  `UPDATE discounts SET usage_count = usage_count + 1
   WHERE id = $1 AND revision = $2 AND (usage_limit IS NULL OR usage_count < usage_limit)`,
);

const valuesOf = (use: NewUse): unknown[] => [
  use.orderId,
  use.discountId,
  use.codeId,
  use.code,
  use.userId,
  use.subtotalMinor,
  use.discountMinor,
  use.isFirstOrder,
];

/** @returns 0 when the order, the single-use code or (first orders) the customer has a live use. */
export async function insertUse(tx: Tx, use: NewUse): Promise<number> {
  return (await tx.query(insertLive, valuesOf(use))).count;
}

/** @returns 0 when the customer has used it as often as allowed. */
export async function countCustomerUse(
  tx: Tx,
  use: { discountId: number; userId: number; limit: number | null },
): Promise<number> {
  return (await tx.query(addCustomerUse, [use.discountId, use.userId, use.limit])).count;
}

/** @returns 0 when all uses are taken, or the rule is not that revision any more. */
export async function countUse(tx: Tx, use: { discountId: number; revision: number }): Promise<number> {
  return (await tx.query(addUse, [use.discountId, use.revision])).count;
}

const insertHonoured = statement(
  'discounts_insert_uncounted_use',
  `INSERT INTO discount_uses (order_id, discount_id, code_id, code, user_id, subtotal_minor, discount_minor,
                              is_first_order, is_counted, settled_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, false, $9)`,
);

/** A use that counts nowhere: the order is paid, and the use it had given back is somebody else's now. */
export async function insertUncountedUse(tx: Tx, use: NewUse, settledAt: Date): Promise<void> {
  await tx.query(insertHonoured, [...valuesOf(use), settledAt]);
}

const settle = statement(
  'discounts_settle_use',
  'UPDATE discount_uses SET settled_at = $2 WHERE order_id = $1 AND released_at IS NULL AND settled_at IS NULL',
);

/** @returns 0 when the order has no use that waits for its money. */
export async function settleUse(tx: Tx, orderId: number, at: Date): Promise<number> {
  return (await tx.query(settle, [orderId, at])).count;
}

// One step after the other by what each needs of the one before, in the order in which uses are taken: customer, then
// the rule. A use that was released or paid is not found, and nothing is counted down twice.
const release = statement(
  'discounts_release_use',
  `WITH ended AS (
     UPDATE discount_uses SET released_at = now()
     WHERE order_id = $1 AND released_at IS NULL AND settled_at IS NULL
     RETURNING discount_id, user_id
   ), customer AS (
     UPDATE discount_customers SET uses = uses - 1 FROM ended
     WHERE discount_customers.discount_id = ended.discount_id AND discount_customers.user_id = ended.user_id
     RETURNING discount_customers.discount_id
   )
   UPDATE discounts SET usage_count = usage_count - 1 FROM customer WHERE discounts.id = customer.discount_id`,
);

/** @returns 1 when a use went back. */
export async function releaseUse(tx: Tx, orderId: number): Promise<number> {
  return (await tx.query(release, [orderId])).count;
}

export const savepoint = (tx: Tx): Promise<unknown> => tx.query('SAVEPOINT discount_use');
export const rollBackToSavepoint = (tx: Tx): Promise<unknown> =>
  tx.query('ROLLBACK TO SAVEPOINT discount_use');

export interface UseOfOrderRow {
  readonly order_id: number;
  readonly code: string;
  readonly user_id: number;
  readonly subtotal_minor: number;
  readonly discount_minor: number;
  readonly is_counted: boolean;
  readonly taken_at: Date;
  readonly settled_at: Date | null;
  readonly released_at: Date | null;
}

const listOfDiscount = statement(
  'discounts_list_uses',
  `SELECT *, count(*) OVER ()::int AS total FROM (
     SELECT DISTINCT ON (order_id) order_id, code, user_id, subtotal_minor, discount_minor, is_counted, taken_at,
       settled_at, released_at
     FROM discount_uses WHERE discount_id = $1 ORDER BY order_id DESC, id DESC) AS last
   ORDER BY order_id DESC LIMIT $2 OFFSET $3`,
);

/** The orders that used a discount, each by its last use, newest first. */
export async function listUsesOf(
  reader: Reader,
  wanted: { discountId: number; limit: number; offset: number },
): Promise<{ rows: UseOfOrderRow[]; total: number }> {
  const { discountId, limit, offset } = wanted;
  const { rows } = await reader.query<UseOfOrderRow & { total: number }>(listOfDiscount, [
    discountId,
    limit,
    offset,
  ]);
  return { rows, total: rows[0]?.total ?? 0 };
}

const countOrders = statement(
  'discounts_count_orders',
  'SELECT count(DISTINCT order_id)::int AS orders FROM discount_uses WHERE discount_id = $1',
);

export async function countOrdersOf(reader: Reader, discountId: number): Promise<number> {
  return (await reader.query<{ orders: number }>(countOrders, [discountId])).rows[0]?.orders ?? 0;
}

export interface UseSummaryRow {
  readonly pending: number;
  readonly paid: number;
  readonly over_limit: number;
  readonly released: number;
  readonly customers: number;
  readonly revenue_minor: number;
  readonly discount_minor: number;
  readonly refusals: Record<string, number>;
}

const summarise = statement(
  'discounts_summarise_uses',
  `SELECT count(*) FILTER (WHERE released_at IS NULL AND settled_at IS NULL)::int AS pending,
     count(*) FILTER (WHERE settled_at IS NOT NULL)::int AS paid,
     count(*) FILTER (WHERE NOT is_counted)::int AS over_limit,
     count(*) FILTER (WHERE released_at IS NOT NULL)::int AS released,
     count(DISTINCT user_id) FILTER (WHERE settled_at IS NOT NULL)::int AS customers,
     COALESCE(sum(subtotal_minor - discount_minor) FILTER (WHERE settled_at IS NOT NULL), 0)::bigint AS revenue_minor,
     COALESCE(sum(discount_minor) FILTER (WHERE settled_at IS NOT NULL), 0)::bigint AS discount_minor,
     (SELECT COALESCE(jsonb_object_agg(reason, tries), '{}') FROM (
        SELECT reason, count(*) AS tries FROM discount_refusals WHERE discount_id = $1 GROUP BY reason) AS refused) AS refusals
   FROM discount_uses WHERE discount_id = $1`,
);

export async function summariseUses(reader: Reader, discountId: number): Promise<UseSummaryRow> {
  const { rows } = await reader.query<UseSummaryRow>(summarise, [discountId]);
  if (!rows[0]) throw new Error('An aggregate answered no row');
  return rows[0];
}
