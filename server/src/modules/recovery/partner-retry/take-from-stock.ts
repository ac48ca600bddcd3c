import type { Tx } from '../../../platform/db/database.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { OrderItemRow } from '../../orders/index.ts';
import {
  assignReservedVouchers,
  listHeldUnitNumbers,
  releaseExpiredVouchers,
  reserveUnits,
} from '../../vouchers/index.ts';

const ASSIGNED_WITHIN_SECONDS = 60;

/**
 * Gives items what the stock has of their missing units by now: whatever is there costs nothing and cannot be refused.
 * Under the order's lock; `attempt` as `withStockRetries` counts it.
 */
export async function takeFromStock(
  tx: Tx,
  items: readonly OrderItemRow[],
  { orderId, now, attempt }: { orderId: number; now: Date; attempt: number },
): Promise<void> {
  const stocked = items.filter((item) => item.mode === 'CODE' && !item.fulfilled);
  if (stocked.length === 0) return;
  const ids = stocked.map(({ id }) => id);
  await releaseExpiredVouchers(tx, orderId);
  const held = await listHeldUnitNumbers(tx, ids);
  for (const item of stocked) {
    const own = new Set(held.filter((unit) => unit.order_item_id === item.id).map((unit) => unit.unit_no));
    const all = Array.from({ length: item.quantity }, (_, index) => index + 1);
    const unitNumbers = all.filter((unitNo) => !own.has(unitNo));
    if (unitNumbers.length === 0) continue;
    const wanted = [{ orderItemId: item.id, variantId: item.variant_id, unitNumbers }];
    // The part that could be had is kept: what is missing then is bought.
    await reserveUnits(tx, wanted, { until: secondsAfter(now, ASSIGNED_WITHIN_SECONDS), attempt });
  }
  await assignReservedVouchers(tx, ids);
}
