import type { Reader } from '../../../platform/db/database.ts';
import type { OrderRow } from '../../orders/index.ts';
import type { SearchTerm } from './search-term.ts';

export interface OrderFilter {
  readonly search: SearchTerm | undefined;
  readonly status: string | undefined;
  readonly paymentStatus: string | undefined;
  readonly paymentMethod: string | undefined;
  readonly discountCode: string | undefined;
  readonly userId: number | undefined;
  readonly variantId: number | undefined;
  readonly assignedTo: number | undefined;
  readonly isPaid: boolean | undefined;
  readonly hasOpenAlert: boolean | undefined;
  /** Created at or after; before. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly sort: OrderSort;
}

export const orderSorts = {
  created_at: 'o.id',
  '-created_at': 'o.id DESC',
  updated_at: 'o.updated_at, o.id',
  '-updated_at': 'o.updated_at DESC, o.id DESC',
  total_amount: 'o.total_minor, o.id',
  '-total_amount': 'o.total_minor DESC, o.id DESC',
} as const;
export type OrderSort = keyof typeof orderSorts;

export interface ListedOrderRow extends OrderRow {
  readonly customer_name: string;
  readonly customer_msisdn: string | null;
  readonly customer_email: string | null;
  readonly open_alerts: number;
  readonly assignee_id: number | null;
  readonly assignee_name: string | null;
  readonly assignee_email: string | null;
}

/**
 * Orders that match, and how many there are. The text is put together from fixed pieces, since one statement for all
 * filters would be planned for none of them; what the caller gave is only ever a value.
 */
export async function listOrders(
  reader: Reader,
  filter: OrderFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ListedOrderRow[]; total: number }> {
  const { where, values } = conditionsOf(filter);
  const [found, counted] = await Promise.all([
    reader.query<ListedOrderRow>(
      `SELECT o.*, customer.name AS customer_name, customer.msisdn AS customer_msisdn, customer.email AS customer_email,
              assignee.id AS assignee_id, assignee.name AS assignee_name, assignee.email AS assignee_email,
              (SELECT count(*)::int FROM admin_alerts AS alert WHERE alert.order_id = o.id AND alert.status = 'open')
                AS open_alerts
       FROM orders AS o
       JOIN users AS customer ON customer.id = o.user_id
       LEFT JOIN order_assignments AS assigned ON assigned.order_id = o.id
       LEFT JOIN admins AS assignee ON assignee.id = assigned.admin_id
       ${where} ORDER BY ${orderSorts[filter.sort]} LIMIT ${limit} OFFSET ${offset}`,
      values,
    ),
    reader.query<{ total: number }>(`SELECT count(*)::int AS total FROM orders AS o ${where}`, values),
  ]);
  return { rows: found.rows, total: counted.rows[0]?.total ?? 0 };
}

function conditionsOf(filter: OrderFilter): { where: string; values: unknown[] } {
  const values: unknown[] = [];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const conditions: string[] = [];
  const when = <Value>(value: Value | undefined, condition: (value: Value) => string): void => {
    if (value !== undefined) conditions.push(condition(value));
  };
  when(filter.status, (status) => `o.status = ${put(status)}`);
  when(filter.paymentMethod, (method) => `o.payment_method = ${put(method)}`);
  when(filter.discountCode, (code) => `lower(o.discount_code) = lower(${put(code)})`);
  when(filter.userId, (id) => `o.user_id = ${put(id)}`);
  when(filter.isPaid, (isPaid) => `o.paid_at IS ${isPaid ? 'NOT ' : ''}NULL`);
  when(filter.from, (from) => `o.created_at >= ${put(from)}`);
  when(filter.to, (to) => `o.created_at < ${put(to)}`);
  when(filter.paymentStatus, (status) => exists('payments', `status = ${put(status)}`));
  when(filter.variantId, (id) => exists('order_items', `variant_id = ${put(id)}`));
  when(filter.assignedTo, (id) => exists('order_assignments', `admin_id = ${put(id)}`));
  when(filter.hasOpenAlert, (has) => `${has ? '' : 'NOT '}${exists('admin_alerts', "status = 'open'")}`);
  when(filter.search, (term) => `o.id IN (${searchText(term, put)})`);
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}

const exists = (table: string, condition: string): string =>
  `EXISTS (SELECT 1 FROM ${table} AS other WHERE other.order_id = o.id AND other.${condition})`;

/** Each place by its own index; what the text cannot be is not looked for. */
function searchText(term: SearchTerm, put: (value: unknown) => string): string {
  const text = put(term.text);
  const places = [
    `SELECT id FROM orders WHERE order_number = ${put(term.orderNumber)}`,
    `SELECT order_id FROM payments WHERE transaction_id = ${text}`,
    `SELECT order_id FROM payments WHERE gateway_reference = ${text}`,
    `SELECT item.order_id FROM vouchers JOIN order_items AS item ON item.id = vouchers.order_item_id
     WHERE vouchers.code_digest = ${put(term.codeDigest)}`,
  ];
  if (term.orderId !== null) places.push(`SELECT id FROM orders WHERE id = ${put(term.orderId)}`);
  if (term.email !== null) {
    const email = put(term.email);
    places.push(
      `SELECT id FROM orders WHERE lower(delivery_email) = ${email}`,
      `SELECT ours.id FROM orders AS ours JOIN users ON users.id = ours.user_id WHERE lower(users.email) = ${email}`,
    );
  }
  if (term.msisdn !== null) {
    places.push(
      `SELECT ours.id FROM orders AS ours JOIN users ON users.id = ours.user_id WHERE users.msisdn = ${put(term.msisdn)}`,
    );
  }
  return places.join(' UNION ALL ');
}
