import type { OrderItemRow } from '../orders/index.ts';

type Item = Pick<OrderItemRow, 'mode' | 'quantity' | 'fulfilled' | 'fulfillment_status'>;

/**
 * Whether an item has everything it was sold: a code for every unit, or, for a top-up, the credit. An item keeps
 * that state as PROCESSING, or as DISPATCH_FAILED once its e-mail failed, until its owner was told.
 */
export function hasWhatWasSold(item: Item, codes: number): boolean {
  if (item.fulfilled) return true;
  if (codes === item.quantity) return true;
  const isCredited =
    item.fulfillment_status === 'PROCESSING' || item.fulfillment_status === 'DISPATCH_FAILED';
  return item.mode === 'TOPUP' && isCredited;
}

/** Whether the letter speaks of an item: one without a code and without credit has nothing to say yet. */
export function isToldInEmail(item: Item, codes: number): boolean {
  return codes > 0 || hasWhatWasSold(item, codes);
}
