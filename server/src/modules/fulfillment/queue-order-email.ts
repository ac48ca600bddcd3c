import { createHash } from 'node:crypto';

import type { Tx } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { insertMessage } from '../mail/index.ts';
import type { MessageRow } from '../mail/index.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import { listAssignedVouchers } from '../vouchers/index.ts';

export interface QueueOrderEmailDeps {
  readonly box: SecretBox;
  readonly mailDomain: string;
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
  letter: { order: OrderRow; items: readonly OrderItemRow[]; recipient: string },
): Promise<MessageRow | undefined> {
  const { order, items, recipient } = letter;
  const vouchers = await listAssignedVouchers(
    tx,
    items.map((item) => item.id),
  );
  const hash = createHash('sha256');
  for (const digest of vouchers.map((voucher) => voucher.code_digest.toString('hex')).toSorted())
    hash.update(digest);
  const contentDigest = hash.digest();
  const tag = deps.box
    .digest(`${order.id}:${contentDigest.toString('hex')}`, 'mail.message_id')
    .toString('hex');
  const messageId = `<ord.${order.order_number}.${tag.slice(0, 16)}@${deps.mailDomain}>`;
  return insertMessage(tx, { kind: 'order_codes', orderId: order.id, recipient, messageId, contentDigest });
}
