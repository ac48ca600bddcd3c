import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from './child-process.ts';

/** What a running PostgreSQL writes about itself: process id, start (seconds since 1970), port, state. */
export type PostmasterFile = { pid: number; startedAtSeconds: number; port: number; state: string };

/** Reads `postmaster.pid` of a cluster; undefined when there is none or it is not complete yet. */
export function readPostmasterFile(filesDir: string): PostmasterFile | undefined {
  try {
    return parsePostmasterFile(readFileSync(join(filesDir, 'postmaster.pid'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Its lines: pid, folder, start, port, socket folder, address, shared memory key, state. */
export function parsePostmasterFile(text: string): PostmasterFile | undefined {
  const lines = text.split('\n');
  const [pid, startedAtSeconds, port] = [lines[0], lines[2], lines[3]].map(Number);
  if (!pid || !startedAtSeconds || !port) return undefined;
  return { pid, startedAtSeconds, port, state: (lines[7] ?? '').trim() };
}

/**
 * Removes a `postmaster.pid` whose process is gone. PostgreSQL does that too, but it only looks whether the number is
 * in use: after a restart of a container it often is, by something else. Only with the folder lock held.
 */
export function removePostmasterFile(filesDir: string): void {
  rmSync(join(filesDir, 'postmaster.pid'), { force: true });
}

/** Whether this process is a PostgreSQL that works in this folder. */
export function worksIn(pid: number, filesDir: string): boolean {
  if (!isRunning(pid)) return false;
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).includes(filesDir);
    }
    const [itsFolder, ourFolder] = [statSync(`/proc/${pid}/cwd`), statSync(filesDir)];
    return itsFolder.dev === ourFolder.dev && itsFolder.ino === ourFolder.ino;
  } catch {
    // We may not look into it, so it runs as someone else and cannot be what we started.
    return false;
  }
}
