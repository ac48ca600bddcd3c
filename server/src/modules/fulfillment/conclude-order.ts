import type { Tx } from '../../platform/db/database.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { openAlert, resolveAlertsOfOrder } from '../alerts/index.ts';
import { recordEvents } from '../events/index.ts';
import { applyOrderFact, listOrderItems, lockOrder, setItemStatuses } from '../orders/index.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import { listAssignedUnitNumbers } from '../vouchers/index.ts';
import { insertAttempts, listLastFailures } from './attempt-store.ts';
import type { AttemptStatus } from './attempt-store.ts';
import { completeOrder } from './complete-order.ts';
import { sendOrderEmailJob } from './jobs.ts';
import { standingOfItem } from './purchases/standing-rules.ts';
import type { ItemStanding } from './purchases/standing-rules.ts';
import { listPurchasesOfItems } from './purchases/purchase-store.ts';
import { prepareOrderEmail, queueOrderEmail } from './queue-order-email.ts';
import type { QueueOrderEmailDeps } from './queue-order-email.ts';
import type { Random } from '../../platform/random.ts';
import type { Clock } from '../../platform/time.ts';

export interface ConcludeOrderDeps extends QueueOrderEmailDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * What follows when something about an order's items has changed: with the last item that has what it was sold the
 * letter goes out; when nothing is under way any more and something failed, an operator is told. In the transaction
 * that changed it, under the order's lock.
 */
export async function concludeOrder(
  tx: Tx,
  deps: ConcludeOrderDeps,
  { orderId, hasNewFailure }: { orderId: number; hasNewFailure: boolean },
): Promise<void> {
  const [order, items] = await Promise.all([lockOrder(tx, orderId), listOrderItems(tx, [orderId])]);
  if (!order || order.paid_at === null) return;
  if (order.status !== 'PENDING' && order.status !== 'NEEDS_ATTENTION') return;
  const standings = await readStandings(tx, items);
  const standing = (item: OrderItemRow): ItemStanding => standings.get(item.id) ?? 'unclear';
  const arrived = items.filter(
    (item) => standing(item) === 'ready' && ['PENDING', 'FAILED'].includes(item.fulfillment_status),
  );
  await setItemStatuses(
    tx,
    arrived.map(({ id }) => id),
    'PROCESSING',
  );
  const open = items.filter((item) => standing(item) !== 'fulfilled');
  if (open.length === 0) return;
  if (open.every((item) => standing(item) === 'ready')) return deliverOrder(tx, deps, { order, items });
  if (open.some((item) => standing(item) === 'in_flight')) return;
  const failed = open.filter((item) => standing(item) === 'failed');
  // An order that operators have is not reported again for what they know.
  const isNews = order.status === 'PENDING' || hasNewFailure;
  if (failed.length > 0 && isNews) await handToOperator(tx, { order, items, failed });
}

async function readStandings(tx: Tx, items: readonly OrderItemRow[]): Promise<Map<number, ItemStanding>> {
  const ids = items.map(({ id }) => id);
  const [assigned, purchases] = await Promise.all([
    listAssignedUnitNumbers(tx, ids),
    listPurchasesOfItems(tx, ids),
  ]);
  return new Map(
    items.map((item) => {
      const codes = assigned.filter((unit) => unit.order_item_id === item.id).length;
      const own = purchases.filter((purchase) => purchase.order_item_id === item.id);
      return [item.id, standingOfItem({ item, codes, purchases: own.map(({ status }) => status) })] as const;
    }),
  );
}

interface Facts {
  readonly order: OrderRow;
  readonly items: readonly OrderItemRow[];
}

/** Every item has what it was sold: the one letter is queued, or, where there is none to send, the order is done. */
export async function deliverOrder(tx: Tx, deps: ConcludeOrderDeps, { order, items }: Facts): Promise<void> {
  if (order.delivery_email === null) {
    await completeOrder(tx, deps, { order, items, attempt: 'AUTO', notes: 'automatic fulfillment' });
    return;
  }
  const letter = { order, items, recipient: order.delivery_email };
  if (order.status === 'PENDING') return queueOrderEmail(tx, deps, letter);
  // Of an order that an operator has seen, an earlier letter may have told a part.
  const message = await prepareOrderEmail(tx, deps, letter);
  await enqueue(tx, sendOrderEmailJob.of({ messageId: message.id }), { key: `mail:${message.id}` });
}

export interface FailedItems {
  readonly orderId: number;
  readonly reasons: ReadonlyMap<number, string>;
  /** PARTNER_FAILED where a partner was asked (interface part 3). */
  readonly status: Extract<AttemptStatus, 'FAILED' | 'PARTNER_FAILED'>;
  readonly correlationId: string;
}

/** Writes down that items could not be had by themselves; `concludeOrder` tells the operator. */
export async function failItems(tx: Tx, failed: FailedItems): Promise<void> {
  const { orderId, reasons, status, correlationId } = failed;
  if (reasons.size === 0) return;
  await setItemStatuses(tx, [...reasons.keys()], 'FAILED');
  await insertAttempts(
    tx,
    [...reasons].map(([itemId, reason]) => ({
      order_id: orderId,
      order_item_id: itemId,
      type: 'AUTO' as const,
      status,
      correlation_id: correlationId,
      error_message: reason,
    })),
  );
}

/** The order waits for a person: NEEDS_ATTENTION, one open alert, the fact recorded. */
async function handToOperator(
  tx: Tx,
  { order, items, failed }: Facts & { failed: readonly OrderItemRow[] },
): Promise<void> {
  const failures = await listLastFailures(
    tx,
    failed.map(({ id }) => id),
  );
  const reasons = [...new Set(failures.map(({ error_message: message }) => message))].join('; ');
  const changed = await applyOrderFact(tx, {
    orderId: order.id,
    fact: 'fulfillmentFailed',
    to: 'NEEDS_ATTENTION',
  });
  const [type, other] =
    failed.length < items.length
      ? (['fulfillment_partial', 'fulfillment_failed'] as const)
      : (['fulfillment_failed', 'fulfillment_partial'] as const);
  // Never two for one order: how much is missing may have changed since the last.
  const notes = `Replaced by ${type}: how much of the order is missing has changed`;
  if (!changed) await resolveAlertsOfOrder(tx, { orderId: order.id, types: [other], notes });
  await openAlert(tx, {
    type,
    orderId: order.id,
    cause: `order:${order.id}`,
    message: `Order ${order.order_number} is paid and not delivered: ${reasons}`,
    details: {
      correlation_id: failures[0]?.correlation_id ?? null,
      items: failed.map(({ id }) => id),
    },
  });
  if (!changed) return;
  const data = { order_id: order.id, order_number: order.order_number, reason: type };
  await recordEvents(tx, [{ type: 'order.needs_attention', stream: `order:${order.id}`, data }]);
}
