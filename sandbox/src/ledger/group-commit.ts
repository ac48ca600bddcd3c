import { open } from 'node:fs/promises';

export interface GroupCommit {
  /** Queues one line; it is on disk once a later `flushed()` resolves. */
  append(line: string): void;
  /** Resolves when every line appended so far is written and synced. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Appends lines to a file and syncs them in groups: everything queued while one
 * sync runs goes out with the next, so a hundred callers pay for one disk write.
 * A failed write fails every later `flushed()`: nothing is answered that is not kept.
 */
export async function openGroupCommit(path: string): Promise<GroupCommit> {
  const file = await open(path, 'a', 0o600);
  let pending: string[] = [];
  let queued: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function writePending(): Promise<void> {
    // One turn of the event loop lets the rest of this request's lines join in.
    await new Promise(setImmediate);
    const lines = pending.join('');
    pending = [];
    queued = undefined;
    await file.appendFile(lines);
    await file.datasync();
  }

  function flushed(): Promise<void> {
    if (pending.length > 0 && queued === undefined) {
      queued = last.then(writePending);
      queued.catch(() => {}); // reported to whoever awaits flushed()
      last = queued;
    }
    return last;
  }

  return {
    append(line) {
      pending.push(`${line}\n`);
      void flushed().catch(() => {});
    },
    flushed,
    async close() {
      await flushed();
      await file.close();
    },
  };
}
