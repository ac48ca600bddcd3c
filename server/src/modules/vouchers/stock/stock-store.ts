import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface LevelRow {
  readonly variant_id: number;
  readonly product_name: string;
  readonly variant_name: string;
  readonly sku: string;
  readonly engine: string;
  readonly is_active: boolean;
  readonly available: number;
  readonly expired: number;
  readonly expiring: number;
  readonly held: number;
  readonly sold: number;
  readonly voided: number;
  /** Delivered in the last fourteen days. */
  readonly sold_lately: number;
  readonly low_units: number | null;
  readonly low_cover_days: number | null;
}

export const PACE_DAYS = 14;
const EXPIRING_DAYS = 30;

const levels = `
  SELECT variant.id AS variant_id, product.name AS product_name, variant.name AS variant_name, variant.sku,
         variant.engine, variant.is_active, stock.*, pace.sold_lately, threshold.low_units, threshold.low_cover_days
  FROM product_variants AS variant
  JOIN products AS product ON product.id = variant.product_id
  LEFT JOIN stock_thresholds AS threshold ON threshold.variant_id = variant.id
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE status = 'available' AND (expires_at IS NULL OR expires_at > now()))::int AS available,
           count(*) FILTER (WHERE status = 'available' AND expires_at <= now())::int AS expired,
           count(*) FILTER (WHERE status = 'available' AND expires_at > now()
                              AND expires_at < now() + interval '${EXPIRING_DAYS} days')::int AS expiring,
           count(*) FILTER (WHERE status = 'reserved')::int AS held,
           count(*) FILTER (WHERE status = 'assigned')::int AS sold,
           count(*) FILTER (WHERE status = 'voided')::int AS voided
    FROM vouchers WHERE vouchers.variant_id = variant.id) AS stock
  CROSS JOIN LATERAL (
    SELECT COALESCE(sum(units), 0)::int AS sold_lately FROM stock_movements AS movement
    WHERE movement.variant_id = variant.id AND movement.to_status = 'assigned'
      AND movement.occurred_at > now() - interval '${PACE_DAYS} days') AS pace`;
const matching = `
  WHERE ($1::text IS NULL OR strpos(lower(concat_ws(' ', product.name, variant.name, variant.sku)), lower($1)) > 0)
    AND ($2::text IS NULL OR variant.engine = $2) AND ($3::bigint IS NULL OR variant.id = $3)`;
const list = statement(
  'vouchers_list_stock',
  `${levels} ${matching} ORDER BY product.name, variant.sort_order, variant.id LIMIT $4 OFFSET $5`,
);
const count = statement(
  'vouchers_count_stock',
  `SELECT count(*)::int AS total FROM product_variants AS variant
   JOIN products AS product ON product.id = variant.product_id ${matching}`,
);

export interface StockFilter {
  readonly search: string | null;
  readonly engine: string | null;
  readonly variantId: number | null;
}

export async function listStock(
  reader: Reader,
  filter: StockFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: LevelRow[]; total: number }> {
  const values = [filter.search, filter.engine, filter.variantId];
  const [found, counted] = await Promise.all([
    reader.query<LevelRow>(list, [...values, limit, offset]),
    reader.query<{ total: number }>(count, values),
  ]);
  return { rows: found.rows, total: counted.rows[0]?.total ?? 0 };
}

export interface MovementRow {
  readonly id: number;
  readonly from_status: string | null;
  readonly to_status: string | null;
  readonly units: number;
  readonly batch_id: number | null;
  readonly order_item_id: number | null;
  readonly order_id: number | null;
  readonly occurred_at: Date;
}

const movements = statement(
  'vouchers_list_movements',
  `SELECT movement.id, from_status, to_status, units, batch_id, order_item_id, item.order_id, occurred_at
   FROM stock_movements AS movement LEFT JOIN order_items AS item ON item.id = movement.order_item_id
   WHERE movement.variant_id = $1 ORDER BY movement.id DESC LIMIT $2 OFFSET $3`,
);
// What came minus what went, for every state, beside what lies there: the two are always equal.
const balance = statement(
  'vouchers_movement_balance',
  `SELECT count(*)::int AS total, balances.units AS by_movements, counts.units AS by_vouchers
   FROM stock_movements,
     LATERAL (SELECT jsonb_object_agg(status, units) AS units FROM (
       SELECT status, COALESCE(sum(change), 0)::int AS units
       FROM (VALUES ('available'), ('reserved'), ('assigned'), ('voided')) AS state(status)
       LEFT JOIN LATERAL (
         SELECT units AS change FROM stock_movements WHERE variant_id = $1 AND to_status = state.status
         UNION ALL
         SELECT -units FROM stock_movements WHERE variant_id = $1 AND from_status = state.status) AS moved ON true
       GROUP BY status) AS summed) AS balances,
     LATERAL (SELECT jsonb_build_object(
       'available', count(*) FILTER (WHERE status = 'available'), 'reserved', count(*) FILTER (WHERE status = 'reserved'),
       'assigned', count(*) FILTER (WHERE status = 'assigned'), 'voided', count(*) FILTER (WHERE status = 'voided'))
       AS units FROM vouchers WHERE variant_id = $1) AS counts
   WHERE variant_id = $1 GROUP BY balances.units, counts.units`,
);

export type UnitsByStatus = Readonly<Record<'available' | 'reserved' | 'assigned' | 'voided', number>>;
const none: UnitsByStatus = { available: 0, reserved: 0, assigned: 0, voided: 0 };

/** Newest first, with what all movements of the variant add up to. */
export async function listMovements(
  reader: Reader,
  variantId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: MovementRow[]; total: number; byMovements: UnitsByStatus; byVouchers: UnitsByStatus }> {
  const [found, summed] = await Promise.all([
    reader.query<MovementRow>(movements, [variantId, limit, offset]),
    reader.query<{ total: number; by_movements: UnitsByStatus; by_vouchers: UnitsByStatus }>(balance, [
      variantId,
    ]),
  ]);
  const sum = summed.rows[0];
  return {
    rows: found.rows,
    total: sum?.total ?? 0,
    byMovements: sum?.by_movements ?? none,
    byVouchers: sum?.by_vouchers ?? none,
  };
}

export interface HoldRow {
  readonly order_id: number;
  readonly order_number: string;
  readonly order_status: string;
  readonly order_item_id: number;
  readonly variant_id: number;
  readonly product_name: string;
  readonly variant_name: string;
  readonly units: number;
  readonly held_until: Date | null;
}

const held = `
  FROM vouchers
  JOIN order_items AS item ON item.id = vouchers.order_item_id
  JOIN orders ON orders.id = item.order_id
  WHERE vouchers.status = 'reserved' AND ($1::bigint IS NULL OR vouchers.variant_id = $1)`;
const holds = statement(
  'vouchers_list_holds',
  `SELECT orders.id AS order_id, orders.order_number, orders.status AS order_status, item.id AS order_item_id,
          item.variant_id, item.product_name, item.variant_name, count(*)::int AS units,
          COALESCE(orders.held_until, max(vouchers.reserved_until)) AS held_until
   ${held} GROUP BY orders.id, item.id ORDER BY held_until, item.id LIMIT $2 OFFSET $3`,
);
const countHolds = statement('vouchers_count_holds', `SELECT count(DISTINCT item.id)::int AS total ${held}`);

/** Units that orders hold, the first to be given back first. */
export async function listHolds(
  reader: Reader,
  variantId: number | null,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: HoldRow[]; total: number }> {
  const [found, counted] = await Promise.all([
    reader.query<HoldRow>(holds, [variantId, limit, offset]),
    reader.query<{ total: number }>(countHolds, [variantId]),
  ]);
  return { rows: found.rows, total: counted.rows[0]?.total ?? 0 };
}

export interface ThresholdRow {
  readonly variant_id: number;
  readonly low_units: number | null;
  readonly low_cover_days: number | null;
}

const setThreshold = statement(
  'vouchers_set_threshold',
  `INSERT INTO stock_thresholds (variant_id, low_units, low_cover_days) VALUES ($1, $2, $3)
   ON CONFLICT (variant_id) DO UPDATE SET low_units = EXCLUDED.low_units, low_cover_days = EXCLUDED.low_cover_days`,
);
const removeThreshold = statement(
  'vouchers_remove_threshold',
  'DELETE FROM stock_thresholds WHERE variant_id = $1',
);
const findThreshold = statement(
  'vouchers_find_threshold',
  'SELECT variant_id, low_units, low_cover_days FROM stock_thresholds WHERE variant_id = $1',
);

export async function findStockThreshold(
  reader: Reader,
  variantId: number,
): Promise<ThresholdRow | undefined> {
  return (await reader.query<ThresholdRow>(findThreshold, [variantId])).rows[0];
}

export async function storeStockThreshold(
  tx: Tx,
  threshold: { variantId: number; lowUnits: number | null; lowCoverDays: number | null },
): Promise<void> {
  const { variantId, lowUnits, lowCoverDays } = threshold;
  if (lowUnits === null && lowCoverDays === null) await tx.query(removeThreshold, [variantId]);
  else await tx.query(setThreshold, [variantId, lowUnits, lowCoverDays]);
}
