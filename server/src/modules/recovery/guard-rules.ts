import type { AppError } from '../../platform/errors.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import { alreadyDispatched, alreadyFulfilled, itemNotInOrder, noCodeProvided, notPaid } from './errors.ts';

export interface GuardFacts {
  readonly order: Pick<OrderRow, 'order_number'>;
  readonly items: readonly Pick<OrderItemRow, 'id' | 'fulfilled'>[];
  readonly paymentStatuses: readonly string[];
  /** Items with a DISPATCHED attempt. */
  readonly dispatched: readonly number[];
  /** The items the operator named. */
  readonly wanted: readonly number[];
  /** False when the request should have brought codes and brought none. */
  readonly hasCodes: boolean;
}

/**
 * The recovery guards of interface part 7, in its order, before anything is written or called. Whether a code belongs
 * to a different item is the last of them; the vault knows that.
 */
export function checkRecoveryGuards(facts: GuardFacts): AppError | undefined {
  const { order, items, wanted } = facts;
  if (!facts.paymentStatuses.includes('SUCCEEDED')) return notPaid(order.order_number);
  const unknown = wanted.find((id) => !items.some((item) => item.id === id));
  if (unknown !== undefined) return itemNotInOrder(unknown, order.order_number);
  if (!facts.hasCodes) return noCodeProvided();
  const fulfilled = items.find((item) => wanted.includes(item.id) && item.fulfilled);
  if (fulfilled) return alreadyFulfilled(fulfilled.id);
  const dispatched = wanted.find((id) => facts.dispatched.includes(id));
  return dispatched === undefined ? undefined : alreadyDispatched(dispatched);
}
