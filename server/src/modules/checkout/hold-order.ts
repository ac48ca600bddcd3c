import { AppError } from '../../platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import { holdDiscountUse } from '../discounts/index.ts';
import { hasPaidOrder, listOrderItems, outOfStock, unitsOf } from '../orders/index.ts';
import type { OrderRow } from '../orders/index.ts';
import { reserveUnits, StockContendedError } from '../vouchers/index.ts';

/**
 * A payment session is about to be opened for an order: it must hold its units and its discount use. What went back
 * is taken anew (decisions 4.5). The caller has locked the order.
 *
 * @throws CONFLICT (`OutOfStockError`) when units are gone; BAD_REQUEST (`DiscountError`) when the use is, or the
 * discount does not allow the payment method; SERVICE_UNAVAILABLE in a rush. The transaction must not commit then.
 */
export async function holdOrder(
  tx: Tx,
  order: OrderRow,
  hold: { readonly until: Date; readonly paymentMethod: string; readonly at: Date },
): Promise<void> {
  if (order.held_until === null) await takeUnitsAgain(tx, order, hold.until);
  if (order.discount_code !== null) await holdDiscountUse(tx, { orderId: order.id, ...hold }, hasPaidOrder);
}

async function takeUnitsAgain(tx: Tx, order: OrderRow, until: Date): Promise<void> {
  const units = unitsOf(await listOrderItems(tx, [order.id]));
  if (units.length === 0) return;
  // Waiting for other buyers' locks rather than stepping over them: there is no retry around this transaction.
  const reservation = await reserveUnits(tx, units, { until, attempt: 1 }).catch((error: unknown) => {
    if (!(error instanceof StockContendedError)) throw error;
    const message = 'Too many people are buying this at once; no payment was opened';
    throw new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 2, cause: error });
  });
  if (reservation.kind === 'short') throw outOfStock(reservation.variantId);
}
