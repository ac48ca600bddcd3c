import type { Reader, Statement } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';
import type { Place } from '../../platform/jobs/rounds.ts';

// An item that is not begun has neither left PENDING nor a purchase; what is bought has a sweep of its own.
const listUnbegun = statement(
  'resume_list_unbegun_orders',
  `SELECT id, paid_at::text AS at FROM orders
   WHERE status = 'PENDING' AND paid_at <= $1 AND (paid_at, id) > ($2::timestamptz, $3::bigint) AND EXISTS (
     SELECT FROM order_items AS item
     WHERE item.order_id = orders.id AND NOT item.fulfilled AND item.fulfillment_status = 'PENDING'
       AND NOT EXISTS (SELECT FROM partner_api_transactions AS purchase WHERE purchase.order_item_id = item.id))
   ORDER BY paid_at, id LIMIT $4`,
);

// Of PENDING orders only: a letter of an order that operators have may tell a part of it, and is theirs to send.
const listUnsentLetters = statement(
  'resume_list_unsent_letters',
  `SELECT letter.id, letter.not_before::text AS at FROM orders JOIN mail_messages AS letter ON letter.order_id = orders.id
   WHERE orders.status = 'PENDING' AND orders.paid_at <= $1 AND (letter.not_before, letter.id) > ($2::timestamptz, $3::bigint)
     AND (letter.state IN ('QUEUED', 'UNKNOWN') AND letter.not_before <= $1
          OR letter.state = 'SENDING' AND letter.claimed_until <= $1)
   ORDER BY letter.not_before, letter.id LIMIT $4`,
);

export interface Waiting {
  /** They wait since a moment before this one. */
  readonly before: Date;
  readonly after: Place;
  readonly limit: number;
}

/** Orders that were paid before a moment and that fulfillment has not looked at. */
export function listUnbegunOrders(reader: Reader, waiting: Waiting): Promise<Place[]> {
  return listPlaces(reader, listUnbegun, waiting);
}

/** Letters of paid orders that should have been tried before a moment. */
export function listUnsentLetterPlaces(reader: Reader, waiting: Waiting): Promise<Place[]> {
  return listPlaces(reader, listUnsentLetters, waiting);
}

async function listPlaces(reader: Reader, query: Statement, waiting: Waiting): Promise<Place[]> {
  const { before, after, limit } = waiting;
  return (await reader.query<Place>(query, [before, after.at, after.id, limit])).rows;
}
