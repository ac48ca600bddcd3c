import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';
import type { PaymentStatus } from './payment-states.ts';
import { claimable, claimedColumns } from './payment-store.ts';
import type { ClaimedPayment } from './payment-store.ts';

export interface NewCallback {
  readonly gateway: string;
  readonly contentDigest: Buffer;
  readonly payload: Readonly<Record<string, string>>;
  readonly reference: string | null;
  readonly sessionId: string | null;
  readonly claims: string | null;
  /** The verdict when it names a payment of ours; otherwise it is an orphan. */
  readonly verdictIfKnown: 'accepted' | 'bad_signature' | 'unreadable';
  readonly sourceIp: string;
}

interface StoredRow {
  readonly seen_count: number;
  readonly verdict: 'unreadable' | 'unknown_payment' | 'bad_signature' | 'accepted';
  readonly payment_id: number | null;
  readonly payment_status: PaymentStatus | null;
  readonly named_transaction_id: string | null;
}

export interface StoredCallback extends StoredRow {
  /** The payment it names, when it is the caller's to verify now. */
  readonly claimed: ClaimedPayment | undefined;
}

// Store, look up and claim in one round trip: a gateway that calls back waits for all of it. The same content again
// claims nothing once the payment has a result, as `claimVerification` claims nothing that is being verified. A payment
// that somebody has locked is left alone: what was sent must be stored whatever else goes on.
const insert = statement(
  'payment_callbacks_insert',
  `WITH named AS (
     SELECT id, status, transaction_id FROM payments
     WHERE gateway = $1 AND (gateway_reference = $4 OR gateway_session_id = $5)
   ), stored AS (
     INSERT INTO payment_callbacks (gateway, content_digest, payload, payment_id, verdict, claims, source_ip)
     SELECT $1, $2, $3, (SELECT id FROM named),
            CASE WHEN $7 = 'unreadable' OR EXISTS (SELECT FROM named) THEN $7 ELSE 'unknown_payment' END, $6, $8
     ON CONFLICT (gateway, content_digest) DO UPDATE
       SET seen_count = payment_callbacks.seen_count + 1, last_seen_at = now()
     RETURNING seen_count, verdict
   ), free AS (
     SELECT payments.id FROM stored CROSS JOIN named JOIN payments ON payments.id = named.id
     WHERE $7 = 'accepted' AND (payments.status = 'PENDING' OR stored.seen_count = 1) AND ${claimable}
     FOR NO KEY UPDATE OF payments SKIP LOCKED
   ), claimed AS (
     UPDATE payments SET verifying_until = now() + make_interval(secs => $9)
     FROM free WHERE payments.id = free.id RETURNING ${claimedColumns}
   )
   SELECT stored.seen_count, CASE WHEN $7 = 'unreadable' OR named.id IS NOT NULL THEN $7 ELSE stored.verdict END AS verdict,
          named.id AS payment_id, named.status AS payment_status, named.transaction_id AS named_transaction_id, claimed.*
   FROM stored LEFT JOIN named ON true LEFT JOIN claimed ON true`,
);

/**
 * Keeps a callback before anything is done about it; the same content again only counts up.
 *
 * @param leaseSeconds for how long the payment is claimed, when nobody else is at it.
 */
export async function insertCallback(
  tx: Tx,
  callback: NewCallback,
  leaseSeconds: number,
): Promise<StoredCallback> {
  const { rows } = await tx.query<StoredRow & (ClaimedPayment | { readonly id: null })>(insert, [
    callback.gateway,
    callback.contentDigest,
    JSON.stringify(callback.payload),
    callback.reference,
    callback.sessionId,
    callback.claims,
    callback.verdictIfKnown,
    callback.sourceIp,
    leaseSeconds,
  ]);
  const row = rows[0];
  if (!row) throw new Error('INSERT … RETURNING gave no row');
  return { ...row, claimed: row.id === null ? undefined : row };
}
