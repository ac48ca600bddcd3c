import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { Reader } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { CodeSelection } from '../codes/code-store.ts';
import { readCodes } from '../codes/read-codes.ts';
import { redemptionContexts } from '../redemption-secrets.ts';
import type { PrintTask } from './print-task.ts';
import type { PrintRequest } from './printer.ts';

const CODES_AT_ONCE = 100;
const PRINTER = join(import.meta.dirname, 'printer.ts');
/**
 * Little room for garbage. A process of its own, because what drawing takes is given back when it ends: drawn in a thread
 * of ours, 10,000 codes left 100 MB behind that did not come back (bench/redemption.ts).
 */
const PRINTER_MEMORY = ['--max-semi-space-size=2', '--max-old-space-size=128'];

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
    press.stop();
  }
}

interface Press {
  /** @param tokens null when there are no more. */
  readonly print: (tokens: PrintRequest['tokens']) => Promise<Uint8Array>;
  readonly stop: () => void;
}

function startPress(task: PrintTask): Press {
  const printer = fork(PRINTER, {
    execArgv: PRINTER_MEMORY,
    serialization: 'advanced',
    // Nothing that a printer needs to know.
    env: {},
  });
  const failed = new Promise<never>((_resolve, reject) => {
    printer.once('error', reject);
    printer.once('exit', (code) => reject(new Error(`The printer ended with ${code}`)));
  });
  // Whoever waits for an answer hears of it; a printer that fails while nobody waits ends the next one that does.
  failed.catch(() => undefined);
  printer.send(task);
  return {
    async print(tokens) {
      const answered = once(printer, 'message');
      printer.send({ tokens } satisfies PrintRequest);
      const [bytes] = (await Promise.race([answered, failed])) as [Uint8Array];
      return bytes;
    },
    stop() {
      printer.kill();
    },
  };
}
