import type { Reader, Result, Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';

/** A stored code row; the sealed columns stay sealed here. */
export interface VoucherRow {
  readonly id: number;
  readonly order_item_id: number;
  readonly unit_no: number;
  readonly code_sealed: Buffer;
  readonly code_digest: Buffer;
  readonly pin_sealed: Buffer | null;
  readonly redemption_url_sealed: Buffer | null;
  readonly serial_number_sealed: Buffer | null;
  readonly expires_at: Date | null;
}

export interface UnitsWanted {
  readonly orderItemId: number;
  readonly variantId: number;
  /** Unit numbers of the item that need a code. */
  readonly unitNumbers: readonly number[];
}

/**
 * Takes units for order items, first to expire first. Buyers of one variant step over each other's rows
 * (SKIP LOCKED), so none waits; a buyer who comes up short must ask again without stepping over, since a row that
 * was skipped may come free when its holder rolls back.
 */
const reserveText = (locking: 'SKIP LOCKED' | '') => `
  WITH unit AS (
    SELECT item_id, variant_id, unit_no, row_number() OVER (PARTITION BY variant_id ORDER BY item_id, unit_no) AS n
    FROM unnest($1::bigint[], $2::bigint[], $3::int[]) AS wanted(item_id, variant_id, unit_no)
  ), total AS (
    -- In the order of ids: two orders that want the same variants lock them in the same order.
    SELECT variant_id, count(*) AS units FROM unit GROUP BY variant_id ORDER BY variant_id
  ), picked AS MATERIALIZED (
    SELECT total.variant_id, free.id, row_number() OVER (PARTITION BY total.variant_id) AS n
    FROM total CROSS JOIN LATERAL (
      SELECT id FROM vouchers
      WHERE variant_id = total.variant_id AND status = 'available' AND (expires_at IS NULL OR expires_at > now())
      ORDER BY expires_at, id LIMIT total.units FOR UPDATE ${locking}
    ) AS free
  )
  UPDATE vouchers
  SET status = 'reserved', order_item_id = unit.item_id, unit_no = unit.unit_no, reserved_until = $4
  FROM picked JOIN unit USING (variant_id, n)
  WHERE vouchers.id = picked.id AND vouchers.status = 'available'
  RETURNING vouchers.variant_id`;

/** The same for one unit, which most orders are: PostgreSQL keeps this plan, and plans the one for lists every time. */
const reserveUnitText = (locking: 'SKIP LOCKED' | '') => `
  UPDATE vouchers SET status = 'reserved', order_item_id = $1, unit_no = $3, reserved_until = $4
  WHERE status = 'available' AND id = (
    SELECT id FROM vouchers
    WHERE variant_id = $2 AND status = 'available' AND (expires_at IS NULL OR expires_at > now())
    ORDER BY expires_at, id LIMIT 1 FOR UPDATE ${locking})
  RETURNING variant_id`;

const reserveUnitSkipping = statement('vouchers_reserve_unit_skipping', reserveUnitText('SKIP LOCKED'));
const reserveUnitWaiting = statement('vouchers_reserve_unit_waiting', reserveUnitText(''));

const reserveSkipping = statement('vouchers_reserve_skipping', reserveText('SKIP LOCKED'));
const reserveWaiting = statement('vouchers_reserve_waiting', reserveText(''));

const countSellable = statement(
  'vouchers_count_sellable',
  `SELECT count(*)::int AS units FROM vouchers
   WHERE variant_id = $1 AND status = 'available' AND (expires_at IS NULL OR expires_at > now())`,
);

const releaseReserved = statement(
  'vouchers_release_reserved',
  `UPDATE vouchers SET status = 'available', order_item_id = NULL, unit_no = NULL, reserved_until = NULL
   FROM order_items AS item
   WHERE item.order_id = $1 AND vouchers.order_item_id = item.id AND vouchers.status = 'reserved'`,
);

const releaseExpired = statement(
  'vouchers_release_expired',
  `UPDATE vouchers SET status = 'available', order_item_id = NULL, unit_no = NULL, reserved_until = NULL
   FROM order_items AS item
   WHERE item.order_id = $1 AND vouchers.order_item_id = item.id AND vouchers.status = 'reserved'
     AND vouchers.expires_at <= now()`,
);

const assignReserved = statement(
  'vouchers_assign_reserved',
  `UPDATE vouchers SET status = 'assigned', assigned_at = now(), reserved_until = NULL
   WHERE order_item_id = ANY ($1) AND status = 'reserved'`,
);

const assignOfOrder = statement(
  'vouchers_assign_reserved_of_order',
  `UPDATE vouchers SET status = 'assigned', assigned_at = now(), reserved_until = NULL
   FROM order_items AS item
   WHERE item.order_id = $1 AND vouchers.order_item_id = item.id AND vouchers.status = 'reserved'`,
);

const ofItems = `
  SELECT id, order_item_id, unit_no, code_sealed, code_digest, pin_sealed, redemption_url_sealed,
         serial_number_sealed, expires_at
  FROM vouchers`;
const listAssigned = statement(
  'vouchers_list_assigned',
  `${ofItems} WHERE order_item_id = ANY ($1) AND status = 'assigned' ORDER BY order_item_id, unit_no`,
);

const listOfOrder = statement(
  'vouchers_list_of_order',
  `${ofItems} WHERE status = 'assigned' AND order_item_id IN (SELECT item.id FROM order_items AS item WHERE item.order_id = $1)
   ORDER BY order_item_id, unit_no`,
);

const listHeldUnits = statement(
  'vouchers_list_held_units',
  `SELECT order_item_id, unit_no FROM vouchers WHERE order_item_id = ANY ($1) ORDER BY order_item_id, unit_no`,
);

const listAssignedUnits = statement(
  'vouchers_list_assigned_units',
  `SELECT order_item_id, unit_no FROM vouchers
   WHERE order_item_id = ANY ($1) AND status = 'assigned' ORDER BY order_item_id, unit_no`,
);

const sellableVariants = statement(
  'vouchers_sellable_variants',
  // One index probe for each variant that has codes (a skip scan), however many codes there are.
  `WITH RECURSIVE stocked AS (
     (SELECT variant_id FROM vouchers WHERE status = 'available' ORDER BY variant_id LIMIT 1)
     UNION ALL
     SELECT (SELECT next.variant_id FROM vouchers AS next
             WHERE next.status = 'available' AND next.variant_id > stocked.variant_id
             ORDER BY next.variant_id LIMIT 1)
     FROM stocked WHERE stocked.variant_id IS NOT NULL
   )
   SELECT variant_id FROM stocked
   WHERE EXISTS (SELECT FROM vouchers
                 WHERE vouchers.variant_id = stocked.variant_id AND status = 'available'
                   AND (expires_at IS NULL OR expires_at > now()))`,
);

/** @returns how many units were taken of each variant. */
export async function reserveVouchers(
  tx: Tx,
  wanted: readonly UnitsWanted[],
  options: { until: Date; waitForOthers: boolean },
): Promise<Map<number, number>> {
  const units = wanted.flatMap((want) => want.unitNumbers.map((unitNo) => ({ ...want, unitNo })));
  const { rows } = await sendReservation(tx, units, options);
  const taken = new Map<number, number>();
  for (const { variant_id: variantId } of rows) taken.set(variantId, (taken.get(variantId) ?? 0) + 1);
  return taken;
}

function sendReservation(
  tx: Tx,
  units: readonly (UnitsWanted & { readonly unitNo: number })[],
  { until, waitForOthers }: { until: Date; waitForOthers: boolean },
): Promise<Result<{ variant_id: number }>> {
  const [unit] = units;
  if (unit && units.length === 1) {
    const { orderItemId, variantId, unitNo } = unit;
    const query = waitForOthers ? reserveUnitWaiting : reserveUnitSkipping;
    return tx.query(query, [orderItemId, variantId, unitNo, until]);
  }
  return tx.query(waitForOthers ? reserveWaiting : reserveSkipping, [
    units.map(({ orderItemId }) => orderItemId),
    units.map(({ variantId }) => variantId),
    units.map(({ unitNo }) => unitNo),
    until,
  ]);
}

export async function countSellableVouchers(reader: Reader, variantId: number): Promise<number> {
  return (await reader.query<{ units: number }>(countSellable, [variantId])).rows[0]?.units ?? 0;
}

/** Gives an unpaid order's units back. @returns how many. */
export async function releaseReservedVouchers(tx: Tx, orderId: number): Promise<number> {
  return (await tx.query(releaseReserved, [orderId])).count;
}

/** Gives back units that expired while they were held: they are never sold. */
export async function releaseExpiredVouchers(tx: Tx, orderId: number): Promise<number> {
  return (await tx.query(releaseExpired, [orderId])).count;
}

/** Gives the units held for these items to them, for ever. */
export async function assignReservedVouchers(tx: Tx, orderItemIds: readonly number[]): Promise<number> {
  return (await tx.query(assignReserved, [orderItemIds])).count;
}

/** Gives all units held for an order to it, for ever. */
export async function assignVouchersOfOrder(tx: Tx, orderId: number): Promise<number> {
  return (await tx.query(assignOfOrder, [orderId])).count;
}

export async function listAssignedVouchers(
  reader: Reader,
  orderItemIds: readonly number[],
): Promise<VoucherRow[]> {
  if (orderItemIds.length === 0) return [];
  return (await reader.query<VoucherRow>(listAssigned, [orderItemIds])).rows;
}

/** Every code that was given to an order. */
export async function listVouchersOfOrder(reader: Reader, orderId: number): Promise<VoucherRow[]> {
  return (await reader.query<VoucherRow>(listOfOrder, [orderId])).rows;
}

/**
 * Which units of these items have a code of their own: what the customer gets. Whoever asks what an item still lacks
 * means this; a code that is only held for it may go back into the stock.
 */
export async function listAssignedUnitNumbers(
  tx: Tx,
  orderItemIds: readonly number[],
): Promise<{ order_item_id: number; unit_no: number }[]> {
  return (await tx.query<{ order_item_id: number; unit_no: number }>(listAssignedUnits, [orderItemIds])).rows;
}

/** Which units of these items are taken, reserved or assigned: for those who take more for them out of the stock. */
export async function listHeldUnitNumbers(
  tx: Tx,
  orderItemIds: readonly number[],
): Promise<{ order_item_id: number; unit_no: number }[]> {
  return (await tx.query<{ order_item_id: number; unit_no: number }>(listHeldUnits, [orderItemIds])).rows;
}

export async function findSellableVariantIds(reader: Reader): Promise<Set<number>> {
  const { rows } = await reader.query<{ variant_id: number }>(sellableVariants);
  return new Set(rows.map((row) => row.variant_id));
}
