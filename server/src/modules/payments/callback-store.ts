import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';
import type { PaymentStatus } from './payment-states.ts';

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

export interface StoredCallback {
  readonly seen_count: number;
  readonly verdict: 'unreadable' | 'unknown_payment' | 'bad_signature' | 'accepted';
  readonly payment_id: number | null;
  readonly payment_status: PaymentStatus | null;
  readonly transaction_id: string | null;
}

// Store and look up in one round trip: a gateway that calls back waits for both.
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
   )
   SELECT stored.seen_count, CASE WHEN $7 = 'unreadable' OR named.id IS NOT NULL THEN $7 ELSE stored.verdict END AS verdict,
          named.id AS payment_id, named.status AS payment_status, named.transaction_id
   FROM stored LEFT JOIN named ON true`,
);

/** Keeps a callback before anything is done about it; the same content again only counts up. */
export async function insertCallback(tx: Tx, callback: NewCallback): Promise<StoredCallback> {
  const { rows } = await tx.query<StoredCallback>(insert, [
    callback.gateway,
    callback.contentDigest,
    JSON.stringify(callback.payload),
    callback.reference,
    callback.sessionId,
    callback.claims,
    callback.verdictIfKnown,
    callback.sourceIp,
  ]);
  const row = rows[0];
  if (!row) throw new Error('INSERT … RETURNING gave no row');
  return row;
}
