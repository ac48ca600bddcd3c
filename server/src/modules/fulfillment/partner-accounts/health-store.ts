import type { Reader } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface HealthRow {
  readonly calls: number;
  readonly unanswered: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly delivered: number;
  readonly refused: number;
  readonly unclear: number;
  readonly oldest_unclear_at: Date | null;
}

// Calls and purchases of the window; what is unclear counts however old it is.
const read = statement(
  'partners_health',
  `WITH call AS (
     SELECT call.http_status, call.took_ms FROM partner_api_calls AS call
     JOIN partner_api_transactions AS purchase ON purchase.id = call.transaction_id
     WHERE purchase.partner_id = $1 AND call.occurred_at > $2
   ), purchase AS (
     SELECT status, created_at, first_sent_at FROM partner_api_transactions WHERE partner_id = $1
   )
   SELECT
     (SELECT count(*)::int FROM call) AS calls,
     (SELECT count(*)::int FROM call WHERE http_status IS NULL OR http_status >= 500 OR http_status = 429) AS unanswered,
     (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY took_ms) FROM call) AS p50_ms,
     (SELECT percentile_disc(0.95) WITHIN GROUP (ORDER BY took_ms) FROM call) AS p95_ms,
     (SELECT count(*)::int FROM purchase WHERE status IN ('OK', 'LATE') AND created_at > $2) AS delivered,
     (SELECT count(*)::int FROM purchase WHERE status = 'REJECTED' AND created_at > $2) AS refused,
     (SELECT count(*)::int FROM purchase WHERE status IN ('UNKNOWN', 'DISPUTED')) AS unclear,
     (SELECT min(first_sent_at) FROM purchase WHERE status IN ('UNKNOWN', 'DISPUTED')) AS oldest_unclear_at`,
);

/** How a partner has been doing since a moment. */
export async function readPartnerHealth(reader: Reader, partnerId: number, since: Date): Promise<HealthRow> {
  const { rows } = await reader.query<HealthRow>(read, [partnerId, since]);
  if (!rows[0]) throw new Error('A query of counts gave no row');
  return rows[0];
}
