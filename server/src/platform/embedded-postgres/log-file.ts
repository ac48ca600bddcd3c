import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs';

const maxBytes = 4 * 1024 * 1024;
const checkEveryMs = 30_000;
const tailBytes = 16 * 1024;

/** Opens the server log for PostgreSQL to append to; only we may read it. */
export function openLog(path: string): number {
  trimLog(path);
  return openSync(path, 'a', 0o600);
}

/** Size of the log now: what is written from here on belongs to this start. */
export function logSizeBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Copies a full log aside (one older copy is kept) and empties it. PostgreSQL appends, so it goes on writing at
 * the new end; the lines of the instant in between may be lost, which a log of warnings can bear.
 */
export function trimLog(path: string): void {
  if (logSizeBytes(path) <= maxBytes) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}

/** Keeps the log bounded while the server runs. @returns stops watching */
export function watchLogSize(path: string): () => void {
  const timer = setInterval(() => {
    try {
      trimLog(path);
    } catch {
      // The folder may be gone or the disk full; the log must never take the server down.
    }
  }, checkEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** What was logged since `fromBytes`, at most the last 16 kB. */
export function readLog(path: string, fromBytes: number): string {
  const sizeBytes = logSizeBytes(path);
  const start = Math.max(sizeBytes < fromBytes ? 0 : fromBytes, sizeBytes - tailBytes);
  if (sizeBytes <= start) return '';
  const buffer = Buffer.alloc(sizeBytes - start);
  const file = openSync(path, 'r');
  try {
    readSync(file, buffer, 0, buffer.length, start);
  } finally {
    closeSync(file);
  }
  return buffer.toString('utf8');
}
