import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import type { SealedCode } from '../import/voucher-import-store.ts';

export type RowOutcome = 'valid' | 'imported' | 'duplicate_in_file' | 'already_stored' | 'invalid';

export interface StagedRow {
  readonly line: number;
  readonly outcome: Exclude<RowOutcome, 'imported'>;
  readonly problem: string | null;
  /** Of a valid one. */
  readonly sealed: SealedCode | null;
}

const stage = statement(
  'vouchers_stage_rows',
  `INSERT INTO voucher_batch_rows (batch_id, line, outcome, problem, code_sealed, code_digest, pin_sealed,
     redemption_url_sealed, serial_number_sealed, expires_at)
   SELECT $1, line, outcome, problem, code, digest, pin, url, serial, expires
   FROM unnest($2::int[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::bytea[], $8::bytea[], $9::bytea[],
     $10::timestamptz[]) AS given(line, outcome, problem, code, digest, pin, url, serial, expires)`,
);

export async function stageRows(tx: Tx, batchId: number, rows: readonly StagedRow[]): Promise<void> {
  await tx.query(stage, [
    batchId,
    rows.map((row) => row.line),
    rows.map((row) => row.outcome),
    rows.map((row) => row.problem),
    rows.map((row) => row.sealed?.codeSealed ?? null),
    rows.map((row) => row.sealed?.codeDigest ?? null),
    rows.map((row) => row.sealed?.pinSealed ?? null),
    rows.map((row) => row.sealed?.redemptionUrlSealed ?? null),
    rows.map((row) => row.sealed?.serialNumberSealed ?? null),
    rows.map((row) => row.sealed?.expiresAt ?? null),
  ]);
}

// Under the batch's lock. In the order of digests, so that batches with the same codes wait for each other and do not
// deadlock; the uniqueness of codes decides which of them has it.
const store = statement(
  'vouchers_store_staged',
  `WITH chunk AS (
     SELECT * FROM voucher_batch_rows WHERE batch_id = $1 AND outcome = 'valid'
     ORDER BY code_digest LIMIT $2
   ), added AS (
     INSERT INTO vouchers (variant_id, brand_id, batch_id, cost_minor, source_type, code_sealed, code_digest, pin_sealed,
       redemption_url_sealed, serial_number_sealed, expires_at)
     SELECT batch.variant_id, product.brand_id, batch.id, batch.cost_minor, 'PRELOADED', chunk.code_sealed,
            chunk.code_digest, chunk.pin_sealed, chunk.redemption_url_sealed, chunk.serial_number_sealed, chunk.expires_at
     FROM chunk
     JOIN voucher_batches AS batch ON batch.id = chunk.batch_id
     JOIN product_variants AS variant ON variant.id = batch.variant_id
     JOIN products AS product ON product.id = variant.product_id
     ORDER BY chunk.code_digest
     ON CONFLICT ON CONSTRAINT vouchers__code_once DO NOTHING
     RETURNING code_digest
   )
   UPDATE voucher_batch_rows AS row
   SET outcome = CASE WHEN chunk.code_digest IN (SELECT code_digest FROM added) THEN 'imported' ELSE 'already_stored' END,
       code_sealed = NULL, code_digest = NULL, pin_sealed = NULL, redemption_url_sealed = NULL,
       serial_number_sealed = NULL
   FROM chunk WHERE row.batch_id = chunk.batch_id AND row.line = chunk.line`,
);

/** Makes the next of a batch's valid rows sellable. @returns how many rows were dealt with: none when all are. */
export async function storeStagedRows(tx: Tx, batchId: number, most: number): Promise<number> {
  return (await tx.query(store, [batchId, most])).count;
}

const countValid = statement(
  'vouchers_count_staged_valid',
  `SELECT count(*)::int AS rows FROM voucher_batch_rows WHERE batch_id = $1 AND outcome = 'valid'`,
);

export async function countRowsToStore(reader: Reader, batchId: number): Promise<number> {
  return (await reader.query<{ rows: number }>(countValid, [batchId])).rows[0]?.rows ?? 0;
}

const discard = statement(
  'vouchers_discard_staged',
  `DELETE FROM voucher_batch_rows WHERE batch_id = $1 AND outcome = 'valid'`,
);

/** What was never committed is forgotten: its codes are gone from here. */
export async function discardStagedRows(tx: Tx, batchId: number): Promise<number> {
  return (await tx.query(discard, [batchId])).count;
}

export interface ShownRow {
  readonly line: number;
  readonly outcome: RowOutcome;
  readonly problem: string | null;
}

const matching = 'FROM voucher_batch_rows WHERE batch_id = $1 AND ($2::text IS NULL OR outcome = $2)';
const list = statement(
  'vouchers_list_batch_rows',
  `SELECT line, outcome, problem ${matching} ORDER BY line LIMIT $3 OFFSET $4`,
);
const count = statement('vouchers_count_batch_rows', `SELECT count(*)::int AS total ${matching}`);
const problems = statement(
  'vouchers_list_batch_problems',
  `SELECT line, outcome, problem FROM voucher_batch_rows
   WHERE batch_id = $1 AND outcome IN ('invalid', 'duplicate_in_file', 'already_stored') ORDER BY line LIMIT $2`,
);

export async function listBatchRows(
  reader: Reader,
  filter: { batchId: number; outcome: string | null },
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ShownRow[]; total: number }> {
  const values = [filter.batchId, filter.outcome];
  const [found, counted] = await Promise.all([
    reader.query<ShownRow>(list, [...values, limit, offset]),
    reader.query<{ total: number }>(count, values),
  ]);
  return { rows: found.rows, total: counted.rows[0]?.total ?? 0 };
}

/** The first rows that were not, or will not be, stored. */
export async function listBatchProblems(reader: Reader, batchId: number, most: number): Promise<ShownRow[]> {
  return (await reader.query<ShownRow>(problems, [batchId, most])).rows;
}
