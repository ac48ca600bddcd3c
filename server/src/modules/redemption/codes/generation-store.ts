import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface GenerationRow {
  readonly id: number;
  readonly campaign_id: number;
  readonly requested: number;
  readonly created: number;
  /** `interrupted`: it has not moved for a minute, so its process is gone. Nothing of it was stored. */
  readonly state: 'running' | 'done' | 'failed' | 'interrupted';
  readonly created_at: Date;
  readonly updated_at: Date;
}

const insert = statement(
  'redemption_insert_generation',
  `INSERT INTO redemption_generations (campaign_id, requested)
   SELECT id, $2 FROM redemption_campaigns WHERE id = $1 RETURNING id`,
);
const advance = statement(
  'redemption_advance_generation',
  `UPDATE redemption_generations SET created = greatest(created, $2) WHERE id = $1 AND state = 'running'`,
);
const finish = statement(
  'redemption_finish_generation',
  'UPDATE redemption_generations SET state = $2, created = $3 WHERE id = $1',
);
const list = statement(
  'redemption_list_generations',
  `SELECT id, campaign_id, requested, created, created_at, updated_at,
     CASE WHEN state = 'running' AND updated_at < now() - interval '1 minute' THEN 'interrupted' ELSE state END AS state
   FROM redemption_generations WHERE campaign_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`,
);
const count = statement(
  'redemption_count_generations',
  'SELECT count(*)::int AS total FROM redemption_generations WHERE campaign_id = $1',
);

// Closed campaigns that the sweep is done with get new codes: it has to look again.
const forgetSweep = statement(
  'redemption_forget_sweep',
  'UPDATE redemption_campaigns SET expired_for = NULL WHERE id = $1 AND expired_for IS NOT NULL',
);

const insertCodes = statement(
  'redemption_insert_codes',
  `INSERT INTO redemption_codes
     (campaign_id, generation_id, status, token_digest, token_sealed, voucher_code_digest, voucher_code_sealed, instructions)
   SELECT $1, $2, CASE WHEN voucher_sealed IS NULL THEN 'pending_stock' ELSE 'unused' END,
     digest, sealed, voucher_digest, voucher_sealed, instructions
   FROM unnest($3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[], $7::text[]) WITH ORDINALITY
     AS given (digest, sealed, voucher_digest, voucher_sealed, instructions, position)
   ORDER BY position
   ON CONFLICT ON CONSTRAINT redemption_codes__token_once DO NOTHING
   RETURNING id, token_digest`,
);

/** @returns undefined when there is no such campaign. */
export async function insertGeneration(
  tx: Tx,
  generation: { campaignId: number; requested: number },
): Promise<number | undefined> {
  const { rows } = await tx.query<{ id: number }>(insert, [generation.campaignId, generation.requested]);
  return rows[0]?.id;
}

export async function advanceGeneration(tx: Tx, id: number, created: number): Promise<void> {
  await tx.query(advance, [id, created]);
}

export async function finishGeneration(
  tx: Tx,
  generation: { id: number; state: 'done' | 'failed'; created: number },
): Promise<void> {
  await tx.query(finish, [generation.id, generation.state, generation.created]);
}

export async function listGenerations(
  reader: Reader,
  wanted: { campaignId: number; limit: number; offset: number },
): Promise<{ rows: GenerationRow[]; total: number }> {
  const { campaignId, limit, offset } = wanted;
  const [{ rows }, counted] = await Promise.all([
    reader.query<GenerationRow>(list, [campaignId, limit, offset]),
    reader.query<{ total: number }>(count, [campaignId]),
  ]);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

export interface CodeToInsert {
  readonly tokenDigest: Buffer;
  readonly tokenSealed: Buffer;
  readonly voucherCode: { readonly digest: Buffer; readonly sealed: Buffer } | null;
  readonly instructions: string | null;
}

/** Leaves out tokens that exist already, in any campaign. @returns the ids of the others by hexadecimal digest. */
export async function insertNewCodes(
  tx: Tx,
  of: { campaignId: number; generationId: number },
  codes: readonly CodeToInsert[],
): Promise<Map<string, number>> {
  const { rows } = await tx.query<{ id: number; token_digest: Buffer }>(insertCodes, [
    of.campaignId,
    of.generationId,
    codes.map((code) => code.tokenDigest),
    codes.map((code) => code.tokenSealed),
    codes.map((code) => code.voucherCode?.digest ?? null),
    codes.map((code) => code.voucherCode?.sealed ?? null),
    codes.map((code) => code.instructions),
  ]);
  return new Map(rows.map((row) => [row.token_digest.toString('hex'), row.id]));
}

export async function askSweepAgain(tx: Tx, campaignId: number): Promise<void> {
  await tx.query(forgetSweep, [campaignId]);
}
