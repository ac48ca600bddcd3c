import { setTimeout as wait } from 'node:timers/promises';

/** What drivers and PostgreSQL say when there is nobody to ask, or no longer. */
const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08006',
  '08003',
  '08001',
]);

/** Whether the database was not there to be asked, or went away while it was. */
export function isUnreachableDatabase(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && CODES.has(error.code)) return true;
  return /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable/i.test(
    error.message,
  );
}

/** Longer than a database takes to be started again, shorter than anybody waits for a process to end. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 500;

/**
 * Writes down what has happened in the outside world and cannot be undone (a letter that was accepted), however long the
 * database is away, up to a minute: this process is the only one that knows.
 * @param write may have been committed although it failed: its writes are guarded.
 * @throws what it threw last.
 */
export async function outlastOutage<Value>(write: () => Promise<Value>): Promise<Value> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isUnreachableDatabase(error) || performance.now() - startedAt > PATIENCE_MS) throw error;
      await wait(PAUSE_MS);
    }
  }
}
