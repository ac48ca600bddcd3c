import { AppError } from '../../../platform/errors.ts';
import type { OrderStatus } from '../../orders/index.ts';

export type StatusChange = 'unchanged' | 'ask_attention' | 'cancel';

/**
 * What an operator may do to an order's status (decisions 4.15): NEEDS_ATTENTION from any paid state, CANCELLED from
 * an unpaid one.
 */
export function planStatusChange(
  order: { readonly status: OrderStatus; readonly isPaid: boolean; readonly holdsUnits: boolean },
  to: OrderStatus,
): StatusChange | AppError {
  if (to === 'NEEDS_ATTENTION') {
    if (!order.isPaid) return new AppError('BAD_REQUEST', 'Only a paid order can be set to NEEDS_ATTENTION');
    return order.status === 'NEEDS_ATTENTION' ? 'unchanged' : 'ask_attention';
  }
  if (to === 'CANCELLED') {
    if (order.isPaid)
      return new AppError('BAD_REQUEST', 'A paid order cannot be cancelled: refund its payment');
    return order.status === 'CANCELLED' && !order.holdsUnits ? 'unchanged' : 'cancel';
  }
  return new AppError('BAD_REQUEST', `An operator sets NEEDS_ATTENTION or CANCELLED, not ${to}`);
}
