import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import type { GatewayName } from '../gateways/gateway.ts';
import { refundStates } from './refund-states.ts';
import type { RefundFact, RefundStatus } from './refund-states.ts';

export interface RefundRow {
  readonly id: number;
  readonly payment_id: number;
  readonly reference: string;
  readonly amount_minor: number;
  readonly currency: string;
  readonly reason: string;
  readonly status: RefundStatus;
  readonly gateway_refund_id: string | null;
  readonly failure_reason: string | null;
  readonly notes: string | null;
  readonly requested_by: number;
  readonly decided_by: number | null;
  readonly decided_at: Date | null;
  readonly sent_at: Date | null;
  readonly settled_at: Date | null;
  readonly next_action_at: Date | null;
  readonly step: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A refund with the payment and order it belongs to, as lists and gateways need it. */
export interface RefundDetailRow extends RefundRow {
  readonly order_id: number;
  readonly order_number: string;
  readonly transaction_id: string;
  readonly gateway: GatewayName;
  readonly method: string;
  readonly gateway_reference: string;
  readonly gateway_session: Record<string, string>;
  readonly gateway_transaction_id: string | null;
  readonly verified_amount_minor: number;
  readonly opened_at: Date;
  readonly other_refund_ids: string[];
}

const insert = statement(
  'refunds_insert',
  `INSERT INTO refunds (payment_id, reference, amount_minor, currency, reason, requested_by)
   VALUES ($1, $2, $3, $4, $5, $6) RETURNING *`,
);

const detailed = `SELECT refund.*, payment.order_id, orders.order_number, payment.transaction_id, payment.gateway,
    payment.method, payment.gateway_reference, payment.gateway_session, payment.gateway_transaction_id,
    payment.verified_amount_minor, payment.created_at AS opened_at,
    ARRAY(SELECT other.gateway_refund_id FROM refunds AS other WHERE other.payment_id = refund.payment_id
          AND other.id <> refund.id AND other.gateway_refund_id IS NOT NULL) AS other_refund_ids`;
const joined = `FROM refunds AS refund
   JOIN payments AS payment ON payment.id = refund.payment_id JOIN orders ON orders.id = payment.order_id`;

const find = statement('refunds_find', `${detailed} ${joined} WHERE refund.id = $1`);

const list = statement(
  'refunds_list',
  `${detailed}, count(*) OVER ()::int AS total ${joined}
   WHERE ($1::text IS NULL OR refund.status = $1) AND ($2::bigint IS NULL OR refund.payment_id = $2)
     AND ($3::bigint IS NULL OR payment.order_id = $3)
   ORDER BY refund.id DESC LIMIT $4 OFFSET $5`,
);

const sumOfPayment = statement(
  'refunds_sum_of_payment',
  `SELECT COALESCE(sum(amount_minor), 0)::bigint AS sum FROM refunds
   WHERE payment_id = $1 AND status NOT IN ('failed', 'rejected')`,
);

const setStatus = statement(
  'refunds_set_status',
  `UPDATE refunds
   SET status = $2, gateway_refund_id = COALESCE($4, gateway_refund_id), failure_reason = $5, next_action_at = $6,
       step = $7, calling_until = NULL,
       settled_at = CASE WHEN $2 IN ('succeeded', 'failed', 'rejected', 'manual') THEN $8::timestamptz END
   WHERE id = $1 AND status = ANY ($3) RETURNING *`,
);

const decide = statement(
  'refunds_decide',
  "UPDATE refunds SET decided_by = $2, decided_at = $3, notes = COALESCE($4, notes) WHERE id = $1 AND status = 'requested'",
);

const note = statement('refunds_note', 'UPDATE refunds SET notes = $2 WHERE id = $1');

// The unique index refunds__one_under_way refuses a second one of the same payment that another process begins to send
// at this moment; the NOT EXISTS spares the usual case the error.
const claimSending = statement(
  'refunds_claim_sending',
  `UPDATE refunds SET status = 'sending', sent_at = now(), step = 0, calling_until = now() + make_interval(secs => $2),
     next_action_at = $3
   WHERE id = $1 AND status = 'approved' AND NOT EXISTS (
     SELECT FROM refunds AS other WHERE other.payment_id = refunds.payment_id AND other.status IN ('sending', 'unknown'))
   RETURNING id`,
);

const claimQuestion = statement(
  'refunds_claim_question',
  `UPDATE refunds SET calling_until = now() + make_interval(secs => $2)
   WHERE id = $1 AND status IN ('sending', 'unknown') AND (calling_until IS NULL OR calling_until <= now())
   RETURNING id`,
);

const reschedule = statement(
  'refunds_reschedule',
  `UPDATE refunds SET next_action_at = $2, step = $3, failure_reason = COALESCE($4, failure_reason),
     gateway_refund_id = COALESCE($5, gateway_refund_id), calling_until = NULL WHERE id = $1`,
);

const takeDue = statement(
  'refunds_take_due',
  // Moved on by a minute, so that a worker that dies with it leaves it to be taken again.
  `UPDATE refunds SET next_action_at = $1::timestamptz + interval '1 minute'
   WHERE id IN (SELECT id FROM refunds WHERE next_action_at <= $1 ORDER BY next_action_at LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);

const addRefunded = statement(
  'payments_add_refunded',
  `UPDATE payments SET refunded_minor = refunded_minor + $2 WHERE id = $1
   RETURNING refunded_minor = verified_amount_minor AS is_whole`,
);

export async function insertRefund(
  tx: Tx,
  refund: {
    paymentId: number;
    reference: string;
    amountMinor: number;
    currency: string;
    reason: string;
    adminId: number;
  },
): Promise<RefundRow> {
  const { paymentId, reference, amountMinor, currency, reason, adminId } = refund;
  const row = (
    await tx.query<RefundRow>(insert, [paymentId, reference, amountMinor, currency, reason, adminId])
  ).rows[0];
  if (!row) throw new Error('INSERT … RETURNING gave no row');
  return row;
}

export async function findRefund(reader: Reader, id: number): Promise<RefundDetailRow | undefined> {
  return (await reader.query<RefundDetailRow>(find, [id])).rows[0];
}

export async function listRefunds(
  reader: Reader,
  filter: {
    status: string | null;
    paymentId: number | null;
    orderId: number | null;
    limit: number;
    offset: number;
  },
): Promise<{ rows: RefundDetailRow[]; total: number }> {
  const { status, paymentId, orderId, limit, offset } = filter;
  const values = [status, paymentId, orderId, limit, offset];
  const { rows } = await reader.query<RefundDetailRow & { total: number }>(list, values);
  return { rows, total: rows[0]?.total ?? 0 };
}

/** What is refunded, or may yet be. Under the payment's lock it is the truth. */
export async function sumRefundsOfPayment(reader: Reader, paymentId: number): Promise<number> {
  return (await reader.query<{ sum: number }>(sumOfPayment, [paymentId])).rows[0]?.sum ?? 0;
}

export interface RefundChange {
  readonly id: number;
  readonly fact: RefundFact;
  readonly to: RefundStatus;
  readonly at: Date;
  readonly gatewayRefundId?: string | undefined;
  readonly failureReason?: string;
  readonly nextActionAt?: Date | null;
  readonly step?: number;
}

/** The one way a refund's status changes; undefined when the fact changes nothing in its present state. */
export async function applyRefundFact(tx: Tx, change: RefundChange): Promise<RefundRow | undefined> {
  const {
    id,
    fact,
    to,
    at,
    gatewayRefundId = null,
    failureReason = null,
    nextActionAt = null,
    step = 0,
  } = change;
  const from = refundStates.sources(fact, to);
  return (
    await tx.query<RefundRow>(setStatus, [
      id,
      to,
      from,
      gatewayRefundId,
      failureReason,
      nextActionAt,
      step,
      at,
    ])
  ).rows[0];
}

/** Who decided about a refund that is still a request. @returns whether it was. */
export async function recordDecision(
  tx: Tx,
  decision: { id: number; adminId: number; at: Date; notes: string | null },
): Promise<boolean> {
  return (await tx.query(decide, [decision.id, decision.adminId, decision.at, decision.notes])).count === 1;
}

export async function noteOnRefund(tx: Tx, id: number, notes: string): Promise<void> {
  await tx.query(note, [id, notes]);
}

/** True when it is ours to send now; no refund is ever sent by two. */
export async function claimRefundToSend(
  tx: Tx,
  claim: { id: number; leaseSeconds: number; askAt: Date },
): Promise<boolean> {
  return (await tx.query(claimSending, [claim.id, claim.leaseSeconds, claim.askAt])).count === 1;
}

/** True when it is ours to ask about now: sent, without an end, and nobody is calling about it. */
export async function claimRefundToAsk(tx: Tx, id: number, leaseSeconds: number): Promise<boolean> {
  return (await tx.query(claimQuestion, [id, leaseSeconds])).count === 1;
}

export async function rescheduleRefund(
  tx: Tx,
  plan: {
    id: number;
    nextActionAt: Date | null;
    step: number;
    reason: string | null;
    gatewayRefundId: string | null;
  },
): Promise<void> {
  await tx.query(reschedule, [plan.id, plan.nextActionAt, plan.step, plan.reason, plan.gatewayRefundId]);
}

export async function takeDueRefunds(tx: Tx, at: Date, limit: number): Promise<number[]> {
  return (await tx.query<{ id: number }>(takeDue, [at, limit])).rows.map((row) => row.id);
}

/** @returns whether all of the payment is back now. */
export async function addToRefundedAmount(tx: Tx, paymentId: number, amountMinor: number): Promise<boolean> {
  const { rows } = await tx.query<{ is_whole: boolean }>(addRefunded, [paymentId, amountMinor]);
  return rows[0]?.is_whole ?? false;
}
