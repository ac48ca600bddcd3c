import { inOneStatement, inTransaction } from '../../../platform/db/database.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import type { RecordAudit } from '../../../platform/audit.ts';
import { READABLE_ALPHABET } from '../../../platform/random.ts';
import type { Random } from '../../../platform/random.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { Actor } from '../campaigns/create-campaign.ts';
import { findCampaign } from '../campaigns/campaign-store.ts';
import { conflict, noCampaign } from '../errors.ts';
import { redemptionContexts, tokenDigest, voucherCodeDigest } from '../redemption-secrets.ts';
import {
  advanceGeneration,
  askSweepAgain,
  finishGeneration,
  insertGeneration,
  insertNewCodes,
} from './generation-store.ts';
import type { CodeToInsert } from './generation-store.ts';

export interface GenerateDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly random: Random;
  readonly recordAudit: RecordAudit;
}

/** A voucher code to be put behind a token. */
export interface Entry {
  readonly voucherCode: string;
  readonly instructions: string | null;
}

export interface GeneratedCode {
  readonly id: number;
  readonly token: string;
}

export interface Generated {
  readonly generationId: number;
  readonly codeLength: number;
  /** In the order of the entries. */
  readonly codes: readonly GeneratedCode[];
}

/** Tries for each code that is wanted, before generation gives up (interface part 4). */
const TRIES_PER_CODE = 10;
/** Sealing this many holds up everything else in the process for some 20 ms. */
const CODES_AT_ONCE = 2_000;

/**
 * Generates tokens, each equally likely, none of them anywhere in use: with a voucher code behind it (`unused`), or to
 * be filled later (`pending_stock`). All or nothing, so a list of paid voucher codes can be sent again after a failure.
 * How far it is can be read in the meantime.
 * @param wanted.entries null for tokens without voucher codes.
 * @throws AppError NOT_FOUND; CONFLICT when `count` × 10 tries did not find enough free tokens.
 */
export async function generateCodes(
  deps: GenerateDeps,
  wanted: {
    campaignId: number;
    count: number;
    entries: readonly Entry[] | null;
    codeLength: number | undefined;
    actor: Actor;
  },
): Promise<Generated> {
  const { campaignId, count, actor } = wanted;
  const campaign = await findCampaign(deps.db, campaignId);
  if (!campaign) throw noCampaign();
  const codeLength = wanted.codeLength ?? campaign.code_length;
  const generationId = await inOneStatement(deps.db, (tx) =>
    insertGeneration(tx, { campaignId, requested: count }),
  );
  if (generationId === undefined) throw noCampaign();
  const run: Run = { deps, campaignId, generationId, codeLength, entries: wanted.entries, count };
  try {
    const codes = await inTransaction(deps.db, async (tx) => {
      const created = await insertAll(tx, run);
      await askSweepAgain(tx, campaignId);
      await finishGeneration(tx, { id: generationId, state: 'done', created: created.length });
      await deps.recordAudit(tx, {
        ...actor,
        action: 'redemption:generate-codes',
        resource: `redemption_campaign:${campaignId}`,
        after: {
          generation_id: generationId,
          created: created.length,
          with_voucher_codes: wanted.entries !== null,
        },
      });
      return created;
    });
    return { generationId, codeLength, codes };
  } catch (error) {
    await inOneStatement(deps.db, (tx) =>
      finishGeneration(tx, { id: generationId, state: 'failed', created: 0 }),
    );
    throw error;
  }
}

interface Run {
  readonly deps: GenerateDeps;
  readonly campaignId: number;
  readonly generationId: number;
  readonly codeLength: number;
  readonly entries: readonly Entry[] | null;
  readonly count: number;
}

/** What is still without a token, and how many tries are left for all of it. */
interface Progress {
  readonly codes: GeneratedCode[];
  triesLeft: number;
}

async function insertAll(tx: Tx, run: Run): Promise<GeneratedCode[]> {
  const progress: Progress = { codes: [], triesLeft: run.count * TRIES_PER_CODE };
  for (let start = 0; start < run.count; start += CODES_AT_ONCE) {
    const size = Math.min(CODES_AT_ONCE, run.count - start);
    progress.codes.push(...(await insertChunk(tx, run, { start, size, progress })));
    // On another connection, since nobody sees what this transaction writes; and not awaited, since with the pool used
    // up this transaction would wait for itself.
    void report(run, progress.codes.length);
  }
  return progress.codes;
}

/** Progress is for people: a report that fails costs nothing else. */
function report(run: Run, created: number): Promise<void> {
  return inOneStatement(run.deps.db, (tx) => advanceGeneration(tx, run.generationId, created)).catch(
    () => undefined,
  );
}

async function insertChunk(
  tx: Tx,
  run: Run,
  chunk: { start: number; size: number; progress: Progress },
): Promise<GeneratedCode[]> {
  const { start, size, progress } = chunk;
  const found = new Map<number, GeneratedCode>();
  while (found.size < size) {
    const drawn = drawTokens(run, { start, size, progress, found });
    const ids = await insertNewCodes(
      tx,
      run,
      [...drawn.values()].map(({ code }) => code),
    );
    for (const [token, { position, code }] of drawn) {
      const id = ids.get(code.tokenDigest.toString('hex'));
      if (id !== undefined) found.set(position, { id, token });
    }
  }
  return Array.from({ length: size }, (_, index) => found.get(start + index)).filter(
    (code) => code !== undefined,
  );
}

/** One token for each position of the chunk that has none, none of them twice. */
function drawTokens(
  run: Run,
  chunk: { start: number; size: number; progress: Progress; found: ReadonlyMap<number, GeneratedCode> },
): Map<string, { position: number; code: CodeToInsert }> {
  const { start, size, progress, found } = chunk;
  const drawn = new Map<string, { position: number; code: CodeToInsert }>();
  for (let position = start; position < start + size; position += 1) {
    if (found.has(position)) continue;
    let token: string;
    do {
      if (progress.triesLeft === 0) throw outOfTokens(run);
      progress.triesLeft -= 1;
      token = run.deps.random.text(READABLE_ALPHABET, run.codeLength);
    } while (drawn.has(token));
    drawn.set(token, { position, code: sealCode(run.deps.box, token, run.entries?.[position]) });
  }
  return drawn;
}

const outOfTokens = (run: Run) =>
  conflict(`Not enough free tokens of ${run.codeLength} characters were found: choose a longer code_length`, {
    type: 'TokensExhaustedError',
    requested: run.count,
    tries: run.count * TRIES_PER_CODE,
  });

function sealCode(box: SecretBox, token: string, entry: Entry | undefined): CodeToInsert {
  return {
    tokenDigest: tokenDigest(box, token),
    tokenSealed: box.seal(token, redemptionContexts.token),
    voucherCode: entry ? sealVoucherCode(box, entry.voucherCode) : null,
    instructions: entry?.instructions ?? null,
  };
}

export function sealVoucherCode(box: SecretBox, voucherCode: string): { sealed: Buffer; digest: Buffer } {
  return {
    sealed: box.seal(voucherCode, redemptionContexts.voucherCode),
    digest: voucherCodeDigest(box, voucherCode),
  };
}
