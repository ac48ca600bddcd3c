import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import type { Database } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { CHUNK_ROWS } from '../import/import-chunks.ts';
import { storeStagedRows } from './batch-row-store.ts';
import { lockBatch, markBatchCommitted } from './batch-store.ts';

export interface CommitBatchDeps {
  readonly db: Database;
  readonly recordAudit: RecordAudit;
  /** The shop shows what can be bought. */
  readonly noteStockChange: () => void;
}

export type Actor = AuditActor;

export function batchNotFound(id: number): AppError {
  return new AppError('NOT_FOUND', `There is no batch ${id}`);
}

/**
 * Makes the valid codes of a batch sellable. By the thousand, so a commit that was cut off is finished by calling it
 * again; a batch that is committed stays as it is.
 *
 * @throws NOT_FOUND; CONFLICT while it is being read, and when it was recalled.
 */
export async function commitBatch(
  deps: CommitBatchDeps,
  { id, actor }: { readonly id: number; readonly actor: Actor },
): Promise<void> {
  let left = true;
  while (left) left = (await storeChunk(deps, id)) > 0;
  await inTransaction(deps.db, async (tx) => {
    if (!(await markBatchCommitted(tx, id))) return;
    await deps.recordAudit(tx, {
      ...actor,
      action: 'vouchers:commit_batch',
      resource: `voucher_batch:${id}`,
      before: { status: 'validating' },
      after: { status: 'committed' },
    });
  });
  deps.noteStockChange();
}

/** Each chunk looks again: a batch may be recalled while it is being committed. */
function storeChunk(deps: CommitBatchDeps, id: number): Promise<number> {
  return inTransaction(deps.db, async (tx) => {
    const batch = await lockBatch(tx, id);
    if (!batch) throw batchNotFound(id);
    if (batch.status === 'loading') throw new AppError('CONFLICT', `Batch ${id} is still being read`);
    if (batch.status === 'recalled') throw new AppError('CONFLICT', `Batch ${id} was recalled`);
    return storeStagedRows(tx, id, CHUNK_ROWS);
  });
}
