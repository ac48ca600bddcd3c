import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';
import { settleDiscountUse } from '../discounts/index.ts';
import { orderStates } from './order-states.ts';
import type { OrderFact, OrderStatus } from './order-states.ts';
import type { OrderItemRow, OrderRow } from './order-store.ts';

const setStatus = statement(
  'orders_set_status',
  'UPDATE orders SET status = $2 WHERE id = $1 AND status = ANY ($3) RETURNING *',
);

/**
 * The one way an order's status changes: the fact and the state table decide, the UPDATE is guarded by the states
 * the fact may leave.
 *
 * @returns the order after the change, or undefined when the fact changes nothing in its present state.
 */
export async function applyOrderFact(
  tx: Tx,
  change: { orderId: number; fact: OrderFact; to: OrderStatus },
): Promise<OrderRow | undefined> {
  const { orderId, fact, to } = change;
  return (await tx.query<OrderRow>(setStatus, [orderId, to, orderStates.sources(fact, to)])).rows[0];
}

const setPaid = statement(
  'orders_set_paid',
  `UPDATE orders SET paid_at = $2, held_until = NULL, status = CASE WHEN status = ANY ($3) THEN 'PENDING' ELSE status END
   WHERE id = $1 AND paid_at IS NULL RETURNING *`,
);

/**
 * The money is there: the order is PENDING ('Payment received') until it is delivered, and its discount use is final,
 * whatever became of it meanwhile. No row when it was paid before.
 */
export async function markOrderPaid(tx: Tx, orderId: number, at: Date): Promise<OrderRow | undefined> {
  const from = orderStates.sources('paymentSucceeded', 'PENDING');
  const order = (await tx.query<OrderRow>(setPaid, [orderId, at, from])).rows[0];
  if (order && order.discount_code !== null) await settleDiscountUse(tx, orderId, at);
  return order;
}

const setSessionOpened = statement(
  'orders_set_session_opened',
  `UPDATE orders SET status = 'PENDING'
   WHERE id = $1 AND paid_at IS NULL AND held_until IS NOT NULL AND status = ANY ($2)`,
);

/**
 * A payment page is open. Changes nothing when the order is waiting already, was paid, or was cancelled while the
 * gateway made the page: without a hold nothing would ever end its waiting.
 */
export async function markSessionOpened(tx: Tx, orderId: number): Promise<void> {
  await tx.query(setSessionOpened, [orderId, orderStates.sources('sessionOpened', 'PENDING')]);
}

const setHold = statement(
  'orders_set_hold',
  'UPDATE orders SET held_until = $2, payment_method = COALESCE($3, payment_method) WHERE id = $1',
);

/** Until when units and discount use are held; null when they went back. */
export async function setOrderHold(
  tx: Tx,
  hold: { orderId: number; until: Date | null; paymentMethod: string | null },
): Promise<void> {
  await tx.query(setHold, [hold.orderId, hold.until, hold.paymentMethod]);
}

const setItemStatus = statement(
  'orders_set_item_status',
  `UPDATE order_items SET fulfillment_status = $2 WHERE id = ANY ($1) AND NOT fulfilled`,
);

export async function setItemStatuses(
  tx: Tx,
  itemIds: readonly number[],
  status: Exclude<OrderItemRow['fulfillment_status'], 'SUCCEEDED'>,
): Promise<void> {
  if (itemIds.length > 0) await tx.query(setItemStatus, [itemIds, status]);
}

const setItemsBegun = statement(
  'orders_set_items_begun',
  `UPDATE order_items SET fulfillment_status = 'PROCESSING'
   WHERE order_id = $1 AND NOT fulfilled AND fulfillment_status = 'PENDING'`,
);

/** Every item of an order has what it was sold, and its letter is on the way. */
export async function markItemsBegun(tx: Tx, orderId: number): Promise<void> {
  await tx.query(setItemsBegun, [orderId]);
}

const setItemsFulfilled = statement(
  'orders_set_items_fulfilled',
  `UPDATE order_items SET fulfilled = true, fulfilled_at = $2, fulfillment_status = 'SUCCEEDED'
   WHERE id = ANY ($1) AND NOT fulfilled`,
);

export async function markItemsFulfilled(tx: Tx, itemIds: readonly number[], at: Date): Promise<void> {
  if (itemIds.length > 0) await tx.query(setItemsFulfilled, [itemIds, at]);
}

const setDispatched = statement(
  'orders_set_dispatched',
  'UPDATE orders SET dispatched_email = $2, email_sent_at = $3 WHERE id = $1',
);

/** The consolidated e-mail was accepted by the mail server. */
export async function markOrderDispatched(
  tx: Tx,
  dispatch: { orderId: number; email: string; at: Date },
): Promise<void> {
  await tx.query(setDispatched, [dispatch.orderId, dispatch.email, dispatch.at]);
}

const setDelivery = statement(
  'orders_set_delivery_email',
  'UPDATE orders SET delivery_email = $2 WHERE id = $1',
);

/** The address the codes go to from now on; what the customer asked for stays in `recipient_email`. */
export async function setDeliveryEmail(tx: Tx, orderId: number, email: string): Promise<void> {
  await tx.query(setDelivery, [orderId, email]);
}
