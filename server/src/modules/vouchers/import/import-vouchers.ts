import { inTransaction } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { Clock } from '../../../platform/time.ts';
import { createDigestSet } from './digest-set.ts';
import type { DigestSet } from './digest-set.ts';
import { CHUNK_ROWS, inChunks, keyOf, sealCandidate } from './import-chunks.ts';
import type { Candidate } from './import-chunks.ts';
import { checkImportRow } from './import-row.ts';
import type { ImportRow, UnusableRow } from './import-row.ts';
import { insertBatch, insertVouchers, listStoredDigests } from './voucher-import-store.ts';
import { voucherDigest } from '../voucher-secrets.ts';

export type ImportOutcome = 'imported' | 'duplicate_in_file' | 'already_stored' | 'invalid';

export interface ImportRowResult {
  readonly line: number;
  readonly outcome: ImportOutcome;
  /** Why, when it is invalid. */
  readonly problem?: string;
}

export interface ImportVouchersDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly clock: Clock;
}

export interface ImportVouchersInput {
  readonly variantId: number;
  /** The brand of the variant's product: a code is unique in it. */
  readonly brandId: number;
  readonly rows: AsyncIterable<ImportRow | UnusableRow> | Iterable<ImportRow | UnusableRow>;
  readonly supplier?: string;
  /** What one code cost. */
  readonly costMinor?: number;
  /** Where the rows came from, for people: a file's name. */
  readonly sourceName?: string;
  /** Says what would happen and writes nothing. */
  readonly dryRun?: boolean;
  /** Every row once, in the order of the file. */
  onRow?(result: ImportRowResult): void;
  /** After every thousand rows, and at the end. */
  onProgress?(rowsRead: number): void;
}

export interface ImportSummary {
  /** Null when nothing was written. */
  readonly batchId: number | null;
  readonly dryRun: boolean;
  readonly read: number;
  readonly imported: number;
  readonly duplicateInFile: number;
  readonly alreadyStored: number;
  readonly invalid: number;
}

/**
 * Puts delivered codes into the vault as one batch. Rows go in by the thousand, each thousand in a transaction of its
 * own: memory stays flat (a digest of each row is kept, to notice repeats), locks are short, and an import that was cut
 * off is finished by running it again, since what is stored already is left alone. Good rows go in although others
 * are wrong; every row is reported.
 */
export async function importVouchers(
  deps: ImportVouchersDeps,
  input: ImportVouchersInput,
): Promise<ImportSummary> {
  const run: ImportRun = { ...deps, input, seen: createDigestSet(), batchId: null };
  const counts: Record<ImportOutcome, number> = {
    imported: 0,
    duplicate_in_file: 0,
    already_stored: 0,
    invalid: 0,
  };
  let read = 0;
  for await (const chunk of inChunks(input.rows, CHUNK_ROWS)) {
    for (const result of await importChunk(run, chunk)) {
      counts[result.outcome] += 1;
      input.onRow?.(result);
    }
    read += chunk.length;
    input.onProgress?.(read);
  }
  return {
    batchId: run.batchId,
    dryRun: input.dryRun === true,
    read,
    imported: counts.imported,
    duplicateInFile: counts.duplicate_in_file,
    alreadyStored: counts.already_stored,
    invalid: counts.invalid,
  };
}

interface ImportRun extends ImportVouchersDeps {
  readonly input: ImportVouchersInput;
  /** Digests read so far. */
  readonly seen: DigestSet;
  batchId: number | null;
}

async function importChunk(
  run: ImportRun,
  rows: readonly (ImportRow | UnusableRow)[],
): Promise<ImportRowResult[]> {
  const judged = rows.map((row) => judge(run, row));
  const candidates = judged.filter((each) => 'digest' in each);
  const stored = await store(run, candidates);
  return judged.map((each) => {
    if (!('digest' in each)) return each;
    return { line: each.code.line, outcome: stored.has(keyOf(each.digest)) ? 'imported' : 'already_stored' };
  });
}

function judge(run: ImportRun, row: ImportRow | UnusableRow): Candidate | ImportRowResult {
  const code = 'problem' in row ? row : checkImportRow(row, run.clock.now());
  if ('problem' in code) return { line: code.line, outcome: 'invalid', problem: code.problem };
  const digest = voucherDigest(run.box, code.code);
  return run.seen.add(digest) ? { code, digest } : { line: code.line, outcome: 'duplicate_in_file' };
}

/** Writes those that are new. @returns the keys of what was written, or would be. */
async function store(run: ImportRun, candidates: readonly Candidate[]): Promise<Set<string>> {
  const { db, input } = run;
  const digests = candidates.map(({ digest }) => digest);
  const known = new Set((await listStoredDigests(db, input.brandId, digests)).map(keyOf));
  const fresh = candidates.filter(({ digest }) => !known.has(keyOf(digest)));
  if (fresh.length === 0 || input.dryRun) return new Set(fresh.map(({ digest }) => keyOf(digest)));
  // Sealed before the transaction opens: it holds its locks for the writing only.
  const codes = fresh.map((candidate) => sealCandidate(run.box, candidate));
  const { variantId, brandId } = input;
  const costMinor = input.costMinor ?? null;
  const { batchId, inserted } = await inTransaction(db, async (tx) => {
    const batch = {
      variantId,
      supplier: input.supplier ?? null,
      costMinor,
      sourceName: input.sourceName ?? null,
    };
    const id = run.batchId ?? (await insertBatch(tx, batch));
    return {
      batchId: id,
      inserted: await insertVouchers(tx, { batchId: id, variantId, brandId, costMinor, codes }),
    };
  });
  run.batchId = batchId;
  return new Set(inserted.map(keyOf));
}
