import type { Reader } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface PaymentOfOrderRow {
  readonly id: number;
  readonly transaction_id: string;
  readonly gateway_reference: string;
  readonly gateway: string;
  readonly gateway_transaction_id: string | null;
  readonly method: string;
  readonly status: string;
  readonly payment_gateway_url: string | null;
  readonly amount_minor: number;
  readonly currency: string;
  readonly refunded_minor: number;
  readonly failure_reason: string | null;
  readonly drives_order: boolean;
  readonly verified_at: Date | null;
  readonly created_at: Date;
}

export interface CustomerRow {
  readonly id: number;
  readonly name: string;
  readonly msisdn: string | null;
  readonly email: string | null;
}

export interface NoteRow {
  readonly id: number;
  readonly text: string;
  readonly created_at: Date;
  readonly admin_id: number;
  readonly admin_name: string;
  readonly admin_email: string;
}

export interface AlertOfOrderRow {
  readonly id: number;
  readonly type: string;
  readonly severity: string;
  readonly status: string;
  readonly message: string;
  readonly resolution_notes: string | null;
  readonly created_at: Date;
  readonly resolved_at: Date | null;
}

export interface AssigneeRow {
  readonly id: number;
  readonly name: string;
  readonly email: string;
}

const payments = statement(
  'reports_payments_of_order',
  `SELECT id, transaction_id, gateway_reference, gateway, gateway_transaction_id, method, status, payment_gateway_url,
          amount_minor, currency, refunded_minor, failure_reason, drives_order, verified_at, created_at
   FROM payments WHERE order_id = $1 ORDER BY id`,
);
const customer = statement(
  'reports_customer_of_order',
  `SELECT users.id, users.name, users.msisdn, users.email FROM users JOIN orders ON orders.user_id = users.id
   WHERE orders.id = $1`,
);
const notes = statement(
  'reports_notes_of_order',
  `SELECT note.id, note.text, note.created_at, admin.id AS admin_id, admin.name AS admin_name,
          admin.email AS admin_email
   FROM order_notes AS note JOIN admins AS admin ON admin.id = note.admin_id
   WHERE note.order_id = $1 ORDER BY note.id DESC`,
);
const alerts = statement(
  'reports_alerts_of_order',
  `SELECT id, type, severity, status, message, resolution_notes, created_at, resolved_at
   FROM admin_alerts WHERE order_id = $1 ORDER BY id DESC`,
);
const assignee = statement(
  'reports_assignee_of_order',
  `SELECT admin.id, admin.name, admin.email
   FROM order_assignments AS assigned JOIN admins AS admin ON admin.id = assigned.admin_id
   WHERE assigned.order_id = $1`,
);

export interface OrderSurroundings {
  readonly payments: PaymentOfOrderRow[];
  readonly customer: CustomerRow | undefined;
  readonly notes: NoteRow[];
  readonly alerts: AlertOfOrderRow[];
  readonly assignee: AssigneeRow | undefined;
}

/** Everything around an order but its items, codes and attempts, in one packet. */
export async function readOrderSurroundings(reader: Reader, orderId: number): Promise<OrderSurroundings> {
  const [paid, bought, written, raised, taken] = await Promise.all([
    reader.query<PaymentOfOrderRow>(payments, [orderId]),
    reader.query<CustomerRow>(customer, [orderId]),
    reader.query<NoteRow>(notes, [orderId]),
    reader.query<AlertOfOrderRow>(alerts, [orderId]),
    reader.query<AssigneeRow>(assignee, [orderId]),
  ]);
  return {
    payments: paid.rows,
    customer: bought.rows[0],
    notes: written.rows,
    alerts: raised.rows,
    assignee: taken.rows[0],
  };
}
