import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export interface PriceChangeRow {
  readonly id: number;
  readonly old_price_minor: number | null;
  readonly old_compare_at_price_minor: number | null;
  readonly price_minor: number;
  readonly compare_at_price_minor: number | null;
  readonly changed_by: number | null;
  readonly changed_at: Date;
}

const listChanges = statement(
  'catalogue_list_price_changes',
  `SELECT id, old_price_minor, old_compare_at_price_minor, price_minor, compare_at_price_minor, changed_by, changed_at
   FROM variant_price_changes WHERE variant_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`,
);
const countChanges = statement(
  'catalogue_count_price_changes',
  'SELECT count(*) AS total FROM variant_price_changes WHERE variant_id = $1',
);

/** Newest first. Every variant has at least one, its first price. */
export async function listPriceChanges(
  reader: Reader,
  variantId: number,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ rows: PriceChangeRow[]; total: number }> {
  const [listed, counted] = await Promise.all([
    reader.query<PriceChangeRow>(listChanges, [variantId, page.limit, page.offset]),
    reader.query<{ total: number }>(countChanges, [variantId]),
  ]);
  return { rows: listed.rows, total: counted.rows[0]?.total ?? 0 };
}

export interface NewScheduledPrice {
  readonly variantId: number;
  readonly priceMinor: number;
  readonly compareAtPriceMinor: number | null;
  readonly changesCompareAt: boolean;
  readonly effectiveAt: Date;
  readonly scheduledBy: number;
}

const upsertScheduled = statement(
  'catalogue_upsert_scheduled_price',
  `INSERT INTO scheduled_prices
     (variant_id, price_minor, compare_at_price_minor, changes_compare_at, effective_at, scheduled_by)
   SELECT id, $2, $3, $4, $5, $6 FROM product_variants WHERE id = $1
   ON CONFLICT ON CONSTRAINT scheduled_prices__once DO UPDATE SET price_minor = excluded.price_minor,
     compare_at_price_minor = excluded.compare_at_price_minor, changes_compare_at = excluded.changes_compare_at,
     scheduled_by = excluded.scheduled_by`,
);

/** @returns 0 when there is no such variant. */
export async function upsertScheduledPrice(tx: Tx, price: NewScheduledPrice): Promise<number> {
  const { variantId, priceMinor, compareAtPriceMinor, changesCompareAt, effectiveAt, scheduledBy } = price;
  const values = [variantId, priceMinor, compareAtPriceMinor, changesCompareAt, effectiveAt, scheduledBy];
  return (await tx.query(upsertScheduled, values)).count;
}

const deleteScheduled = statement(
  'catalogue_delete_scheduled_price',
  'DELETE FROM scheduled_prices WHERE variant_id = $1 AND effective_at = $2 RETURNING price_minor',
);

/** @returns the price that was to come, if there was one. */
export async function deleteScheduledPrice(
  tx: Tx,
  variantId: number,
  effectiveAt: Date,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ price_minor: number }>(deleteScheduled, [variantId, effectiveAt]);
  return rows[0]?.price_minor;
}

export interface DuePriceRow {
  readonly id: number;
  readonly variant_id: number;
  readonly price_minor: number;
  readonly compare_at_price_minor: number | null;
  readonly changes_compare_at: boolean;
  readonly scheduled_by: number;
  readonly effective_at: Date;
}

// Whoever takes the rows deletes them in the same transaction: two sweeps at once never apply one twice.
const takeDue = statement(
  'catalogue_take_due_prices',
  `DELETE FROM scheduled_prices WHERE id IN (
     SELECT id FROM scheduled_prices WHERE effective_at <= $1 ORDER BY effective_at, id LIMIT 500
     FOR UPDATE SKIP LOCKED)
   RETURNING id, variant_id, price_minor, compare_at_price_minor, changes_compare_at, scheduled_by, effective_at`,
);

export async function takeDuePrices(tx: Tx, now: Date): Promise<DuePriceRow[]> {
  return (await tx.query<DuePriceRow>(takeDue, [now])).rows;
}

const applyPrice = statement(
  'catalogue_apply_price',
  `UPDATE product_variants SET price_minor = $2,
     compare_at_price_minor = CASE WHEN $4 THEN $3 ELSE compare_at_price_minor END WHERE id = $1`,
);

export async function updatePrice(tx: Tx, due: DuePriceRow): Promise<number> {
  const { variant_id, price_minor, compare_at_price_minor, changes_compare_at } = due;
  const values = [variant_id, price_minor, compare_at_price_minor, changes_compare_at];
  return (await tx.query(applyPrice, values)).count;
}
