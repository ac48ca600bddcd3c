import { createHash } from 'node:crypto';

import type { Tx } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import {
  insertMessage,
  insertMessageWithJob,
  listMessagesOfOrder,
  supersedeMessages,
} from '../mail/index.ts';
import type { MessageRow } from '../mail/index.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import { listAssignedVouchers } from '../vouchers/index.ts';
import { sendOrderEmailJob } from './jobs.ts';

export interface QueueOrderEmailDeps {
  readonly box: SecretBox;
  readonly mailDomain: string;
}

export interface OrderLetter {
  readonly order: OrderRow;
  readonly items: readonly OrderItemRow[];
  readonly recipient: string;
}

/**
 * Queues the order's one consolidated e-mail, with the job that sends it, in the transaction that gave it its last code.
 * The Message-ID follows from the order and the set of its codes, so a repeat after an unknown result is recognisably the
 * same letter. Nothing happens when it is queued already.
 */
export async function queueOrderEmail(
  tx: Tx,
  deps: QueueOrderEmailDeps,
  { order, items, recipient }: OrderLetter,
): Promise<void> {
  await queueFirstLetter(tx, deps, { order, recipient, digests: await listCodeDigests(tx, items) });
}

/** The same for whoever knows the codes' digests, in hex and any order. */
export async function queueFirstLetter(
  tx: Tx,
  deps: QueueOrderEmailDeps,
  letter: { readonly order: OrderRow; readonly recipient: string; readonly digests: readonly string[] },
): Promise<void> {
  const { order, recipient, digests } = letter;
  const contentDigest = digestOf(digests);
  const messageId = messageIdOf(deps, { order, contentDigest, nth: 0 });
  const message = { kind: 'order_codes', orderId: order.id, recipient, messageId, contentDigest } as const;
  await insertMessageWithJob(tx, message, sendOrderEmailJob.name);
}

/**
 * The letter an operator is about to send, with the codes the order has at this moment: one that was written with
 * exactly these and did not get through, under its own Message-ID; else a new one. Whatever else waits to be sent of the
 * order is not sent any more: it may have fewer codes, or go to an address that was wrong. In the transaction that gave
 * the order its codes, under the order's lock.
 */
export async function prepareOrderEmail(
  tx: Tx,
  deps: QueueOrderEmailDeps,
  letter: OrderLetter,
): Promise<MessageRow> {
  const message = await findOrAddLetter(tx, deps, letter);
  await supersedeMessages(tx, { orderId: letter.order.id, messageId: message.id });
  return message;
}

async function findOrAddLetter(
  tx: Tx,
  deps: QueueOrderEmailDeps,
  { order, items, recipient }: OrderLetter,
): Promise<MessageRow> {
  const [contentDigest, earlier] = await Promise.all([
    digestCodes(tx, items),
    listMessagesOfOrder(tx, order.id),
  ]);
  const unsent = earlier.findLast(
    (message) =>
      message.state !== 'SENT' &&
      message.recipient === recipient &&
      message.content_digest.equals(contentDigest),
  );
  if (unsent) return unsent;
  const kind = earlier.some((message) => message.kind === 'order_codes')
    ? 'order_codes_again'
    : 'order_codes';
  const messageId = messageIdOf(deps, { order, contentDigest, nth: earlier.length });
  const added = await insertMessage(tx, { kind, orderId: order.id, recipient, messageId, contentDigest });
  if (!added) throw new Error(`Order ${order.id} has a letter ${messageId} that its lock should have shown`);
  return added;
}

async function digestCodes(tx: Tx, items: readonly OrderItemRow[]): Promise<Buffer> {
  return digestOf(await listCodeDigests(tx, items));
}

async function listCodeDigests(tx: Tx, items: readonly OrderItemRow[]): Promise<string[]> {
  const vouchers = await listAssignedVouchers(
    tx,
    items.map((item) => item.id),
  );
  return vouchers.map((voucher) => voucher.code_digest.toString('hex'));
}

function digestOf(digests: readonly string[]): Buffer {
  const hash = createHash('sha256');
  for (const digest of digests.toSorted()) hash.update(digest);
  return hash.digest();
}

/** Receivers drop a second letter with the same one: a repeat has it, a letter that was asked for again has not. */
function messageIdOf(
  deps: QueueOrderEmailDeps,
  letter: { order: OrderRow; contentDigest: Buffer; nth: number },
): string {
  const { order, contentDigest, nth } = letter;
  const tag = deps.box
    .digest(`${order.id}:${contentDigest.toString('hex')}`, 'mail.message_id')
    .toString('hex');
  const again = nth === 0 ? '' : `.${nth}`;
  return `<ord.${order.order_number}.${tag.slice(0, 16)}${again}@${deps.mailDomain}>`;
}
