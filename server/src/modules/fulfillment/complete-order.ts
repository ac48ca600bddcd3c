import type { Tx } from '../../platform/db/database.ts';
import type { Random } from '../../platform/random.ts';
import type { Clock } from '../../platform/time.ts';
import { resolveAlertsOfOrder } from '../alerts/index.ts';
import { recordEvents } from '../events/index.ts';
import { applyOrderFact, markItemsFulfilled, markOrderDispatched } from '../orders/index.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import { insertAttempts } from './attempt-store.ts';
import type { AttemptType } from './attempt-store.ts';

export interface Completion {
  readonly order: OrderRow;
  readonly items: readonly OrderItemRow[];
  /** Where the consolidated e-mail was accepted; absent for an order that needs none. */
  readonly dispatchedEmail?: string;
  readonly attempt: AttemptType;
  readonly notes: string;
}

/**
 * The order has everything it was sold and its owner was told: items fulfilled, order SUCCEEDED, attempts mirrored,
 * alerts resolved, the fact recorded. In the transaction that knows it, under the order's lock.
 */
export async function completeOrder(
  tx: Tx,
  deps: { readonly clock: Clock; readonly random: Random },
  completion: Completion,
): Promise<void> {
  const { order, items, dispatchedEmail, attempt } = completion;
  const at = deps.clock.now();
  const correlationId = deps.random.uuid();
  const open = items.filter((item) => !item.fulfilled).map((item) => item.id);
  const delivered = { order_id: order.id, order_number: order.order_number, items: items.length };
  await Promise.all([
    markItemsFulfilled(tx, open, at),
    ...(dispatchedEmail ? [markOrderDispatched(tx, { orderId: order.id, email: dispatchedEmail, at })] : []),
    applyOrderFact(tx, { orderId: order.id, fact: 'delivered', to: 'SUCCEEDED' }),
    insertAttempts(
      tx,
      open.map((itemId) => ({
        order_id: order.id,
        order_item_id: itemId,
        type: attempt,
        status: 'SUCCESS' as const,
        correlation_id: correlationId,
        error_message: null,
      })),
    ),
    recordEvents(tx, [
      {
        type: 'fulfillment.attempted',
        stream: `order:${order.id}`,
        data: { ...delivered, type: attempt, status: 'SUCCESS' },
      },
      { type: 'order.fulfilled', stream: `order:${order.id}`, data: delivered },
    ]),
    resolveAlertsOfOrder(tx, {
      orderId: order.id,
      types: ['fulfillment_failed', 'fulfillment_partial'],
      notes: `Resolved by ${completion.notes}, correlation id ${correlationId}`,
    }),
  ]);
}
