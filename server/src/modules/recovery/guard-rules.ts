import type { AppError } from '../../platform/errors.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import {
  alreadyDispatched,
  alreadyFulfilled,
  itemNotInOrder,
  moneyGivenBack,
  noCodeProvided,
  notPaid,
} from './errors.ts';

export interface GuardedPayment {
  readonly status: string;
  readonly verified_amount_minor: number | null;
  readonly refunded_minor: number;
}

export interface GuardFacts {
  readonly order: Pick<OrderRow, 'order_number'>;
  readonly items: readonly Pick<OrderItemRow, 'id' | 'fulfilled'>[];
  readonly payments: readonly GuardedPayment[];
  /** Items with a DISPATCHED attempt. */
  readonly dispatched: readonly number[];
  /** The items the operator named. */
  readonly wanted: readonly number[];
  /** False when the request should have brought codes and brought none. */
  readonly hasCodes: boolean;
}

/**
 * The recovery guards of interface part 7, in its order, before anything is written or called. Whether a code belongs
 * to a different item is the last of them; the vault knows that. Money that went back in full counts as not paid: nothing
 * that is not out yet goes out for it.
 */
export function checkRecoveryGuards(facts: GuardFacts): AppError | undefined {
  const { order, items, wanted } = facts;
  const paid = facts.payments.filter((payment) => payment.status === 'SUCCEEDED');
  if (paid.length === 0) return notPaid(order.order_number);
  const unknown = wanted.find((id) => !items.some((item) => item.id === id));
  if (unknown !== undefined) return itemNotInOrder(unknown, order.order_number);
  const isOpen = items.some((item) => !item.fulfilled && (wanted.length === 0 || wanted.includes(item.id)));
  if (isOpen && paid.every(isGivenBack)) return moneyGivenBack(order.order_number);
  if (!facts.hasCodes) return noCodeProvided();
  const fulfilled = items.find((item) => wanted.includes(item.id) && item.fulfilled);
  if (fulfilled) return alreadyFulfilled(fulfilled.id);
  const dispatched = wanted.find((id) => facts.dispatched.includes(id));
  return dispatched === undefined ? undefined : alreadyDispatched(dispatched);
}

function isGivenBack({ refunded_minor: refunded, verified_amount_minor: verified }: GuardedPayment): boolean {
  return refunded > 0 && refunded >= (verified ?? 0);
}
