import type { Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import type { Outcome } from '../redemption-outcomes.ts';
import type { Visitor } from './visitor.ts';

/** A campaign as its visitors see it. Null everywhere when the token is unknown. */
export interface VisitedCampaignRow {
  readonly outcome: Outcome;
  readonly campaign_id: number | null;
  readonly name: string;
  readonly slug: string;
  readonly headline: string | null;
  readonly cta_text: string | null;
  readonly description: string | null;
  readonly starts_at: Date | null;
  readonly ends_at: Date | null;
  readonly product_id: number | null;
  readonly product_name: string | null;
  readonly product_slug: string | null;
  readonly product_image_url: string | null;
  readonly variant_id: number | null;
  readonly variant_name: string | null;
}

export interface TakenCodeRow extends VisitedCampaignRow {
  /** Sealed; only when the outcome is `redeemed` or `revealed_again`. */
  readonly voucher_code_sealed: Buffer | null;
  readonly instructions: string | null;
}

/** The token somebody asked for. */
export interface AskedToken {
  readonly digest: Buffer;
  readonly sealed: Buffer;
}

const visited = `
  judged.outcome, campaign.id AS campaign_id, campaign.name, campaign.slug, campaign.headline, campaign.cta_text,
  campaign.description, campaign.starts_at, campaign.ends_at, product.id AS product_id, product.name AS product_name,
  product.slug AS product_slug, product.image_url AS product_image_url, variant.id AS variant_id,
  variant.name AS variant_name`;
const fromVisited = `
  judged
  LEFT JOIN redemption_campaigns campaign ON campaign.id = judged.campaign_id
  LEFT JOIN product_variants variant ON variant.id = campaign.variant_id
  LEFT JOIN products product ON product.id = variant.product_id AND product.status <> 'draft'`;

/**
 * One statement that reads and logs, and one path for every token: a malformed, an unknown and a known one cost the
 * same index lookup. Measured alternative: reading, then logging, is a second round trip.
 */
const lookUp = statement(
  'redemption_look_up',
  `WITH judged AS (
     SELECT code.id AS code_id, code.campaign_id, CASE
       WHEN code.id IS NULL THEN 'unknown_code'
       WHEN code.status = 'redeemed' AND code.redeemed_ip_key = $3
            AND code.redeemed_at > now() - interval '24 hours' THEN 'redeemed'
       ELSE coalesce(redemption_refusal(code.status, campaign.status, campaign.starts_at, campaign.ends_at, now()),
                     'available') END AS outcome
     FROM (VALUES ($1::bytea)) AS asked (digest)
     LEFT JOIN redemption_codes code ON code.token_digest = asked.digest
     LEFT JOIN redemption_campaigns campaign ON campaign.id = code.campaign_id
   ), attempt AS (
     INSERT INTO redemption_attempts
       (campaign_id, redemption_code_id, token_digest, token_sealed, action, outcome, ip_key, ip, user_agent)
     SELECT campaign_id, code_id, $1, $2, 'lookup', outcome, $3, $4, $5 FROM judged
   )
   SELECT ${visited} FROM ${fromVisited}`,
);

/**
 * Takes the code, logs the attempt, records the event and queues the letter: one statement, one round trip, all or
 * nothing. Event, letter and job are written in here as recordEvents, insertMessage and enqueue write them; calling
 * those instead needs a transaction of three round trips, since each wants to know what came before.
 */
const take = statement(
  'redemption_take',
  `WITH judged AS MATERIALIZED (
     SELECT * FROM take_redemption_code($1, $3, $8)
   ), attempt AS (
     INSERT INTO redemption_attempts
       (campaign_id, redemption_code_id, token_digest, token_sealed, action, outcome, ip_key, ip, user_agent, phone, email)
     SELECT campaign_id, code_id, $1, $2, 'redeem', outcome, $3, $4, $5, $6, $7::text FROM judged
   ), event AS (
     INSERT INTO outbox_events (id, type, stream, data)
     SELECT gen_random_uuid(), 'redemption.redeemed', 'campaign:' || campaign_id,
       jsonb_build_object('campaign_id', campaign_id, 'redemption_code_id', code_id)
     FROM judged WHERE outcome = 'redeemed'
   ), letter AS (
     -- Asking again may send it to another address too, but nobody's letter box is filled through us.
     INSERT INTO mail_messages (kind, redemption_code_id, recipient, message_id, content_digest)
     SELECT 'redemption_code', code_id, $7::text, $9, $10 FROM judged
     WHERE $7::text IS NOT NULL AND outcome IN ('redeemed', 'revealed_again')
       AND 3 > (SELECT count(*) FROM mail_messages earlier WHERE earlier.redemption_code_id = judged.code_id)
     ON CONFLICT DO NOTHING
     RETURNING id
   ), job AS MATERIALIZED (
     SELECT (graphile_worker.add_job($11, payload := json_build_object('messageId', id), max_attempts := 25,
       job_key := 'mail:' || id)).id FROM letter
   )
   SELECT ${visited}, judged.voucher_code_sealed, judged.instructions, (SELECT count(id) FROM job) AS letters
   FROM ${fromVisited}`,
);

const logPhoneless = statement(
  'redemption_log_phoneless',
  `INSERT INTO redemption_attempts
     (campaign_id, redemption_code_id, token_digest, token_sealed, action, outcome, ip_key, ip, user_agent)
   SELECT code.campaign_id, code.id, $1, $2, 'redeem', 'phone_required', $3, $4, $5
   FROM (VALUES ($1::bytea)) AS asked (digest) LEFT JOIN redemption_codes code ON code.token_digest = asked.digest`,
);

const asking = (token: AskedToken, visitor: Visitor): unknown[] => [
  token.digest,
  token.sealed,
  visitor.ipKey,
  visitor.ip,
  visitor.userAgent,
];

export async function lookUpToken(tx: Tx, token: AskedToken, visitor: Visitor): Promise<VisitedCampaignRow> {
  return only((await tx.query<VisitedCampaignRow>(lookUp, asking(token, visitor))).rows);
}

export interface Taking {
  readonly token: AskedToken;
  readonly visitor: Visitor;
  readonly phone: string;
  /** How long the redeem has been under way, asked when the statement leaves, not when it waits for a connection. */
  readonly underwaySeconds: () => number;
  readonly letter: {
    readonly recipient: string;
    readonly messageId: string;
    readonly contentDigest: Buffer;
    readonly jobName: string;
  } | null;
}

export async function takeCode(tx: Tx, taking: Taking): Promise<TakenCodeRow> {
  const { token, visitor, phone, letter, underwaySeconds } = taking;
  const { rows } = await tx.query<TakenCodeRow>(take, [
    ...asking(token, visitor),
    phone,
    letter?.recipient ?? null,
    // The driver asks for the text when it sends the values, after the wait for a connection.
    { toPostgres: () => String(underwaySeconds()) },
    letter?.messageId ?? null,
    letter?.contentDigest ?? null,
    letter?.jobName ?? null,
  ]);
  return only(rows);
}

export async function insertPhonelessAttempt(tx: Tx, token: AskedToken, visitor: Visitor): Promise<void> {
  await tx.query(logPhoneless, asking(token, visitor));
}

function only<Row>(rows: readonly Row[]): Row {
  const row = rows[0];
  if (!row) throw new Error('A statement about one token answered no row');
  return row;
}
