import { createHash } from 'node:crypto';

import type { Tx } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { insertMessage, listMessagesOfOrder, supersedeMessages } from '../mail/index.ts';
import type { MessageRow } from '../mail/index.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import { listAssignedVouchers } from '../vouchers/index.ts';

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
 * Queues the order's one consolidated e-mail in the transaction that gave it its last code. The Message-ID follows
 * from the order and the set of its codes, so a repeat after an unknown result is recognisably the same letter.
 *
 * @returns undefined when it is queued already.
 */
export async function queueOrderEmail(
  tx: Tx,
  deps: QueueOrderEmailDeps,
  { order, items, recipient }: OrderLetter,
): Promise<MessageRow | undefined> {
  const contentDigest = await digestCodes(tx, items);
  const messageId = messageIdOf(deps, { order, contentDigest, nth: 0 });
  return insertMessage(tx, { kind: 'order_codes', orderId: order.id, recipient, messageId, contentDigest });
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
  const vouchers = await listAssignedVouchers(
    tx,
    items.map((item) => item.id),
  );
  const hash = createHash('sha256');
  for (const digest of vouchers.map((voucher) => voucher.code_digest.toString('hex')).toSorted())
    hash.update(digest);
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
