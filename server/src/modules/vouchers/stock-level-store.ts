import { statement } from '../../platform/db/database.ts';
import type { Reader } from '../../platform/db/database.ts';

// Stops counting at the limit: the answer is "many" long before a big stock is read.
const countSellable = statement(
  'vouchers_count_sellable_to',
  `SELECT count(*) AS units FROM (
     SELECT 1 FROM vouchers WHERE variant_id = $1 AND status = 'available'
       AND (expires_at IS NULL OR expires_at > now()) LIMIT $2) AS sellable`,
);

/** Units of a variant that can be sold now, counted to `most` and no further. */
export async function countSellableUnits(reader: Reader, variantId: number, most: number): Promise<number> {
  const { rows } = await reader.query<{ units: number }>(countSellable, [variantId, most]);
  return rows[0]?.units ?? 0;
}

export interface StockLevelRow {
  readonly variantId: number;
  readonly availableUnits: number;
  /** Null where no unit's cost is known. */
  readonly averageCostMinor: number | null;
}

const listLevels = statement(
  'vouchers_list_levels',
  `SELECT variant_id AS "variantId", count(*) AS "availableUnits",
     round(avg(cost_minor))::bigint AS "averageCostMinor"
   FROM vouchers WHERE variant_id = ANY($1::bigint[]) AND status = 'available'
     AND (expires_at IS NULL OR expires_at > now())
   GROUP BY variant_id`,
);

/** What lies in the vault for each of these variants; those without a unit are left out. */
export async function listStockLevels(
  reader: Reader,
  variantIds: readonly number[],
): Promise<StockLevelRow[]> {
  if (variantIds.length === 0) return [];
  return (await reader.query<StockLevelRow>(listLevels, [variantIds])).rows;
}
