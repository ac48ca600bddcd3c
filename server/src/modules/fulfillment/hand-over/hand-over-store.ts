import type { Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

/** An item of an order that is just being paid, with what is held for it. */
export interface ItemToHandOver {
  readonly id: number;
  readonly quantity: number;
  /** Nothing was given, tried or bought for it yet. */
  readonly is_unbegun: boolean;
  /** In hex, of the codes reserved for it that may still be sold. */
  readonly code_digests: readonly string[];
}

// One statement, since a customer waits. Reserved codes change hands under the order's lock only, which the caller has.
const list = statement(
  'hand_over_list_items',
  `SELECT item.id, item.quantity,
          NOT item.fulfilled AND item.fulfillment_status = 'PENDING' AND NOT EXISTS (
            SELECT FROM partner_api_transactions AS purchase WHERE purchase.order_item_id = item.id) AS is_unbegun,
          ARRAY(SELECT encode(code_digest, 'hex') FROM vouchers
                WHERE order_item_id = item.id AND status = 'reserved' AND (expires_at IS NULL OR expires_at > now())
          ) AS code_digests
   FROM order_items AS item WHERE item.order_id = $1`,
);

export async function listItemsToHandOver(tx: Tx, orderId: number): Promise<ItemToHandOver[]> {
  return (await tx.query<ItemToHandOver>(list, [orderId])).rows;
}
