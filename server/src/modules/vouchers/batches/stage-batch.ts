import type { Database } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { Clock } from '../../../platform/time.ts';
import { createDigestSet } from '../import/digest-set.ts';
import type { DigestSet } from '../import/digest-set.ts';
import { CHUNK_ROWS, inChunks, keyOf, sealCandidate } from '../import/import-chunks.ts';
import type { Candidate } from '../import/import-chunks.ts';
import { checkImportRow } from '../import/import-row.ts';
import type { ImportRow, UnusableRow } from '../import/import-row.ts';
import { listStoredDigests } from '../import/voucher-import-store.ts';
import { voucherDigest } from '../voucher-secrets.ts';
import { stageRows } from './batch-row-store.ts';
import type { StagedRow } from './batch-row-store.ts';
import { closeBatch, openBatch } from './batch-store.ts';
import type { NewBatch } from './batch-store.ts';

export interface StageBatchDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly clock: Clock;
}

export interface BatchToStage {
  readonly batch: NewBatch;
  readonly brandId: number;
  readonly rows: AsyncIterable<ImportRow | UnusableRow> | Iterable<ImportRow | UnusableRow>;
}

/**
 * Reads delivered codes into a batch that waits for its commit: checked row by row, sealed, sold to nobody. By the
 * thousand rows, each thousand in a transaction of its own.
 *
 * @returns the batch's id.
 */
export async function stageBatch(
  deps: StageBatchDeps,
  { batch, brandId, rows }: BatchToStage,
): Promise<number> {
  const id = await inTransaction(deps.db, (tx) => openBatch(tx, batch));
  const seen = createDigestSet();
  const counts = { id, read: 0, invalid: 0, repeated: 0 };
  for await (const chunk of inChunks(rows, CHUNK_ROWS)) {
    const judged = chunk.map((row) => judge(deps, row, seen));
    const staged = await compareWithStored(deps, brandId, judged);
    await inTransaction(deps.db, (tx) => stageRows(tx, id, staged));
    counts.read += chunk.length;
    counts.invalid += staged.filter(({ outcome }) => outcome === 'invalid').length;
    counts.repeated += staged.filter(({ outcome }) => outcome === 'duplicate_in_file').length;
  }
  await inTransaction(deps.db, (tx) => closeBatch(tx, counts));
  return id;
}

function judge(deps: StageBatchDeps, row: ImportRow | UnusableRow, seen: DigestSet): Candidate | StagedRow {
  const code = 'problem' in row ? row : checkImportRow(row, deps.clock.now());
  const { line } = row;
  if ('problem' in code) return { line, outcome: 'invalid', problem: code.problem, sealed: null };
  const digest = voucherDigest(deps.box, code.code);
  if (seen.add(digest)) return { code, digest };
  return { line, outcome: 'duplicate_in_file', problem: null, sealed: null };
}

async function compareWithStored(
  deps: StageBatchDeps,
  brandId: number,
  judged: readonly (Candidate | StagedRow)[],
): Promise<StagedRow[]> {
  const digests = judged.flatMap((each) => ('digest' in each ? [each.digest] : []));
  const stored = new Set((await listStoredDigests(deps.db, brandId, digests)).map(keyOf));
  return judged.map((each): StagedRow => {
    if (!('digest' in each)) return each;
    const row = { line: each.code.line, problem: null };
    if (stored.has(keyOf(each.digest))) return { ...row, outcome: 'already_stored', sealed: null };
    return { ...row, outcome: 'valid', sealed: sealCandidate(deps.box, each) };
  });
}
