import type { RecordAudit } from '../../../platform/audit.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { discardStagedRows } from './batch-row-store.ts';
import { lockBatch, markBatchRecalled } from './batch-store.ts';
import { batchNotFound } from './commit-batch.ts';
import type { Actor } from './commit-batch.ts';
import { listHoldingOrders, voidAvailableOfBatch, voidHeldOfOrder } from './recall-store.ts';

export interface RecallBatchDeps {
  readonly db: Database;
  readonly recordAudit: RecordAudit;
  readonly noteStockChange: () => void;
  /** Whoever changes what an order holds locks it first. */
  readonly lockOrder: (tx: Tx, orderId: number) => Promise<unknown>;
}

export interface Recall {
  /** Units that were free, and units that orders held, taken out of the sale. */
  readonly voided: number;
  readonly heldVoided: number;
}

/**
 * Calls a batch back: what is unsold is never sold. Orders that hold units of it lose them and get others when they
 * are paid; what was delivered stays delivered and is listed for replacement.
 *
 * @throws NOT_FOUND; CONFLICT when it was recalled before, or is still being read.
 */
export async function recallBatch(
  deps: RecallBatchDeps,
  { id, reason, actor }: { readonly id: number; readonly reason: string; readonly actor: Actor },
): Promise<Recall> {
  const voided = await inTransaction(deps.db, async (tx) => {
    const batch = await lockBatch(tx, id);
    if (!batch) throw batchNotFound(id);
    if (batch.status === 'loading') throw new AppError('CONFLICT', `Batch ${id} is still being read`);
    if (!(await markBatchRecalled(tx, id, reason)))
      throw new AppError('CONFLICT', `Batch ${id} was recalled before`);
    await discardStagedRows(tx, id);
    const units = await voidAvailableOfBatch(tx, id, reason);
    await deps.recordAudit(tx, {
      ...actor,
      action: 'vouchers:recall_batch',
      resource: `voucher_batch:${id}`,
      before: { status: batch.status },
      after: { status: 'recalled', reason, voided: units },
    });
    return units;
  });
  const heldVoided = await voidHeld(deps, id, reason);
  deps.noteStockChange();
  return { voided, heldVoided };
}

/** One order at a time, each under its lock: one that is just being delivered keeps what it delivers. */
async function voidHeld(deps: RecallBatchDeps, batchId: number, reason: string): Promise<number> {
  let units = 0;
  for (const orderId of await listHoldingOrders(deps.db, batchId)) {
    units += await inTransaction(deps.db, async (tx) => {
      await deps.lockOrder(tx, orderId);
      return voidHeldOfOrder(tx, { batchId, orderId, reason });
    });
  }
  return units;
}
