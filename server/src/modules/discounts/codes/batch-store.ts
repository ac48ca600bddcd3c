import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export interface BatchRow {
  readonly id: number;
  readonly discount_id: number;
  readonly prefix: string;
  readonly code_length: number;
  readonly wanted: number;
  readonly generated: number;
  readonly created_by: number;
  readonly exported_at: Date | null;
  readonly exported_by: number | null;
  readonly created_at: Date;
}

const insert = statement(
  'discounts_insert_batch',
  `INSERT INTO discount_batches (discount_id, prefix, code_length, wanted, created_by)
   SELECT id, $2, $3, $4, $5 FROM discounts WHERE id = $1 RETURNING *`,
);
const find = statement(
  'discounts_find_batch',
  'SELECT * FROM discount_batches WHERE id = $1 AND discount_id = $2',
);
const lock = statement(
  'discounts_lock_batch',
  'SELECT * FROM discount_batches WHERE id = $1 FOR NO KEY UPDATE',
);
const list = statement(
  'discounts_list_batches',
  `SELECT *, count(*) OVER ()::int AS total FROM discount_batches WHERE discount_id = $1
   ORDER BY id DESC LIMIT $2 OFFSET $3`,
);
// A text that is a code already, of a rule or of any batch, is left out: chance made it twice.
const insertCodes = statement(
  'discounts_insert_codes',
  `INSERT INTO discount_codes (code, discount_id, batch_id)
   SELECT code, $2, $1 FROM unnest($3::text[]) AS made(code) ORDER BY code
   ON CONFLICT (code) DO NOTHING`,
);
const addProgress = statement(
  'discounts_add_batch_progress',
  'UPDATE discount_batches SET generated = generated + $2 WHERE id = $1',
);

export interface NewBatch {
  readonly discountId: number;
  readonly prefix: string;
  readonly codeLength: number;
  readonly wanted: number;
  readonly adminId: number;
}

/** Undefined when there is no such discount. */
export async function insertBatch(tx: Tx, batch: NewBatch): Promise<BatchRow | undefined> {
  const { discountId, prefix, codeLength, wanted, adminId } = batch;
  return (await tx.query<BatchRow>(insert, [discountId, prefix, codeLength, wanted, adminId])).rows[0];
}

export async function findBatch(
  reader: Reader,
  wanted: { batchId: number; discountId: number },
): Promise<BatchRow | undefined> {
  return (await reader.query<BatchRow>(find, [wanted.batchId, wanted.discountId])).rows[0];
}

/** Two workers on one batch take turns. */
export async function lockBatch(tx: Tx, batchId: number): Promise<BatchRow | undefined> {
  return (await tx.query<BatchRow>(lock, [batchId])).rows[0];
}

export async function listBatches(
  reader: Reader,
  wanted: { discountId: number; limit: number; offset: number },
): Promise<{ rows: BatchRow[]; total: number }> {
  const { discountId, limit, offset } = wanted;
  const { rows } = await reader.query<BatchRow & { total: number }>(list, [discountId, limit, offset]);
  return { rows, total: rows[0]?.total ?? 0 };
}

/** Stores codes of a batch and counts them. @returns how many were new. */
export async function insertBatchCodes(tx: Tx, batch: BatchRow, codes: readonly string[]): Promise<number> {
  const { count } = await tx.query(insertCodes, [batch.id, batch.discount_id, codes]);
  await tx.query(addProgress, [batch.id, count]);
  return count;
}

const claimExport = statement(
  'discounts_claim_export',
  `UPDATE discount_batches SET exported_at = $3, exported_by = $4
   WHERE id = $1 AND discount_id = $2 AND generated = wanted AND exported_at IS NULL RETURNING *`,
);
const unclaimExport = statement(
  'discounts_unclaim_export',
  'UPDATE discount_batches SET exported_at = NULL, exported_by = NULL WHERE id = $1 AND exported_at = $2',
);
const pageOfCodes = statement(
  'discounts_page_of_codes',
  'SELECT id, code FROM discount_codes WHERE batch_id = $1 AND id > $2 ORDER BY id LIMIT $3',
);

/** One of two operators at once gets the row. */
export async function claimBatchExport(
  tx: Tx,
  claim: { batchId: number; discountId: number; adminId: number; at: Date },
): Promise<BatchRow | undefined> {
  const { batchId, discountId, adminId, at } = claim;
  return (await tx.query<BatchRow>(claimExport, [batchId, discountId, at, adminId])).rows[0];
}

export async function unclaimBatchExport(tx: Tx, batchId: number, at: Date): Promise<void> {
  await tx.query(unclaimExport, [batchId, at]);
}

export async function listBatchCodes(
  reader: Reader,
  page: { batchId: number; afterId: number; limit: number },
): Promise<{ id: number; code: string }[]> {
  const { batchId, afterId, limit } = page;
  return (await reader.query<{ id: number; code: string }>(pageOfCodes, [batchId, afterId, limit])).rows;
}
