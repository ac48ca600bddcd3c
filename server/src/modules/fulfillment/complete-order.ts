import type { Tx } from '../../platform/db/database.ts';
import type { Random } from '../../platform/random.ts';
import type { Clock } from '../../platform/time.ts';
import { resolveAlertsOfOrder } from '../alerts/index.ts';
import { recordEvents } from '../events/index.ts';
import type { NewEvent } from '../events/index.ts';
import { applyOrderFact, markItemsFulfilled, markOrderDispatched } from '../orders/index.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import { insertAttempts } from './attempt-store.ts';
import type { AttemptType } from './attempt-store.ts';

export interface ItemsDelivered {
  readonly order: OrderRow;
  /** All items of the order. */
  readonly items: readonly OrderItemRow[];
  /** Those that have what they were sold. */
  readonly delivered: readonly number[];
  /** Where the consolidated e-mail was accepted; absent for an order that needs none. */
  readonly dispatchedEmail?: string;
  readonly correlationId: string;
  /** What delivered them, for the alerts this resolves. */
  readonly notes: string;
  /** What else is to be recorded. */
  readonly events?: readonly NewEvent[];
}

/**
 * Items have what they were sold and their owner was told: they are fulfilled. With the last of them the order is
 * SUCCEEDED, its alerts are resolved and the fact is recorded. In the transaction that knows it, under the order's
 * lock; all of it leaves in one packet.
 *
 * @returns whether every item of the order is fulfilled now.
 */
export async function markDelivered(
  tx: Tx,
  deps: { readonly clock: Clock },
  facts: ItemsDelivered,
): Promise<boolean> {
  const { order, items, dispatchedEmail, events = [] } = facts;
  const at = deps.clock.now();
  const delivered = new Set(facts.delivered);
  const isComplete = items.every((item) => item.fulfilled || delivered.has(item.id));
  const data = { order_id: order.id, order_number: order.order_number, items: items.length };
  const fulfilled = { type: 'order.fulfilled', stream: `order:${order.id}`, data } as const;
  // Sending the letter of a delivered order once more is no new delivery.
  const isNews = isComplete && order.status !== 'SUCCEEDED';
  await Promise.all([
    markItemsFulfilled(tx, facts.delivered, at),
    ...(dispatchedEmail ? [markOrderDispatched(tx, { orderId: order.id, email: dispatchedEmail, at })] : []),
    ...(isComplete ? [applyOrderFact(tx, { orderId: order.id, fact: 'delivered', to: 'SUCCEEDED' })] : []),
    recordEvents(tx, isNews ? [...events, fulfilled] : events),
    ...(isComplete ? [resolveAlerts(tx, facts)] : []),
  ]);
  return isComplete;
}

async function resolveAlerts(tx: Tx, { order, notes, correlationId }: ItemsDelivered): Promise<void> {
  // An order that nobody had to look at has none.
  if (order.status === 'PENDING') return;
  await resolveAlertsOfOrder(tx, {
    orderId: order.id,
    types: ['fulfillment_failed', 'fulfillment_partial'],
    notes: `Resolved by ${notes}, correlation id ${correlationId}`,
  });
}

export interface Completion {
  readonly order: OrderRow;
  readonly items: readonly OrderItemRow[];
  readonly dispatchedEmail?: string;
  readonly attempt: AttemptType;
  readonly notes: string;
}

/**
 * The order has everything it was sold, by itself: what `markDelivered` does, with the attempts mirrored. Of an order that
 * is PENDING all of it leaves at once, so that the COMMIT may go along.
 */
export async function completeOrder(
  tx: Tx,
  deps: { readonly clock: Clock; readonly random: Random },
  completion: Completion,
): Promise<void> {
  const { attempt, ...facts } = completion;
  const { order, items } = facts;
  const correlationId = deps.random.uuid();
  const open = items.filter((item) => !item.fulfilled).map((item) => item.id);
  const data = {
    order_id: order.id,
    order_number: order.order_number,
    items: items.length,
    type: attempt,
    status: 'SUCCESS',
  };
  const attempted = { type: 'fulfillment.attempted', stream: `order:${order.id}`, data } as const;
  await Promise.all([
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
    markDelivered(tx, deps, { ...facts, delivered: open, correlationId, events: [attempted] }),
  ]);
}
