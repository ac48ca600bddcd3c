import type { Reader } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';

// An item that is not begun has neither left PENDING nor a purchase; what is bought has a sweep of its own.
const listUnbegun = statement(
  'resume_list_unbegun_orders',
  `SELECT id FROM orders
   WHERE status = 'PENDING' AND paid_at <= $1 AND EXISTS (
     SELECT FROM order_items AS item
     WHERE item.order_id = orders.id AND NOT item.fulfilled AND item.fulfillment_status = 'PENDING'
       AND NOT EXISTS (SELECT FROM partner_api_transactions AS purchase WHERE purchase.order_item_id = item.id))
   ORDER BY paid_at LIMIT $2`,
);

// Of PENDING orders only: a letter of an order that operators have may tell a part of it, and is theirs to send.
const listUnsentLetters = statement(
  'resume_list_unsent_letters',
  `SELECT letter.id FROM orders JOIN mail_messages AS letter ON letter.order_id = orders.id
   WHERE orders.status = 'PENDING' AND orders.paid_at <= $1
     AND (letter.state IN ('QUEUED', 'UNKNOWN') AND letter.not_before <= $1
          OR letter.state = 'SENDING' AND letter.claimed_until <= $1)
   ORDER BY letter.not_before LIMIT $2`,
);

/** Orders that were paid before a moment and that fulfillment has not looked at. */
export async function listUnbegunOrders(reader: Reader, before: Date, limit: number): Promise<number[]> {
  return (await reader.query<{ id: number }>(listUnbegun, [before, limit])).rows.map(({ id }) => id);
}

/** Letters of paid orders that should have been tried before a moment. */
export async function listUnsentLetterIds(reader: Reader, before: Date, limit: number): Promise<number[]> {
  return (await reader.query<{ id: number }>(listUnsentLetters, [before, limit])).rows.map(({ id }) => id);
}
