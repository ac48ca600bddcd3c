import { Readable } from 'node:stream';

import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import { inOneStatement, inTransaction } from '../../../platform/db/database.ts';
import type { Database, Reader } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Clock } from '../../../platform/time.ts';
import { claimBatchExport, findBatch, listBatchCodes, unclaimBatchExport } from './batch-store.ts';

export interface ExportCodesDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly recordAudit: RecordAudit;
}

/**
 * The codes of a batch as CSV, page by page and once: afterwards nobody can read them all again. A download that
 * breaks off before the last line does not count.
 *
 * @throws NOT_FOUND; CONFLICT while codes are still made, or when they were exported.
 */
export async function exportCodes(
  deps: ExportCodesDeps,
  wanted: { readonly batchId: number; readonly discountId: number },
  actor: AuditActor,
): Promise<Readable> {
  const { db } = deps;
  const at = deps.clock.now();
  const { batchId, discountId } = wanted;
  await inTransaction(db, async (tx) => {
    const claimed = await claimBatchExport(tx, { ...wanted, adminId: actor.adminId, at });
    if (!claimed) throw await whyNot(tx, wanted);
    await deps.recordAudit(tx, {
      ...actor,
      action: 'discounts:export_codes',
      resource: `discount:${discountId}`,
      after: { batch_id: batchId, count: claimed.generated },
    });
  });
  return Readable.from(csvOf(db, batchId, at));
}

async function whyNot(reader: Reader, wanted: { batchId: number; discountId: number }): Promise<AppError> {
  const batch = await findBatch(reader, wanted);
  if (!batch) return new AppError('NOT_FOUND', 'There is no such batch of codes');
  if (batch.exported_at !== null) {
    const message = `The codes were exported on ${batch.exported_at.toISOString()}, and can be once only`;
    return new AppError('CONFLICT', message, { data: { type: 'CodesAlreadyExported' } });
  }
  const message = `${batch.generated} of ${batch.wanted} codes are made: wait for the rest`;
  return new AppError('CONFLICT', message, { data: { type: 'CodesNotReady' } });
}

const CODES_AT_ONCE = 5_000;

async function* csvOf(db: Database, batchId: number, claimedAt: Date): AsyncGenerator<string> {
  let isComplete = false;
  try {
    yield 'code\r\n';
    let afterId = 0;
    for (;;) {
      const page = await listBatchCodes(db, { batchId, afterId, limit: CODES_AT_ONCE });
      const last = page.at(-1);
      if (!last) break;
      afterId = last.id;
      yield page.map(({ code }) => `${code}\r\n`).join('');
    }
    isComplete = true;
  } finally {
    if (!isComplete) await inOneStatement(db, (tx) => unclaimBatchExport(tx, batchId, claimedAt));
  }
}
