import type { Database, Tx } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { secondsAfter } from '../../platform/time.ts';
import { listOrderItems, lockOrder, setItemStatuses } from '../orders/index.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import {
  assignReservedVouchers,
  listHeldUnitNumbers,
  releaseExpiredVouchers,
  reserveUnits,
  withStockRetries,
} from '../vouchers/index.ts';
import { concludeOrder, deliverOrder, failItems } from './conclude-order.ts';
import type { ConcludeOrderDeps } from './conclude-order.ts';
import { listItemsBeingBought } from './purchases/purchase-store.ts';
import { startPurchases } from './purchases/start-purchases.ts';

export interface FulfillOrderDeps extends ConcludeOrderDeps {
  readonly db: Database;
}

/**
 * Gives a paid order what it was sold, in one transaction under the order's lock: its reserved codes become its own,
 * and its one e-mail is queued. What the stock does not have is bought from partners, after this transaction; what
 * cannot be had goes to an operator, with an alert (interface part 3).
 * Running it again changes nothing: only items of a paid PENDING order that were not begun are touched.
 */
export async function fulfillOrder(deps: FulfillOrderDeps, orderId: number): Promise<void> {
  await withStockRetries((attempt) =>
    inTransaction(deps.db, (tx) => fulfillLocked(deps, tx, { orderId, attempt })),
  );
}

async function fulfillLocked(
  deps: FulfillOrderDeps,
  tx: Tx,
  { orderId, attempt }: { orderId: number; attempt: number },
): Promise<void> {
  const [order, items, begun] = await Promise.all([
    lockOrder(tx, orderId),
    listOrderItems(tx, [orderId]),
    listItemsBeingBought(tx, orderId),
  ]);
  if (!order || order.paid_at === null || order.status !== 'PENDING') return;
  const open = items.filter(
    (item) => !item.fulfilled && item.fulfillment_status === 'PENDING' && !begun.has(item.id),
  );
  if (open.length === 0) return;
  const stocked = open.filter(mayBeInStock);
  const short = await holdMissingUnits(deps, tx, { order, items: stocked, attempt });
  const ready = stocked.filter(({ id }) => !short.has(id)).map(({ id }) => id);
  // Also the part of an item that could be had: it is paid for, and what is missing is bought or added.
  const held = stocked.map(({ id }) => id);
  await Promise.all([assignReservedVouchers(tx, held), setItemStatuses(tx, ready, 'PROCESSING')]);
  const isWhole = ready.length === items.filter((item) => !item.fulfilled).length;
  if (isWhole) return deliverOrder(tx, deps, { order, items });
  const missing = open.filter(({ id }) => !ready.includes(id));
  await buyOrFail(deps, tx, { order, missing, short });
}

/** A partner's code may lie in the stock too: one that came after its own order had been served. */
const mayBeInStock = (item: OrderItemRow): boolean => item.engine === 'PRELOADED' || item.mode === 'CODE';

/** What the stock does not have is bought from partners; what nobody has is an operator's business. */
async function buyOrFail(
  deps: FulfillOrderDeps,
  tx: Tx,
  facts: { order: OrderRow; missing: readonly OrderItemRow[]; short: ReadonlyMap<number, string> },
): Promise<void> {
  const { order, missing, short } = facts;
  const unbuyable = await startPurchases(tx, deps, missing);
  const reasons = missing.flatMap((item) => {
    const reason = unbuyable.get(item.id);
    if (reason === undefined) return [];
    return [[item.id, item.engine === 'PRELOADED' ? (short.get(item.id) ?? reason) : reason] as const];
  });
  const failed = { orderId: order.id, reasons: new Map(reasons), correlationId: deps.random.uuid() };
  await failItems(tx, { ...failed, status: 'FAILED' });
  await concludeOrder(tx, deps, { orderId: order.id, hasNewFailure: reasons.length > 0 });
}

/** Units held since the order was created are there; those of an order paid after its time are taken anew. */
async function holdMissingUnits(
  deps: FulfillOrderDeps,
  tx: Tx,
  { order, items, attempt }: { order: OrderRow; items: readonly OrderItemRow[]; attempt: number },
): Promise<Map<number, string>> {
  const failures = new Map<number, string>();
  if (items.length === 0) return failures;
  const ids = items.map(({ id }) => id);
  // In one packet; the second sees what the first did.
  const [, held] = await Promise.all([releaseExpiredVouchers(tx, order.id), listHeldUnitNumbers(tx, ids)]);
  for (const item of items) {
    const own = new Set(held.filter((unit) => unit.order_item_id === item.id).map((unit) => unit.unit_no));
    const unitNumbers = Array.from({ length: item.quantity }, (_, index) => index + 1).filter(
      (n) => !own.has(n),
    );
    if (unitNumbers.length === 0) continue;
    const wanted = [{ orderItemId: item.id, variantId: item.variant_id, unitNumbers }];
    const until = secondsAfter(deps.clock.now(), 3600);
    const reservation = await reserveUnits(tx, wanted, { until, attempt });
    if (reservation.kind === 'short')
      failures.set(item.id, `Insufficient stock for variant ${item.variant_id}`);
  }
  return failures;
}
