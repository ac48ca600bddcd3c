import type { Reader } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import type { PaymentRow } from '../payment-store.ts';

/** A payment as operators see it. */
export interface PaymentDetailRow extends PaymentRow {
  readonly order_number: string;
  readonly description: string | null;
  readonly refunded_minor: number;
  readonly verified_currency: string | null;
  readonly verified_at: Date | null;
  readonly next_verify_at: Date | null;
  readonly updated_at: Date;
}

export interface PaymentFilter {
  readonly status: string | null;
  readonly method: string | null;
  readonly orderId: number | null;
  /** Part of a transaction id, a gateway reference, the gateway's own id or an order number. */
  readonly search: string | null;
  readonly limit: number;
  readonly offset: number;
}

const detailed = `SELECT payment.*, orders.order_number`;
const joined = `FROM payments AS payment JOIN orders ON orders.id = payment.order_id`;

const list = statement(
  'payments_admin_list',
  `${detailed}, count(*) OVER ()::int AS total ${joined}
   WHERE ($1::text IS NULL OR payment.status = $1) AND ($2::text IS NULL OR payment.method = $2)
     AND ($3::bigint IS NULL OR payment.order_id = $3)
     AND ($4::text IS NULL OR payment.transaction_id ILIKE $4 OR payment.gateway_reference ILIKE $4
          OR payment.gateway_transaction_id ILIKE $4 OR orders.order_number ILIKE $4)
   ORDER BY payment.id DESC LIMIT $5 OFFSET $6`,
);

const find = statement('payments_admin_find', `${detailed} ${joined} WHERE payment.id = $1`);

export interface PaymentEventRow {
  readonly kind: 'callback' | 'verification';
  readonly id: number;
  readonly occurred_at: Date;
  /** Verdict of a callback, outcome of a verification. */
  readonly outcome: string;
  readonly claims: string | null;
  readonly asked_by: string | null;
  readonly seen_count: number | null;
  readonly last_seen_at: Date | null;
  readonly source_ip: string | null;
  readonly took_ms: number | null;
  readonly content: Record<string, unknown>;
}

const listEvents = statement(
  'payments_admin_list_events',
  `SELECT *, count(*) OVER ()::int AS total FROM (
     SELECT 'callback' AS kind, id, received_at AS occurred_at, verdict AS outcome, claims, NULL AS asked_by, seen_count,
            last_seen_at, source_ip, NULL::integer AS took_ms, payload AS content
     FROM payment_callbacks WHERE payment_id = $1
     UNION ALL
     SELECT 'verification', id, occurred_at, outcome, NULL, asked_by, NULL, NULL, NULL, took_ms, details
     FROM payment_verifications WHERE payment_id = $1
   ) AS event ORDER BY occurred_at, kind, id LIMIT $2 OFFSET $3`,
);

export interface OrphanRow {
  readonly id: number;
  readonly gateway: string;
  readonly verdict: string;
  readonly claims: string | null;
  readonly payload: Record<string, string>;
  readonly seen_count: number;
  readonly source_ip: string | null;
  readonly received_at: Date;
  readonly last_seen_at: Date;
}

const listOrphans = statement(
  'payments_admin_list_orphans',
  `SELECT *, count(*) OVER ()::int AS total FROM payment_callbacks
   WHERE payment_id IS NULL AND ($1::text IS NULL OR gateway = $1) AND ($2::text IS NULL OR verdict = $2)
   ORDER BY id DESC LIMIT $3 OFFSET $4`,
);

interface Found<Row> {
  readonly rows: Row[];
  readonly total: number;
}

export async function listPayments(reader: Reader, filter: PaymentFilter): Promise<Found<PaymentDetailRow>> {
  const { status, method, orderId, search, limit, offset } = filter;
  const pattern = search === null ? null : `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return counted(await reader.query(list, [status, method, orderId, pattern, limit, offset]));
}

export async function findPaymentDetail(reader: Reader, id: number): Promise<PaymentDetailRow | undefined> {
  return (await reader.query<PaymentDetailRow>(find, [id])).rows[0];
}

/** Callbacks and verifications of a payment, in the order they happened. */
export async function listPaymentEvents(
  reader: Reader,
  filter: { paymentId: number; limit: number; offset: number },
): Promise<Found<PaymentEventRow>> {
  return counted(await reader.query(listEvents, [filter.paymentId, filter.limit, filter.offset]));
}

/** Callbacks that named no payment of ours. */
export async function listOrphanCallbacks(
  reader: Reader,
  filter: { gateway: string | null; verdict: string | null; limit: number; offset: number },
): Promise<Found<OrphanRow>> {
  const { gateway, verdict, limit, offset } = filter;
  return counted(await reader.query(listOrphans, [gateway, verdict, limit, offset]));
}

function counted<Row>({ rows }: { rows: (Row & { total: number })[] }): Found<Row> {
  return { rows, total: rows[0]?.total ?? 0 };
}
