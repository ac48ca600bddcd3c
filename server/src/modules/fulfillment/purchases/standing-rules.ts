import type { OrderItemRow } from '../../orders/index.ts';
import { inFlightStatuses } from './purchase-states.ts';
import type { PurchaseStatus } from './purchase-states.ts';

/**
 * How an item stands on its way to the customer. `ready`: it has all it was sold. `in_flight`: a call is about to
 * answer. `unclear`: what was bought for it is not known yet, or it was not begun.
 */
export type ItemStanding = 'fulfilled' | 'ready' | 'in_flight' | 'unclear' | 'failed';

export interface ItemFacts {
  readonly item: Pick<OrderItemRow, 'mode' | 'quantity' | 'fulfilled' | 'fulfillment_status'>;
  /** Units that have a code of their own; one that is only held for them does not count. */
  readonly codes: number;
  readonly purchases: readonly PurchaseStatus[];
}

export function standingOfItem({ item, codes, purchases }: ItemFacts): ItemStanding {
  if (item.fulfilled) return 'fulfilled';
  // Its letter was refused: the address has to be corrected by a person first.
  if (item.fulfillment_status === 'DISPATCH_FAILED') return 'failed';
  if (hasEverything({ item, codes, purchases })) return 'ready';
  if (purchases.some((status) => inFlightStatuses.includes(status))) return 'in_flight';
  return item.fulfillment_status === 'FAILED' ? 'failed' : 'unclear';
}

/** A code for every unit; a top-up, when all units were credited, or an earlier act said so (PROCESSING). */
function hasEverything({ item, codes, purchases }: ItemFacts): boolean {
  if (item.mode === 'CODE') return codes >= item.quantity;
  const credited = purchases.filter((status) => status === 'OK').length;
  return credited >= item.quantity || item.fulfillment_status === 'PROCESSING';
}
