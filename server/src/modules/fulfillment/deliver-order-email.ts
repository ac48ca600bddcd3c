import type { Database, Tx } from '../../platform/db/database.ts';
import { inOneStatement, inTransaction, readTogether } from '../../platform/db/database.ts';
import { outlastOutage } from '../../platform/db/outage.ts';
import type { Logger } from '../../platform/log.ts';
import type { Random } from '../../platform/random.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Clock } from '../../platform/time.ts';
import {
  claimMessage,
  giveBackDeadClaim,
  markMessageSent,
  markMessageTransmitting,
  markMessageUnsent,
} from '../mail/index.ts';
import type { Delivery, Letter, Mailer, MessageRow } from '../mail/index.ts';
import { findOrder, listOrderItems, lockOrder } from '../orders/index.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import { listVouchersOfOrder, openVoucher } from '../vouchers/index.ts';
import { isToldInEmail } from './item-rules.ts';
import { writeOrderEmail } from './order-email.ts';

export interface DeliverOrderEmailDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly box: SecretBox;
  readonly mailer: Mailer;
}

/** What became of a letter, with its order under lock, in the transaction that writes it down. */
export interface EmailSettlement {
  readonly order: OrderRow;
  readonly items: readonly OrderItemRow[];
  /** As it is after the delivery: `not_before` says when an unsent one may be tried again. */
  readonly message: MessageRow;
  readonly delivery: Delivery;
}

export interface EmailToDeliver<Settled> {
  readonly messageId: number;
  /** An operator waits: neither the pause after a failure nor an earlier refusal stands in the way. */
  readonly isUrgent?: boolean;
  /** Everything that follows from the result. It is committed with the result, or neither is. */
  readonly settle: (tx: Tx, settlement: EmailSettlement) => Promise<Settled>;
}

/** Longer than the slowest delivery the mailer allows. */
const CLAIM_SECONDS = 30;
/** How long to wait before a letter is sent again whose acceptance nobody knows: the same letter, the same Message-ID. */
const UNKNOWN_WAIT_SECONDS = 300;
const MAX_WAIT_SECONDS = 60;

/**
 * Takes one stored letter to the mail server (reliability protocol): claim and commit before connecting, mark before
 * the text goes out, write the result down in one transaction. The worker and the operators' recovery both come
 * through here, so a letter is never under way twice.
 *
 * @returns undefined when somebody else has it or it is not due, and when the claim was lost meanwhile.
 */
export async function deliverOrderEmail<Settled>(
  deps: DeliverOrderEmailDeps,
  { messageId, isUrgent = false, settle }: EmailToDeliver<Settled>,
): Promise<Settled | undefined> {
  const token = deps.random.uuid();
  const message = await claim(deps, { id: messageId, token, leaseSeconds: CLAIM_SECONDS, isUrgent });
  if (!message) return undefined;
  const letter = await writeLetter(deps, message);
  const delivery = await deps.mailer.deliver(letter, () =>
    inOneStatement(deps.db, (tx) => markMessageTransmitting(tx, { id: messageId, token })),
  );
  const writeDown = (): Promise<Settled | undefined> =>
    inTransaction(deps.db, async (tx) => {
      const orderId = message.order_id ?? 0;
      // The order's lock first; the others do not need its answer and leave with it.
      const [order, items, settled] = await Promise.all([
        lockOrder(tx, orderId),
        listOrderItems(tx, [orderId]),
        writeResult(deps, tx, { message, token, delivery }),
      ]);
      if (!order) throw new Error(`Message ${message.id} has no order`);
      return settled ? settle(tx, { order, items, message: settled, delivery }) : undefined;
    });
  // A letter whose acceptance nobody wrote down is sent a second time.
  return outlastOutage(writeDown);
}

/** Also a letter whose sender has died: that is looked for only when it cannot be had. */
async function claim(
  deps: DeliverOrderEmailDeps,
  wanted: Parameters<typeof claimMessage>[1],
): Promise<MessageRow | undefined> {
  const message = await inOneStatement(deps.db, (tx) => claimMessage(tx, wanted));
  if (message) return message;
  const freed = await inOneStatement(deps.db, (tx) => giveBackDeadClaim(tx, wanted.id, UNKNOWN_WAIT_SECONDS));
  return freed ? inOneStatement(deps.db, (tx) => claimMessage(tx, wanted)) : undefined;
}

async function writeLetter(deps: DeliverOrderEmailDeps, message: MessageRow): Promise<Letter> {
  const orderId = message.order_id ?? 0;
  const [order, items, rows] = await readTogether(deps.db, (reader) =>
    Promise.all([
      findOrder(reader, orderId),
      listOrderItems(reader, [orderId]),
      listVouchersOfOrder(reader, orderId),
    ]),
  );
  if (!order) throw new Error(`Message ${message.id} has no order`);
  const vouchers = rows.map((row) => openVoucher(deps.box, row));
  const told = items.filter((item) =>
    isToldInEmail(item, vouchers.filter((voucher) => voucher.orderItemId === item.id).length),
  );
  return {
    ...writeOrderEmail({ order, items: told, vouchers }),
    to: message.recipient,
    messageId: message.message_id,
  };
}

/** @returns undefined when the claim was lost: whoever has it now writes the result. */
async function writeResult(
  deps: DeliverOrderEmailDeps,
  tx: Tx,
  sending: { message: MessageRow; token: string; delivery: Delivery },
): Promise<MessageRow | undefined> {
  const { message, token, delivery } = sending;
  const result = { id: message.id, token, reply: delivery.reply };
  if (delivery.kind === 'accepted') return markMessageSent(tx, { ...result, at: deps.clock.now() });
  const states = { rejected: 'REJECTED', not_sent: 'QUEUED', unknown: 'UNKNOWN' } as const;
  const state = states[delivery.kind];
  const waitSeconds =
    state === 'UNKNOWN' ? UNKNOWN_WAIT_SECONDS : Math.min(2 ** message.attempts, MAX_WAIT_SECONDS);
  const facts = { messageId: message.id, orderId: message.order_id, state, attempts: message.attempts };
  deps.log.warn(facts, 'e-mail not delivered');
  return markMessageUnsent(tx, { ...result, state, waitSeconds });
}
