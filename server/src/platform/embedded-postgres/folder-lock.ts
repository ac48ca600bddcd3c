import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pollUntil } from './child-process.ts';
import { ExplainedError } from './failure.ts';

/** Held until `release`, or until this process ends in whatever way. */
export type FolderLock = { release(): void };

/** How the lock is asked for; `waitMs` is how long to wait for another holder to leave. */
export type FolderLockOptions = { folder: string; waitMs: number; onProgress: (text: string) => void };

/**
 * Takes the one lock of a data folder, so that two starters never work on the same cluster.
 *
 * The lock is an exclusive SQLite lock on an empty file: a kernel lock, which ends with its process however that
 * dies. A lock made of a pid and a start time can go stale, and two starters that both see it stale can remove
 * each other's fresh one. The file itself must never be opened in any other way: POSIX drops all locks of a process
 * when it closes any descriptor of the file. That is why the holder is written into a second file.
 *
 * @throws Error that names the holder and says what to do, when another process keeps the lock for `waitMs`
 */
export async function lockFolder({ folder, waitMs, onProgress }: FolderLockOptions): Promise<FolderLock> {
  const database = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  const holderFile = join(folder, 'lock-holder.json');
  let told = false;
  const taken = await pollUntil(() => {
    if (tryLock(database)) return true;
    if (!told) onProgress(`Waiting for ${describeHolder(holderFile)} to let go of ${folder}`);
    told = true;
    return false;
  }, waitMs);
  if (!taken) {
    database.close();
    throw new ExplainedError(heldMessage(folder, describeHolder(holderFile)));
  }
  writeFileSync(holderFile, JSON.stringify({ pid: process.pid, since: new Date().toISOString() }), {
    mode: 0o600,
  });
  return {
    release: () => {
      if (!database.isOpen) return;
      rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    // 5 is SQLITE_BUSY: someone else holds it. Anything else (no space, no permission) is a real failure.
    if ((error as { errcode?: number }).errcode === 5) return false;
    throw error;
  }
}

function describeHolder(holderFile: string): string {
  try {
    const holder = JSON.parse(readFileSync(holderFile, 'utf8')) as { pid: number; since: string };
    return `process ${holder.pid} (running since ${holder.since})`;
  } catch {
    return 'another process';
  }
}

function heldMessage(folder: string, holder: string): string {
  const pid = /^process (\d+)/.exec(holder)?.[1];
  const stopIt = pid === undefined ? 'Stop that process' : `Stop it (kill ${pid})`;
  return `The database folder ${folder} is in use by ${holder}. ${stopIt}, or start this one with another data folder or with DATABASE_URL set.`;
}
