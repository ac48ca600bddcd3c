import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../../platform/money.ts';
import type { ShownRow } from './batch-row-store.ts';
import type { CountedBatchRow } from './batch-store.ts';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });

export const batchRowSchema = Type.Object({
  line: Type.Integer({ description: 'Where it stands in the file or list, from 1' }),
  outcome: Type.String({ description: 'valid, imported, duplicate_in_file, already_stored or invalid' }),
  problem: nullable(Type.String({ description: 'Why it is invalid; never what stands in it' })),
});

export const batchSchema = Type.Object({
  id: Type.Integer(),
  variant_id: Type.Integer(),
  supplier: nullable(Type.String()),
  invoice: nullable(Type.String()),
  cost: nullable(Type.Number({ description: 'BDT, of one code' })),
  currency: Type.String(),
  source_name: nullable(Type.String()),
  status: Type.String({ description: 'loading, validating (nothing of it is sold), committed or recalled' }),
  rows: Type.Object({
    read: Type.Integer(),
    valid: Type.Integer({ description: 'Would be stored by a commit' }),
    imported: Type.Integer(),
    duplicate_in_file: Type.Integer(),
    already_stored: Type.Integer(),
    invalid: Type.Integer(),
  }),
  stock: Type.Object({
    available: Type.Integer(),
    reserved: Type.Integer(),
    assigned: Type.Integer(),
    voided: Type.Integer(),
  }),
  uploaded_by: nullable(Type.Integer()),
  created_at: timestamp,
  committed_at: nullable(timestamp),
  recalled_at: nullable(timestamp),
  recall_reason: nullable(Type.String()),
});

/** What the upload answers: the batch, whether anything was made sellable, and the first rows with problems. */
export const batchReportSchema = Type.Interface([batchSchema], {
  dry_run: Type.Boolean({ description: 'True until the batch is committed' }),
  problems: Type.Array(batchRowSchema, { description: 'The first 100; all are at …/rows' }),
});

export function toBatchWire(row: CountedBatchRow): Static<typeof batchSchema> {
  const stored = row.available + row.reserved + row.assigned + row.voided;
  return {
    id: row.id,
    variant_id: row.variant_id,
    supplier: row.supplier,
    invoice: row.invoice,
    cost: row.cost_minor === null ? null : toWireAmount(row.cost_minor),
    currency: row.currency,
    source_name: row.source_name,
    status: row.status,
    rows: {
      // Batches that came from the command line are stored at once, without a list of rows.
      read: Math.max(row.rows_read, stored),
      valid: row.rows_valid,
      imported: stored,
      duplicate_in_file: row.rows_repeated,
      already_stored: row.rows_already_stored,
      invalid: row.rows_invalid,
    },
    stock: {
      available: row.available,
      reserved: row.reserved,
      assigned: row.assigned,
      voided: row.voided,
    },
    uploaded_by: row.uploaded_by,
    created_at: row.created_at.toISOString(),
    committed_at: row.committed_at?.toISOString() ?? null,
    recalled_at: row.recalled_at?.toISOString() ?? null,
    recall_reason: row.recall_reason,
  };
}

export function toBatchReport(
  row: CountedBatchRow,
  problems: readonly ShownRow[],
): Static<typeof batchReportSchema> {
  return { ...toBatchWire(row), dry_run: row.status === 'validating', problems: [...problems] };
}
