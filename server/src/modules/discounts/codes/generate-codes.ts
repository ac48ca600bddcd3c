import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { defineJob, enqueue } from '../../../platform/jobs/queue.ts';
import { READABLE_ALPHABET } from '../../../platform/random.ts';
import type { Random } from '../../../platform/random.ts';
import { discountNotFound } from '../errors.ts';
import { insertBatch, insertBatchCodes, lockBatch } from './batch-store.ts';
import type { BatchRow } from './batch-store.ts';

export interface GenerateCodesDeps {
  readonly db: Database;
  readonly random: Random;
  readonly recordAudit: RecordAudit;
}

export interface BatchWanted {
  readonly discountId: number;
  readonly count: number;
  /** In capitals; may be empty. */
  readonly prefix: string;
  /** Random characters after the prefix. */
  readonly codeLength: number;
}

/** Makes the codes of one bulk request, in batches. */
export const generateDiscountCodesJob = defineJob<{ batchId: number }>('generate_discount_codes');

/**
 * Asks for single-use codes under one rule. A job makes them; `generated` of the batch shows how far it is.
 *
 * @throws NOT_FOUND for an unknown discount.
 */
export async function startBatch(
  deps: GenerateCodesDeps,
  wanted: BatchWanted,
  actor: AuditActor,
): Promise<BatchRow> {
  const { discountId, count, prefix, codeLength } = wanted;
  return inTransaction(deps.db, async (tx) => {
    const batch = await insertBatch(tx, {
      discountId,
      prefix,
      codeLength,
      wanted: count,
      adminId: actor.adminId,
    });
    if (!batch) throw discountNotFound();
    await enqueue(tx, generateDiscountCodesJob.of({ batchId: batch.id }));
    await deps.recordAudit(tx, {
      ...actor,
      action: 'discounts:generate_codes',
      resource: `discount:${discountId}`,
      after: { batch_id: batch.id, count, prefix, code_length: codeLength },
    });
    return batch;
  });
}

/** So many in one transaction: short enough to show progress and to lose little when a worker dies. */
const CODES_AT_ONCE = 5_000;

/** Makes what is missing of a batch. Safe to run twice and at once: every step counts what is there under a lock. */
export async function generateCodes(
  deps: Pick<GenerateCodesDeps, 'db' | 'random'>,
  batchId: number,
): Promise<void> {
  let missing: number;
  do {
    missing = await inTransaction(deps.db, (tx) => generateSome(tx, deps.random, batchId));
  } while (missing > 0);
}

/** @returns how many are missing then. */
async function generateSome(tx: Tx, random: Random, batchId: number): Promise<number> {
  const batch = await lockBatch(tx, batchId);
  if (!batch) return 0;
  const missing = batch.wanted - batch.generated;
  const codes = new Set<string>();
  while (codes.size < Math.min(missing, CODES_AT_ONCE))
    codes.add(batch.prefix + random.text(READABLE_ALPHABET, batch.code_length));
  if (codes.size === 0) return 0;
  return missing - (await insertBatchCodes(tx, batch, [...codes]));
}
