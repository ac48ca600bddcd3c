import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import type { Reader } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { CodeSelection } from '../codes/code-store.ts';
import { readCodes } from '../codes/read-codes.ts';
import { redemptionContexts } from '../redemption-secrets.ts';
import type { PrintTask } from './print-task.ts';
import type { PrintRequest } from './print-worker.ts';

const CODES_AT_ONCE = 40;
/**
 * Little room for garbage: drawing 10,000 codes takes the process 80 to 100 MB more than it has idle, where drawing them
 * in the main thread took 110 to 180 (bench/redemption.ts).
 */
const WORKER_MEMORY = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 } as const;

/**
 * A file of printable codes in pieces. The reader sets the pace: the next codes are read and drawn when the last piece
 * was taken, so memory does not grow with the file.
 */
export async function* printCodes(
  deps: { readonly db: Reader; readonly box: SecretBox },
  selection: CodeSelection,
  task: PrintTask,
): AsyncGenerator<Uint8Array> {
  const press = startPress(task);
  try {
    for await (const rows of readCodes(deps.db, selection)) {
      for (let start = 0; start < rows.length; start += CODES_AT_ONCE) {
        const batch = rows.slice(start, start + CODES_AT_ONCE);
        const bytes = await press.print(
          batch.map((row) => deps.box.open(row.token_sealed, redemptionContexts.token)),
        );
        if (bytes.length > 0) yield bytes;
      }
    }
    yield await press.print(null);
  } finally {
    await press.stop();
  }
}

interface Press {
  readonly print: (tokens: PrintRequest) => Promise<Uint8Array>;
  readonly stop: () => Promise<unknown>;
}

function startPress(task: PrintTask): Press {
  const worker = new Worker(new URL('./print-worker.ts', import.meta.url), {
    workerData: task,
    resourceLimits: WORKER_MEMORY,
  });
  const failed = new Promise<never>((_resolve, reject) => {
    worker.once('error', reject);
  });
  // Whoever waits for an answer hears of it; a worker that fails while nobody waits ends the next one that does.
  failed.catch(() => undefined);
  return {
    async print(tokens) {
      const answered = once(worker, 'message');
      // A worker is no window: it has no origin to be named.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(tokens);
      const [bytes] = (await Promise.race([answered, failed])) as [Uint8Array];
      return bytes;
    },
    stop: () => worker.terminate(),
  };
}
