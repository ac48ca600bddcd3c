import type { Tx } from '../../platform/db/database.ts';
import { listOrderItems, outOfStock, unitsOf } from '../orders/index.ts';
import type { OrderRow } from '../orders/index.ts';
import { reserveUnits } from '../vouchers/index.ts';

/**
 * An order whose units went back is to be paid again: they are taken anew (decisions 4.5).
 *
 * @throws CONFLICT (`OutOfStockError`) when they are gone; the transaction must not commit then.
 */
export async function takeUnitsAgain(tx: Tx, order: OrderRow, until: Date): Promise<void> {
  const units = unitsOf(await listOrderItems(tx, [order.id]));
  if (units.length === 0) return;
  // Waiting for other buyers' locks rather than stepping over them: there is no retry around this transaction.
  const reservation = await reserveUnits(tx, units, { until, attempt: 1 });
  if (reservation.kind === 'short') throw outOfStock(reservation.variantId);
}
