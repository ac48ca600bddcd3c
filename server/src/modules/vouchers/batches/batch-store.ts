import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export type BatchStatus = 'loading' | 'validating' | 'committed' | 'recalled';

export interface BatchRow {
  readonly id: number;
  readonly variant_id: number;
  readonly supplier: string | null;
  readonly invoice: string | null;
  readonly cost_minor: number | null;
  readonly currency: string;
  readonly source_name: string | null;
  readonly status: BatchStatus;
  readonly rows_read: number;
  readonly rows_invalid: number;
  readonly rows_repeated: number;
  readonly uploaded_by: number | null;
  readonly created_at: Date;
  readonly committed_at: Date | null;
  readonly recalled_at: Date | null;
  readonly recall_reason: string | null;
}

export interface CountedBatchRow extends BatchRow {
  readonly rows_valid: number;
  readonly rows_already_stored: number;
  readonly available: number;
  readonly reserved: number;
  readonly assigned: number;
  readonly voided: number;
}

export interface NewBatch {
  readonly variantId: number;
  readonly supplier: string | null;
  readonly invoice: string | null;
  readonly costMinor: number | null;
  readonly sourceName: string | null;
  readonly uploadedBy: number;
}

const insert = statement(
  'vouchers_open_batch',
  `INSERT INTO voucher_batches (variant_id, supplier, invoice, cost_minor, source_name, uploaded_by, status)
   VALUES ($1, $2, $3, $4, $5, $6, 'loading') RETURNING id`,
);

export async function openBatch(tx: Tx, batch: NewBatch): Promise<number> {
  const { variantId, supplier, invoice, costMinor, sourceName, uploadedBy } = batch;
  const values = [variantId, supplier, invoice, costMinor, sourceName, uploadedBy];
  const { rows } = await tx.query<{ id: number }>(insert, values);
  if (!rows[0]) throw new Error('A batch was inserted and has no id');
  return rows[0].id;
}

const close = statement(
  'vouchers_close_batch',
  `UPDATE voucher_batches SET status = 'validating', rows_read = $2, rows_invalid = $3, rows_repeated = $4
   WHERE id = $1 AND status = 'loading'`,
);

/** Every row has been read: the batch waits for its commit. */
export async function closeBatch(
  tx: Tx,
  counts: { id: number; read: number; invalid: number; repeated: number },
): Promise<void> {
  await tx.query(close, [counts.id, counts.read, counts.invalid, counts.repeated]);
}

const columns = `batch.id, batch.variant_id, batch.supplier, batch.invoice, batch.cost_minor, batch.currency,
  batch.source_name, batch.status, batch.rows_read, batch.rows_invalid, batch.rows_repeated, batch.uploaded_by,
  batch.created_at, batch.committed_at, batch.recalled_at, batch.recall_reason`;
const lock = statement(
  'vouchers_lock_batch',
  `SELECT ${columns} FROM voucher_batches AS batch WHERE id = $1 FOR NO KEY UPDATE`,
);

export async function lockBatch(tx: Tx, id: number): Promise<BatchRow | undefined> {
  return (await tx.query<BatchRow>(lock, [id])).rows[0];
}

const setCommitted = statement(
  'vouchers_set_batch_committed',
  `UPDATE voucher_batches SET status = 'committed', committed_at = now() WHERE id = $1 AND status = 'validating'`,
);

/** @returns whether this call did it. */
export async function markBatchCommitted(tx: Tx, id: number): Promise<boolean> {
  return (await tx.query(setCommitted, [id])).count === 1;
}

const setRecalled = statement(
  'vouchers_set_batch_recalled',
  `UPDATE voucher_batches SET status = 'recalled', recalled_at = now(), recall_reason = $2
   WHERE id = $1 AND status <> 'recalled'`,
);

export async function markBatchRecalled(tx: Tx, id: number, reason: string): Promise<boolean> {
  return (await tx.query(setRecalled, [id, reason])).count === 1;
}

const counted = `
  SELECT ${columns}, staged.valid AS rows_valid, staged.stored AS rows_already_stored,
         stock.available, stock.reserved, stock.assigned, stock.voided
  FROM voucher_batches AS batch
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE outcome = 'valid')::int AS valid,
           count(*) FILTER (WHERE outcome = 'already_stored')::int AS stored
    FROM voucher_batch_rows WHERE batch_id = batch.id AND outcome <> 'imported') AS staged
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE status = 'available')::int AS available,
           count(*) FILTER (WHERE status = 'reserved')::int AS reserved,
           count(*) FILTER (WHERE status = 'assigned')::int AS assigned,
           count(*) FILTER (WHERE status = 'voided')::int AS voided
    FROM vouchers WHERE batch_id = batch.id) AS stock`;
const find = statement('vouchers_find_batch', `${counted} WHERE batch.id = $1`);
const matching = `
  WHERE ($1::bigint IS NULL OR batch.variant_id = $1) AND ($2::text IS NULL OR batch.status = $2)
    AND ($3::text IS NULL OR strpos(lower(concat_ws(' ', batch.supplier, batch.invoice, batch.source_name)), lower($3)) > 0)`;
const list = statement(
  'vouchers_list_batches',
  `${counted} ${matching} ORDER BY batch.id DESC LIMIT $4 OFFSET $5`,
);
const count = statement(
  'vouchers_count_batches',
  `SELECT count(*)::int AS total FROM voucher_batches AS batch ${matching}`,
);

export async function findCountedBatch(reader: Reader, id: number): Promise<CountedBatchRow | undefined> {
  return (await reader.query<CountedBatchRow>(find, [id])).rows[0];
}

/** Newest first. */
export async function listCountedBatches(
  reader: Reader,
  filter: { variantId: number | null; status: string | null; search: string | null },
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: CountedBatchRow[]; total: number }> {
  const values = [filter.variantId, filter.status, filter.search];
  const [found, counts] = await Promise.all([
    reader.query<CountedBatchRow>(list, [...values, limit, offset]),
    reader.query<{ total: number }>(count, values),
  ]);
  return { rows: found.rows, total: counts.rows[0]?.total ?? 0 };
}
