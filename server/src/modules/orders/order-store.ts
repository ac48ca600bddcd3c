import type { Reader, Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';
import type { Place } from '../../platform/jobs/rounds.ts';
import type { OrderStatus } from './order-states.ts';

export interface OrderRow {
  readonly id: number;
  readonly order_number: string;
  readonly user_id: number;
  readonly status: OrderStatus;
  readonly currency: string;
  readonly subtotal_minor: number;
  readonly discount_minor: number;
  readonly total_minor: number;
  readonly discount_code: string | null;
  readonly payment_method: string | null;
  readonly recipient_email: string | null;
  readonly delivery_email: string | null;
  readonly paid_at: Date | null;
  readonly held_until: Date | null;
  readonly dispatched_email: string | null;
  readonly email_sent_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface OrderItemRow {
  readonly id: number;
  readonly order_id: number;
  readonly position: number;
  readonly variant_id: number;
  readonly quantity: number;
  readonly unit_price_minor: number;
  /** Its part of the order's discount. */
  readonly discount_minor: number;
  readonly product_name: string;
  readonly variant_name: string;
  readonly engine: 'PRELOADED' | 'PARTNER';
  readonly mode: 'CODE' | 'TOPUP';
  readonly fulfillment_input: Record<string, string>;
  readonly fulfilled: boolean;
  readonly fulfilled_at: Date | null;
  readonly fulfillment_status: 'PENDING' | 'PROCESSING' | 'SUCCEEDED' | 'DISPATCH_FAILED' | 'FAILED';
}

export interface NewOrder {
  readonly orderNumber: string;
  readonly userId: number;
  readonly currency: string;
  readonly subtotalMinor: number;
  readonly discountMinor: number;
  readonly totalMinor: number;
  readonly discountCode: string | null;
  readonly paymentMethod: string | null;
  readonly recipientEmail: string | null;
  readonly deliveryEmail: string | null;
  readonly heldUntil: Date;
  readonly items: readonly NewOrderItem[];
}

export interface NewOrderItem {
  readonly position: number;
  readonly variant_id: number;
  readonly quantity: number;
  readonly unit_price_minor: number;
  readonly discount_minor: number;
  readonly product_name: string;
  readonly variant_name: string;
  readonly engine: string;
  readonly mode: string;
  readonly fulfillment_input: Record<string, string>;
}

// Order and items in one round trip, with BEGIN in the same packet.
const insert = statement(
  'orders_insert',
  `WITH new_order AS (
     INSERT INTO orders (order_number, user_id, currency, subtotal_minor, discount_minor, total_minor, discount_code,
                         payment_method, recipient_email, delivery_email, held_until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     RETURNING *
   ), new_items AS (
     INSERT INTO order_items (order_id, position, variant_id, quantity, unit_price_minor, discount_minor, product_name,
                              variant_name, engine, mode, fulfillment_input)
     SELECT new_order.id, item.*
     FROM new_order, jsonb_to_recordset($12::jsonb) AS item(
       position int, variant_id bigint, quantity int, unit_price_minor bigint, discount_minor bigint, product_name text,
       variant_name text, engine text, mode text, fulfillment_input jsonb)
     RETURNING *
   )
   SELECT new_order.*, (SELECT jsonb_agg(new_items ORDER BY position) FROM new_items) AS items FROM new_order`,
);

/** An order with its items, `fulfilled_at` of the items null by construction. */
export async function insertOrder(
  tx: Tx,
  order: NewOrder,
): Promise<{ order: OrderRow; items: OrderItemRow[] }> {
  const { rows } = await tx.query<OrderRow & { items: OrderItemRow[] }>(insert, [
    order.orderNumber,
    order.userId,
    order.currency,
    order.subtotalMinor,
    order.discountMinor,
    order.totalMinor,
    order.discountCode,
    order.paymentMethod,
    order.recipientEmail,
    order.deliveryEmail,
    order.heldUntil,
    JSON.stringify(order.items),
  ]);
  const row = rows[0];
  if (!row) throw new Error('INSERT … RETURNING gave no row');
  return { order: row, items: row.items };
}

const lock = statement('orders_lock', 'SELECT * FROM orders WHERE id = $1 FOR NO KEY UPDATE');
const find = statement('orders_find', 'SELECT * FROM orders WHERE id = $1');
const findOwn = statement('orders_find_own', 'SELECT * FROM orders WHERE id = $1 AND user_id = $2');
const findOwnByNumber = statement(
  'orders_find_own_by_number',
  'SELECT * FROM orders WHERE order_number = $1 AND user_id = $2',
);
// One order's, which nearly all questions are about: PostgreSQL keeps that plan, and plans the one for lists every time.
const itemsOfOne = statement(
  'orders_items_of_one',
  'SELECT * FROM order_items WHERE order_id = $1 ORDER BY position',
);
const itemsOf = statement(
  'orders_items_of',
  'SELECT * FROM order_items WHERE order_id = ANY ($1) ORDER BY order_id, position',
);
const listOwn = statement(
  'orders_list_own',
  `SELECT *, count(*) OVER ()::int AS total FROM orders
   WHERE user_id = $1 AND ($2::text IS NULL OR status = $2)
   ORDER BY id DESC LIMIT $3 OFFSET $4`,
);
const listExpired = statement(
  'orders_list_expired_holds',
  `SELECT id, held_until::text AS at FROM orders
   WHERE held_until < $1 AND paid_at IS NULL AND (held_until, id) > ($2::timestamptz, $3::bigint)
   ORDER BY held_until, id LIMIT $4`,
);

const hasPaid = statement(
  'orders_has_paid',
  'SELECT EXISTS (SELECT FROM orders WHERE user_id = $1 AND paid_at IS NOT NULL) AS has_paid',
);
const listByIds = statement('orders_list_by_ids', 'SELECT * FROM orders WHERE id = ANY ($1::bigint[])');

/** Whether the customer has paid for an order before. */
export async function hasPaidOrder(reader: Reader, userId: number): Promise<boolean> {
  return (await reader.query<{ has_paid: boolean }>(hasPaid, [userId])).rows[0]?.has_paid === true;
}

export async function listOrdersByIds(reader: Reader, orderIds: readonly number[]): Promise<OrderRow[]> {
  return (await reader.query<OrderRow>(listByIds, [orderIds])).rows;
}

/**
 * Locks an order first of all its rows: whoever changes anything about it waits here, so fulfillment, callbacks,
 * recovery and cancelling of one order never run at once.
 */
export async function lockOrder(tx: Tx, orderId: number): Promise<OrderRow | undefined> {
  return (await tx.query<OrderRow>(lock, [orderId])).rows[0];
}

export async function findOrder(reader: Reader, orderId: number): Promise<OrderRow | undefined> {
  return (await reader.query<OrderRow>(find, [orderId])).rows[0];
}

export async function findOrderOf(
  reader: Reader,
  userId: number,
  orderId: number,
): Promise<OrderRow | undefined> {
  return (await reader.query<OrderRow>(findOwn, [orderId, userId])).rows[0];
}

export async function findOrderByNumberOf(
  reader: Reader,
  userId: number,
  number: string,
): Promise<OrderRow | undefined> {
  return (await reader.query<OrderRow>(findOwnByNumber, [number, userId])).rows[0];
}

export async function listOrderItems(reader: Reader, orderIds: readonly number[]): Promise<OrderItemRow[]> {
  const [query, value] = orderIds.length === 1 ? [itemsOfOne, orderIds[0]] : [itemsOf, orderIds];
  return (await reader.query<OrderItemRow>(query, [value])).rows;
}

export async function listOrdersOf(
  reader: Reader,
  filter: { userId: number; status: string | null; limit: number; offset: number },
): Promise<{ orders: OrderRow[]; total: number }> {
  const { userId, status, limit, offset } = filter;
  const { rows } = await reader.query<OrderRow & { total: number }>(listOwn, [userId, status, limit, offset]);
  return { orders: rows, total: rows[0]?.total ?? 0 };
}

/** The next orders whose time was over at a moment, longest over first. */
export async function listExpiredHolds(
  reader: Reader,
  expired: { readonly at: Date; readonly after: Place; readonly limit: number },
): Promise<Place[]> {
  const { at, after, limit } = expired;
  return (await reader.query<Place>(listExpired, [at, after.at, after.id, limit])).rows;
}
