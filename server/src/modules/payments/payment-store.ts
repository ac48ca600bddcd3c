import type { Reader, Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';
import type { OrderStatus } from '../orders/index.ts';
import type { GatewayName } from './gateways/gateway.ts';
import type { FailureReason, PaymentStatus } from './payment-states.ts';

export interface PaymentRow {
  readonly id: number;
  readonly order_id: number;
  readonly transaction_id: string;
  readonly gateway_reference: string;
  readonly method: string;
  readonly gateway: GatewayName;
  readonly status: PaymentStatus;
  readonly amount_minor: number;
  readonly currency: string;
  readonly payment_gateway_url: string | null;
  readonly gateway_session: Record<string, string>;
  readonly gateway_transaction_id: string | null;
  readonly failure_reason: FailureReason | null;
  readonly drives_order: boolean;
  readonly verified_amount_minor: number | null;
  readonly verify_step: number;
  readonly verifying_until: Date | null;
  readonly created_at: Date;
}

export interface NewPayment {
  readonly orderId: number;
  readonly prefix: string;
  readonly suffix: string;
  readonly at: Date;
  readonly gatewayReference: string;
  readonly method: string;
  readonly gateway: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly description: string;
  readonly nextVerifyAt: Date | null;
}

const insert = statement(
  'payments_insert',
  // <prefix>-<order_id>-<epoch_millis>-<suffix> (interface part 2)
  `INSERT INTO payments (order_id, transaction_id, gateway_reference, method, gateway, amount_minor, currency,
                         description, next_verify_at)
   VALUES ($1::bigint, $2::text || '-' || $1 || '-' || $3::text || '-' || $4::text, $5, $6, $7, $8, $9, $10, $11)
   RETURNING *`,
);

const columns = '*';
const find = statement('payments_find', `SELECT ${columns} FROM payments WHERE id = $1`);
const lock = statement('payments_lock', `SELECT ${columns} FROM payments WHERE id = $1 FOR NO KEY UPDATE`);
const listOfOrder = statement(
  'payments_list_of_order',
  `SELECT id, status, failure_reason, drives_order, verified_amount_minor, refunded_minor
   FROM payments WHERE order_id = $1 ORDER BY id`,
);

const storeSession = statement(
  'payments_store_session',
  `UPDATE payments SET payment_gateway_url = $2, gateway_session = $3, gateway_session_id = $4 WHERE id = $1`,
);

/** One verification at a time whoever asks, and not before two seconds after the last began. */
export const claimable =
  "payments.status <> 'SUCCEEDED' AND (payments.verifying_until IS NULL OR payments.verifying_until <= now())";
/** What a claim answers, a `ClaimedPayment`. */
export const claimedColumns =
  'payments.*, EXISTS (SELECT FROM payment_captures WHERE payment_id = payments.id) AS holds_capture';

const claim = statement(
  'payments_claim_verification',
  `UPDATE payments SET verifying_until = now() + make_interval(secs => $2)
   WHERE id = $1 AND ${claimable} RETURNING ${claimedColumns}`,
);

const free = statement(
  'payments_free_verification',
  `UPDATE payments SET verifying_until = GREATEST($2::timestamptz, now()) WHERE id = $1`,
);

const setSucceeded = statement(
  'payments_set_succeeded',
  `UPDATE payments
   SET status = 'SUCCEEDED', drives_order = $2, verified_amount_minor = $3, verified_currency = $4, verified_at = $5,
       gateway_transaction_id = $6, failure_reason = NULL, next_verify_at = NULL, verifying_until = NULL
   WHERE id = $1 AND status <> 'SUCCEEDED' RETURNING ${columns}`,
);

const setUnpaid = statement(
  'payments_set_unpaid',
  `UPDATE payments SET status = $2, failure_reason = $3, next_verify_at = $4, verify_step = $5
   WHERE id = $1 AND status = ANY ($6) RETURNING ${columns}`,
);

const reschedule = statement(
  'payments_reschedule',
  "UPDATE payments SET next_verify_at = $2, verify_step = $3, failure_reason = $4 WHERE id = $1 AND status <> 'SUCCEEDED'",
);

const takeDue = statement(
  'payments_take_due',
  // Moved on by a minute, so that a worker that dies with the question leaves it to be asked again.
  `UPDATE payments SET next_verify_at = now() + interval '1 minute'
   WHERE id IN (SELECT id FROM payments WHERE next_verify_at <= $1 ORDER BY next_verify_at LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);

const findStatus = statement(
  'payments_find_status',
  `SELECT payment.transaction_id, payment.status, payment.created_at, payment.order_id, orders.order_number,
          orders.status AS order_status, orders.paid_at
   FROM payments AS payment JOIN orders ON orders.id = payment.order_id
   WHERE payment.transaction_id = $1 AND ($2::bigint IS NULL OR orders.user_id = $2)`,
);

const findOwn = statement(
  'payments_find_own',
  `SELECT payment.* FROM payments AS payment JOIN orders ON orders.id = payment.order_id
   WHERE (payment.transaction_id = $1 OR payment.gateway_reference = $1) AND orders.user_id = $2
     AND ($3::text IS NULL OR payment.gateway = $3)`,
);

const recordVerification = statement(
  'payments_record_verification',
  'INSERT INTO payment_verifications (payment_id, asked_by, outcome, details, took_ms) VALUES ($1, $2, $3, $4, $5)',
);

export async function insertPayment(tx: Tx, payment: NewPayment): Promise<PaymentRow> {
  const { rows } = await tx.query<PaymentRow>(insert, [
    payment.orderId,
    payment.prefix,
    String(payment.at.getTime()),
    payment.suffix,
    payment.gatewayReference,
    payment.method,
    payment.gateway,
    payment.amountMinor,
    payment.currency,
    payment.description,
    payment.nextVerifyAt,
  ]);
  const row = rows[0];
  if (!row) throw new Error('INSERT … RETURNING gave no row');
  return row;
}

export async function findPayment(reader: Reader, id: number): Promise<PaymentRow | undefined> {
  return (await reader.query<PaymentRow>(find, [id])).rows[0];
}

/** After the order's lock, never before it. */
export async function lockPayment(tx: Tx, id: number): Promise<PaymentRow | undefined> {
  return (await tx.query<PaymentRow>(lock, [id])).rows[0];
}

export type PaymentOfOrder = Pick<
  PaymentRow,
  'id' | 'status' | 'failure_reason' | 'drives_order' | 'verified_amount_minor'
> & { readonly refunded_minor: number };

export async function listPaymentsOfOrder(reader: Reader, orderId: number): Promise<PaymentOfOrder[]> {
  return (await reader.query<PaymentOfOrder>(listOfOrder, [orderId])).rows;
}

export async function storePaymentSession(
  tx: Tx,
  payment: {
    id: number;
    url: string;
    session: Readonly<Record<string, string>>;
    sessionId: string | undefined;
  },
): Promise<void> {
  await tx.query(storeSession, [
    payment.id,
    payment.url,
    JSON.stringify(payment.session),
    payment.sessionId ?? null,
  ]);
}

export interface ClaimedPayment extends PaymentRow {
  /** Whether it was told, or may have been, to take its order's money. */
  readonly holds_capture: boolean;
}

/** The payment, when it is ours to verify now; undefined when it SUCCEEDED or somebody is at it. */
export async function claimVerification(
  tx: Tx,
  id: number,
  leaseSeconds: number,
): Promise<ClaimedPayment | undefined> {
  return (await tx.query<ClaimedPayment>(claim, [id, leaseSeconds])).rows[0];
}

export async function freeVerification(tx: Tx, id: number, notBefore: Date): Promise<void> {
  await tx.query(free, [id, notBefore]);
}

export async function markPaymentSucceeded(
  tx: Tx,
  proof: {
    id: number;
    drivesOrder: boolean;
    amountMinor: number;
    currency: string;
    at: Date;
    gatewayTransactionId: string;
  },
): Promise<PaymentRow | undefined> {
  const { id, drivesOrder, amountMinor, currency, at, gatewayTransactionId } = proof;
  return (
    await tx.query<PaymentRow>(setSucceeded, [
      id,
      drivesOrder,
      amountMinor,
      currency,
      at,
      gatewayTransactionId,
    ])
  ).rows[0];
}

export async function markPaymentUnpaid(
  tx: Tx,
  change: {
    id: number;
    to: PaymentStatus;
    from: readonly PaymentStatus[];
    reason: FailureReason;
    nextVerifyAt: Date | null;
    step: number;
  },
): Promise<PaymentRow | undefined> {
  const { id, to, reason, nextVerifyAt, step, from } = change;
  return (await tx.query<PaymentRow>(setUnpaid, [id, to, reason, nextVerifyAt, step, from])).rows[0];
}

export async function reschedulePayment(
  tx: Tx,
  plan: { id: number; nextVerifyAt: Date | null; step: number; reason: FailureReason | null },
): Promise<void> {
  await tx.query(reschedule, [plan.id, plan.nextVerifyAt, plan.step, plan.reason]);
}

export async function takeDuePayments(tx: Tx, at: Date, limit: number): Promise<number[]> {
  return (await tx.query<{ id: number }>(takeDue, [at, limit])).rows.map((row) => row.id);
}

export interface PaymentStatusRow {
  readonly transaction_id: string;
  readonly status: PaymentStatus;
  readonly created_at: Date;
  readonly order_id: number;
  readonly order_number: string;
  readonly order_status: OrderStatus;
  readonly paid_at: Date | null;
}

/** @param userId null looks without asking whose it is: only for what shows no more than its state. */
export async function findPaymentStatus(
  reader: Reader,
  transactionId: string,
  userId: number | null,
): Promise<PaymentStatusRow | undefined> {
  return (await reader.query<PaymentStatusRow>(findStatus, [transactionId, userId])).rows[0];
}

/** One of the user's own payments, by transaction id or gateway reference; of one gateway only when that is named. */
export async function findOwnPayment(
  reader: Reader,
  wanted: { reference: string; userId: number; gateway: GatewayName | null },
): Promise<PaymentRow | undefined> {
  return (await reader.query<PaymentRow>(findOwn, [wanted.reference, wanted.userId, wanted.gateway])).rows[0];
}

export async function insertVerification(
  tx: Tx,
  verification: { paymentId: number; askedBy: string; outcome: string; details: unknown; tookMs: number },
): Promise<void> {
  const { paymentId, askedBy, outcome, details, tookMs } = verification;
  await tx.query(recordVerification, [paymentId, askedBy, outcome, JSON.stringify(details), tookMs]);
}
