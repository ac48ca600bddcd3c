import { statement } from '../../../platform/db/database.ts';
import type { Reader } from '../../../platform/db/database.ts';

/** What the identity module asks about a customer, for an account page, an export, or before an account is closed. */

export interface CustomerOrderRow {
  readonly id: number;
  readonly orderNumber: string;
  readonly status: string;
  readonly totalMinor: number;
  readonly currency: string;
  readonly createdAt: Date;
}

export interface CustomerPaymentRow {
  readonly id: number;
  readonly orderId: number;
  readonly transactionId: string;
  readonly method: string;
  readonly status: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly createdAt: Date;
}

const listOrders = statement(
  'reports_list_orders_of_customer',
  `SELECT id, order_number AS "orderNumber", status, total_minor AS "totalMinor", currency, created_at AS "createdAt"
   FROM orders WHERE user_id = $1 ORDER BY id DESC LIMIT $2`,
);
const listPayments = statement(
  'reports_list_payments_of_customer',
  `SELECT p.id, p.order_id AS "orderId", p.transaction_id AS "transactionId", p.method, p.status,
     p.amount_minor AS "amountMinor", p.currency, p.created_at AS "createdAt"
   FROM payments p JOIN orders o ON o.id = p.order_id WHERE o.user_id = $1 ORDER BY p.id DESC LIMIT $2`,
);
const countUnfinished = statement(
  'reports_count_unfinished_orders_of_customer',
  `SELECT count(*) AS unfinished FROM orders
   WHERE user_id = $1 AND status IN ('INITIATED', 'PENDING', 'NEEDS_ATTENTION')`,
);
const findByOrderNumber = statement(
  'reports_find_customers_by_order_number',
  'SELECT user_id AS id FROM orders WHERE order_number = upper($1)',
);

export async function listOrdersOfCustomer(
  reader: Reader,
  userId: number,
  limit: number,
): Promise<CustomerOrderRow[]> {
  return (await reader.query<CustomerOrderRow>(listOrders, [userId, limit])).rows;
}

export async function listPaymentsOfCustomer(
  reader: Reader,
  userId: number,
  limit: number,
): Promise<CustomerPaymentRow[]> {
  return (await reader.query<CustomerPaymentRow>(listPayments, [userId, limit])).rows;
}

export async function countUnfinishedOrders(reader: Reader, userId: number): Promise<number> {
  return (await reader.query<{ unfinished: number }>(countUnfinished, [userId])).rows[0]?.unfinished ?? 0;
}

export async function findCustomersByOrderNumber(reader: Reader, orderNumber: string): Promise<number[]> {
  return (await reader.query<{ id: number }>(findByOrderNumber, [orderNumber])).rows.map((row) => row.id);
}
