import type { Reader } from '../../../platform/db/database.ts';
import type { Action, Outcome } from '../redemption-outcomes.ts';

export interface AttemptRow {
  readonly id: number;
  readonly campaign_id: number | null;
  /** Null when no code had this token, and once the code is deleted. */
  readonly redemption_code_id: number | null;
  readonly token_sealed: Buffer | null;
  readonly action: Action;
  readonly outcome: Outcome;
  readonly ip: string;
  readonly user_agent: string | null;
  readonly phone: string | null;
  readonly email: string | null;
  readonly created_at: Date;
}

export interface AttemptsWanted {
  readonly campaignId: number | null;
  readonly codeId: number | null;
  readonly action: Action | null;
  readonly outcome: Outcome | null;
  /** An address, or what limits count it by: the /64 of an IPv6 one. */
  readonly ipKey: string | null;
  /** The last ten digits: with and without country code it is one number. */
  readonly phoneEnding: string | null;
  readonly tokenDigest: Buffer | null;
  readonly limit: number;
  readonly offset: number;
}

const filtered = `FROM redemption_attempts attempt
  WHERE ($1::bigint IS NULL OR attempt.campaign_id = $1)
    AND ($2::bigint IS NULL OR attempt.redemption_code_id = $2)
    AND ($3::text IS NULL OR attempt.action = $3)
    AND ($4::text IS NULL OR attempt.outcome = $4)
    AND ($5::text IS NULL OR attempt.ip_key = $5)
    AND ($6::text IS NULL OR right(regexp_replace(attempt.phone, '\\D', '', 'g'), 10) = $6)
    AND ($7::bytea IS NULL OR attempt.token_digest = $7)`;

// Not prepared by name: planned for the values of each call, the filters that are not asked for fall away and the index
// of one that is can be used.
const list = `
  WITH page AS (SELECT * ${filtered} ORDER BY id DESC LIMIT $8 OFFSET $9)
  SELECT page.id, page.campaign_id, code.id AS redemption_code_id, page.token_sealed, page.action, page.outcome,
    page.ip, page.user_agent, page.phone, page.email, page.created_at
  FROM page LEFT JOIN redemption_codes code ON code.id = page.redemption_code_id ORDER BY page.id DESC`;
const count = `SELECT count(*)::int AS total ${filtered}`;

export async function listAttempts(
  reader: Reader,
  wanted: AttemptsWanted,
): Promise<{ rows: AttemptRow[]; total: number }> {
  const { campaignId, codeId, action, outcome, ipKey, phoneEnding, tokenDigest } = wanted;
  const filters = [campaignId, codeId, action, outcome, ipKey, phoneEnding, tokenDigest];
  const [{ rows }, counted] = await Promise.all([
    reader.query<AttemptRow>(list, [...filters, wanted.limit, wanted.offset]),
    reader.query<{ total: number }>(count, filters),
  ]);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}
