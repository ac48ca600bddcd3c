import { statement } from '../../../platform/db/database.ts';
import type { Reader } from '../../../platform/db/database.ts';

export interface GuessCounterRow {
  readonly kind: string;
  readonly subject: string;
  readonly failures: number;
  readonly window_ends_at: Date;
}

export interface GuessKey {
  readonly kind: string;
  readonly subject: string;
}

const listOpen = statement(
  'identity_list_guess_counters',
  `SELECT kind, subject, failures, window_ends_at FROM guess_counters
   JOIN unnest($1::text[], $2::text[]) AS asked (kind, subject) USING (kind, subject)
   WHERE window_ends_at > $3`,
);
// Sorted, so that two failures at once take the rows in one order.
const countFailures = statement(
  'identity_count_guess_failures',
  `INSERT INTO guess_counters AS counter (kind, subject, failures, window_ends_at)
   SELECT kind, subject, 1, $4 FROM unnest($1::text[], $2::text[]) AS failed (kind, subject) ORDER BY kind, subject
   ON CONFLICT (kind, subject) DO UPDATE SET
     failures = CASE WHEN counter.window_ends_at > $3 THEN counter.failures + 1 ELSE 1 END,
     window_ends_at = CASE WHEN counter.window_ends_at > $3 THEN counter.window_ends_at ELSE $4 END
   RETURNING kind, subject, failures, window_ends_at`,
);
const deleteCounter = statement(
  'identity_delete_guess_counter',
  'DELETE FROM guess_counters WHERE kind = $1 AND subject = $2',
);
const deleteOver = statement(
  'identity_delete_guess_counters_over',
  'DELETE FROM guess_counters WHERE window_ends_at <= $1',
);

const columns = (keys: readonly GuessKey[]): [string[], string[]] => [
  keys.map((key) => key.kind),
  keys.map((key) => key.subject),
];

export async function listOpenCounters(
  reader: Reader,
  keys: readonly GuessKey[],
  now: Date,
): Promise<GuessCounterRow[]> {
  return (await reader.query<GuessCounterRow>(listOpen, [...columns(keys), now])).rows;
}

/** Adds one failure to each counter; a window that is over starts again. */
export async function addFailures(
  reader: Reader,
  keys: readonly GuessKey[],
  window: { now: Date; endsAt: Date },
): Promise<GuessCounterRow[]> {
  return (await reader.query<GuessCounterRow>(countFailures, [...columns(keys), window.now, window.endsAt]))
    .rows;
}

export async function deleteGuessCounter(reader: Reader, key: GuessKey): Promise<void> {
  await reader.query(deleteCounter, [key.kind, key.subject]);
}

export async function deleteCountersOver(reader: Reader, now: Date): Promise<number> {
  return (await reader.query(deleteOver, [now])).count;
}
