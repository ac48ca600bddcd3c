import type { Database, Tx } from '../../platform/db/database.ts';
import { inOneStatement, inTransaction } from '../../platform/db/database.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { Logger } from '../../platform/log.ts';
import type { Random } from '../../platform/random.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { secondsAfter } from '../../platform/time.ts';
import type { Clock } from '../../platform/time.ts';
import { openAlert } from '../alerts/index.ts';
import {
  claimMessage,
  findMessage,
  giveBackDeadClaim,
  markMessageSent,
  markMessageTransmitting,
  markMessageUnsent,
} from '../mail/index.ts';
import type { Delivery, Mailer, MessageRow } from '../mail/index.ts';
import { applyOrderFact, findOrder, listOrderItems, lockOrder, setItemStatuses } from '../orders/index.ts';
import { listAssignedVouchers, openVoucher } from '../vouchers/index.ts';
import { insertAttempts } from './attempt-store.ts';
import { completeOrder } from './complete-order.ts';
import { sendOrderEmailJob } from './jobs.ts';
import { writeOrderEmail } from './order-email.ts';

export interface SendOrderEmailDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly box: SecretBox;
  readonly mailer: Mailer;
}

/** Longer than the slowest delivery the mailer allows. */
const CLAIM_SECONDS = 30;
/** How long to wait before a letter is sent again whose acceptance nobody knows: the same letter, the same Message-ID. */
const UNKNOWN_WAIT_SECONDS = 300;
const MAX_WAIT_SECONDS = 60;
/** When a claim that has sent nothing yet may be taken over; the statement says the same. */
const TAKE_OVER_SECONDS = 3;

/**
 * Sends one queued letter (reliability protocol: claim and commit before connecting, mark before the text goes out,
 * settle in one transaction). A letter that certainly did not go out is tried again until it does; one whose
 * acceptance is unknown is repeated once the wait is over, recognisably the same.
 */
export async function sendOrderEmail(deps: SendOrderEmailDeps, messageId: number): Promise<void> {
  const token = deps.random.uuid();
  await inOneStatement(deps.db, (tx) => giveBackDeadClaim(tx, messageId, UNKNOWN_WAIT_SECONDS));
  const claim = { id: messageId, token, leaseSeconds: CLAIM_SECONDS };
  const message = await inOneStatement(deps.db, (tx) => claimMessage(tx, claim));
  if (!message) return comeBackLater(deps, messageId);
  const letter = await writeLetter(deps, message);
  const delivery = await deps.mailer.deliver(letter, () =>
    inOneStatement(deps.db, (tx) => markMessageTransmitting(tx, { id: messageId, token })),
  );
  await inTransaction(deps.db, (tx) => settleDelivery(deps, tx, { message, token, delivery }));
}

/** Somebody else holds it, or it is not due: the job returns when that may have changed. */
async function comeBackLater(deps: SendOrderEmailDeps, messageId: number): Promise<void> {
  const message = await findMessage(deps.db, messageId);
  if (!message || message.state === 'SENT' || message.state === 'REJECTED') return;
  const runAt = nextTryAt(deps.clock, message);
  await inOneStatement(deps.db, (tx) =>
    enqueue(tx, sendOrderEmailJob.of({ messageId }), { runAt, key: `mail:${messageId}` }),
  );
}

function nextTryAt(clock: Clock, message: MessageRow): Date {
  if (message.state !== 'SENDING' || !message.claimed_until) return message.not_before;
  return message.transmitting ? message.claimed_until : secondsAfter(clock.now(), TAKE_OVER_SECONDS);
}

async function writeLetter(deps: SendOrderEmailDeps, message: MessageRow) {
  const orderId = message.order_id ?? 0;
  const [order, items] = await Promise.all([findOrder(deps.db, orderId), listOrderItems(deps.db, [orderId])]);
  if (!order) throw new Error(`Message ${message.id} has no order`);
  const rows = await listAssignedVouchers(
    deps.db,
    items.map((item) => item.id),
  );
  const vouchers = rows.map((row) => openVoucher(deps.box, row));
  return {
    ...writeOrderEmail({ order, items, vouchers }),
    to: message.recipient,
    messageId: message.message_id,
  };
}

interface Sending {
  readonly message: MessageRow;
  readonly token: string;
  readonly delivery: Delivery;
}

async function settleDelivery(deps: SendOrderEmailDeps, tx: Tx, sending: Sending): Promise<void> {
  const { message, token, delivery } = sending;
  const orderId = message.order_id ?? 0;
  const [order, items] = await Promise.all([lockOrder(tx, orderId), listOrderItems(tx, [orderId])]);
  if (!order) throw new Error(`Message ${message.id} has no order`);
  if (delivery.kind === 'accepted') {
    const sent = await markMessageSent(tx, {
      id: message.id,
      token,
      at: deps.clock.now(),
      reply: delivery.reply,
    });
    if (!sent) return;
    const notes = 'the consolidated e-mail';
    await completeOrder(tx, deps, {
      order,
      items,
      dispatchedEmail: message.recipient,
      attempt: 'AUTO',
      notes,
    });
    return;
  }
  const states = { rejected: 'REJECTED', not_sent: 'QUEUED', unknown: 'UNKNOWN' } as const;
  const state = states[delivery.kind];
  const waitSeconds =
    state === 'UNKNOWN' ? UNKNOWN_WAIT_SECONDS : Math.min(2 ** message.attempts, MAX_WAIT_SECONDS);
  const unsent = await markMessageUnsent(tx, {
    id: message.id,
    token,
    state,
    reply: delivery.reply,
    waitSeconds,
  });
  if (!unsent) return;
  deps.log.warn(
    { messageId: message.id, orderId, state, attempts: message.attempts },
    'e-mail not delivered',
  );
  if (state === 'REJECTED') {
    await handRejectedToOperator(deps, tx, {
      orderId,
      orderNumber: order.order_number,
      items,
      reply: delivery.reply,
    });
    return;
  }
  const runAt = secondsAfter(deps.clock.now(), waitSeconds);
  await enqueue(tx, sendOrderEmailJob.of({ messageId: message.id }), { runAt, key: `mail:${message.id}` });
}

async function handRejectedToOperator(
  deps: SendOrderEmailDeps,
  tx: Tx,
  rejection: {
    orderId: number;
    orderNumber: string;
    items: readonly { id: number; fulfilled: boolean }[];
    reply: string;
  },
): Promise<void> {
  const { orderId, orderNumber, items, reply } = rejection;
  const correlationId = deps.random.uuid();
  const open = items.filter((item) => !item.fulfilled).map((item) => item.id);
  await setItemStatuses(tx, open, 'DISPATCH_FAILED');
  await applyOrderFact(tx, { orderId, fact: 'fulfillmentFailed', to: 'NEEDS_ATTENTION' });
  await insertAttempts(
    tx,
    open.map((itemId) => ({
      order_id: orderId,
      order_item_id: itemId,
      type: 'AUTO' as const,
      status: 'DISPATCH_FAILED' as const,
      correlation_id: correlationId,
      error_message: `The mail server refused the e-mail: ${reply}`.slice(0, 500),
    })),
  );
  await openAlert(tx, {
    type: 'fulfillment_failed',
    orderId,
    cause: `order:${orderId}`,
    message: `Order ${orderNumber} is paid, its codes are stored, its e-mail was refused: correct the address and resend`,
    details: { correlation_id: correlationId, smtp_reply: reply },
  });
}
