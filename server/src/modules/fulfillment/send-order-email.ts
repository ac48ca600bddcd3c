import type { Tx } from '../../platform/db/database.ts';
import { commitWith, inOneStatement } from '../../platform/db/database.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { Random } from '../../platform/random.ts';
import { openAlert } from '../alerts/index.ts';
import { recordEvents } from '../events/index.ts';
import { findMessage } from '../mail/index.ts';
import { applyOrderFact, setItemStatuses } from '../orders/index.ts';
import { insertAttempts } from './attempt-store.ts';
import { completeOrder } from './complete-order.ts';
import { deliverOrderEmail } from './deliver-order-email.ts';
import type { DeliverOrderEmailDeps, EmailSettlement } from './deliver-order-email.ts';
import { sendOrderEmailJob } from './jobs.ts';

/**
 * Sends one queued letter. A letter that certainly did not go out is tried again until it does; one whose acceptance
 * is unknown is repeated once the wait is over, recognisably the same.
 */
export async function sendOrderEmail(deps: DeliverOrderEmailDeps, messageId: number): Promise<void> {
  const isSettled = await deliverOrderEmail(deps, {
    messageId,
    settle: (tx, settlement) => settleDelivery(deps, tx, settlement),
  });
  if (!isSettled) await comeBackLater(deps, messageId);
}

/** Somebody else holds it, or it is not due: the job returns when that may have changed. */
async function comeBackLater(deps: DeliverOrderEmailDeps, messageId: number): Promise<void> {
  const message = await findMessage(deps.db, messageId);
  if (!message || message.state === 'SENT' || message.state === 'REJECTED') return;
  const runAt =
    message.state === 'SENDING' && message.claimed_until ? message.claimed_until : message.not_before;
  await inOneStatement(deps.db, (tx) =>
    enqueue(tx, sendOrderEmailJob.of({ messageId }), { runAt, key: `mail:${messageId}` }),
  );
}

async function settleDelivery(
  deps: DeliverOrderEmailDeps,
  tx: Tx,
  settlement: EmailSettlement,
): Promise<true> {
  const { order, items, message, delivery } = settlement;
  if (delivery.kind === 'accepted') {
    const notes = 'the consolidated e-mail';
    const dispatchedEmail = message.recipient;
    const complete = () => completeOrder(tx, deps, { order, items, dispatchedEmail, attempt: 'AUTO', notes });
    await (order.status === 'PENDING' ? commitWith(tx, complete) : complete());
  } else if (delivery.kind === 'rejected') {
    await handRejectedToOperator(tx, deps, settlement);
  } else {
    const job = sendOrderEmailJob.of({ messageId: message.id });
    await enqueue(tx, job, { runAt: message.not_before, key: `mail:${message.id}` });
  }
  return true;
}

/** The mail server will not take it, however often it is asked: an operator must see to it. */
export async function handRejectedToOperator(
  tx: Tx,
  deps: { readonly random: Random },
  { order, items, delivery }: EmailSettlement,
): Promise<void> {
  const orderId = order.id;
  const correlationId = deps.random.uuid();
  const open = items.filter((item) => !item.fulfilled).map((item) => item.id);
  await setItemStatuses(tx, open, 'DISPATCH_FAILED');
  const changed = await applyOrderFact(tx, { orderId, fact: 'fulfillmentFailed', to: 'NEEDS_ATTENTION' });
  await insertAttempts(
    tx,
    open.map((itemId) => ({
      order_id: orderId,
      order_item_id: itemId,
      type: 'AUTO' as const,
      status: 'DISPATCH_FAILED' as const,
      correlation_id: correlationId,
      error_message: `The mail server refused the e-mail: ${delivery.reply}`.slice(0, 500),
    })),
  );
  await openAlert(tx, {
    type: 'fulfillment_failed',
    orderId,
    cause: `order:${orderId}`,
    message: `Order ${order.order_number} is paid, its codes are stored, its e-mail was refused: correct the address and resend`,
    details: { correlation_id: correlationId, smtp_reply: delivery.reply },
  });
  if (!changed) return;
  const data = { order_id: orderId, order_number: order.order_number, reason: 'fulfillment_failed' };
  await recordEvents(tx, [{ type: 'order.needs_attention', stream: `order:${orderId}`, data }]);
}
