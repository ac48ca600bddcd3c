import type { Database, Tx } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { Random } from '../../platform/random.ts';
import type { Clock } from '../../platform/time.ts';
import { secondsAfter } from '../../platform/time.ts';
import { openAlert } from '../alerts/index.ts';
import { recordEvents } from '../events/index.ts';
import { applyOrderFact, listOrderItems, lockOrder, setItemStatuses } from '../orders/index.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import {
  assignReservedVouchers,
  listHeldUnitNumbers,
  releaseExpiredVouchers,
  reserveUnits,
  withStockRetries,
} from '../vouchers/index.ts';
import { insertAttempts } from './attempt-store.ts';
import { completeOrder } from './complete-order.ts';
import { sendOrderEmailJob } from './jobs.ts';
import { queueOrderEmail } from './queue-order-email.ts';
import type { QueueOrderEmailDeps } from './queue-order-email.ts';

export interface FulfillOrderDeps extends QueueOrderEmailDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Gives a paid order what it was sold, in one transaction under the order's lock: its reserved codes become its own,
 * and its one e-mail is queued. What cannot be given goes to an operator, with an alert (interface part 3).
 * Running it again changes nothing: only a paid order that is PENDING and has no e-mail queued is touched.
 */
export async function fulfillOrder(deps: FulfillOrderDeps, orderId: number): Promise<void> {
  await withStockRetries((attempt) =>
    inTransaction(deps.db, (tx) => fulfillLocked(deps, tx, { orderId, attempt })),
  );
}

async function fulfillLocked(
  deps: FulfillOrderDeps,
  tx: Tx,
  { orderId, attempt }: { orderId: number; attempt: number },
): Promise<void> {
  const [order, items] = await Promise.all([lockOrder(tx, orderId), listOrderItems(tx, [orderId])]);
  if (!order || order.paid_at === null || order.status !== 'PENDING') return;
  const open = items.filter((item) => !item.fulfilled && item.fulfillment_status === 'PENDING');
  if (open.length === 0) return;
  const failures = new Map<number, string>();
  for (const item of open.filter(({ engine }) => engine === 'PARTNER')) {
    failures.set(item.id, 'No partner source is configured for this variant');
  }
  const preloaded = open.filter(({ engine }) => engine === 'PRELOADED');
  for (const [itemId, reason] of await holdMissingUnits(deps, tx, { order, items: preloaded, attempt })) {
    failures.set(itemId, reason);
  }
  const ready = preloaded.filter(({ id }) => !failures.has(id)).map(({ id }) => id);
  // Also the part of an item that could be had: it is paid for, and the operator adds what is missing.
  const held = preloaded.map(({ id }) => id);
  await Promise.all([assignReservedVouchers(tx, held), setItemStatuses(tx, ready, 'PROCESSING')]);
  if (failures.size > 0) await handToOperator(deps, tx, { order, items, failures });
  else await sendOrComplete(deps, tx, { order, items });
}

/** Units held since the order was created are there; those of an order paid after its time are taken anew. */
async function holdMissingUnits(
  deps: FulfillOrderDeps,
  tx: Tx,
  { order, items, attempt }: { order: OrderRow; items: readonly OrderItemRow[]; attempt: number },
): Promise<Map<number, string>> {
  const failures = new Map<number, string>();
  if (items.length === 0) return failures;
  const ids = items.map(({ id }) => id);
  // In one packet; the second sees what the first did.
  const [, held] = await Promise.all([releaseExpiredVouchers(tx, order.id), listHeldUnitNumbers(tx, ids)]);
  for (const item of items) {
    const own = new Set(held.filter((unit) => unit.order_item_id === item.id).map((unit) => unit.unit_no));
    const unitNumbers = Array.from({ length: item.quantity }, (_, index) => index + 1).filter(
      (n) => !own.has(n),
    );
    if (unitNumbers.length === 0) continue;
    const wanted = [{ orderItemId: item.id, variantId: item.variant_id, unitNumbers }];
    const until = secondsAfter(deps.clock.now(), 3600);
    const reservation = await reserveUnits(tx, wanted, { until, attempt });
    if (reservation.kind === 'short')
      failures.set(item.id, `Insufficient stock for variant ${item.variant_id}`);
  }
  return failures;
}

async function sendOrComplete(
  deps: FulfillOrderDeps,
  tx: Tx,
  { order, items }: { order: OrderRow; items: readonly OrderItemRow[] },
): Promise<void> {
  if (order.delivery_email === null) {
    await completeOrder(tx, deps, { order, items, attempt: 'AUTO', notes: 'automatic fulfillment' });
    return;
  }
  const message = await queueOrderEmail(tx, deps, { order, items, recipient: order.delivery_email });
  if (message)
    await enqueue(tx, sendOrderEmailJob.of({ messageId: message.id }), { key: `mail:${message.id}` });
}

async function handToOperator(
  deps: FulfillOrderDeps,
  tx: Tx,
  facts: { order: OrderRow; items: readonly OrderItemRow[]; failures: ReadonlyMap<number, string> },
): Promise<void> {
  const { order, items, failures } = facts;
  const correlationId = deps.random.uuid();
  const isPartial = failures.size < items.length;
  const reasons = [...failures.values()].join('; ');
  await setItemStatuses(tx, [...failures.keys()], 'FAILED');
  await applyOrderFact(tx, { orderId: order.id, fact: 'fulfillmentFailed', to: 'NEEDS_ATTENTION' });
  await Promise.all([
    insertAttempts(
      tx,
      [...failures].map(([itemId, reason]) => ({
        order_id: order.id,
        order_item_id: itemId,
        type: 'AUTO' as const,
        status: 'FAILED' as const,
        correlation_id: correlationId,
        error_message: reason,
      })),
    ),
    openAlert(tx, {
      type: isPartial ? 'fulfillment_partial' : 'fulfillment_failed',
      orderId: order.id,
      cause: `order:${order.id}`,
      message: `Order ${order.order_number} is paid and not delivered: ${reasons}`,
      details: { correlation_id: correlationId, items: [...failures.keys()] },
    }),
    recordEvents(tx, [
      {
        type: 'order.needs_attention',
        stream: `order:${order.id}`,
        data: { order_id: order.id, order_number: order.order_number, reason: reasons },
      },
    ]),
  ]);
}
