import type { Database } from '../../../platform/db/database.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { Clock } from '../../../platform/time.ts';
import { tooManyGuesses } from '../errors.ts';
import { addFailures, deleteGuessCounter, listOpenCounters } from './guess-store.ts';
import type { GuessCounterRow, GuessKey } from './guess-store.ts';

/** What is being guessed at, and how often it may fail in 15 minutes. */
export interface GuessLimit extends GuessKey {
  readonly failures: number;
}

const WINDOW_SECONDS = 15 * 60;
const FAILURES_OF_ACCOUNT = 10;
const FAILURES_OF_ADDRESS = 50;

export type GuessedSecret = 'sign_in' | 'admin_login' | 'password_change' | 'admin_totp';

/** Two counters that never combine: one for the account whoever asks, one for the address whatever it tries. */
export function limitsFor(secret: GuessedSecret, account: string, address: string): GuessLimit[] {
  return [
    { kind: secret, subject: account, failures: FAILURES_OF_ACCOUNT },
    { kind: `${secret}_address`, subject: address, failures: FAILURES_OF_ADDRESS },
  ];
}

export interface GuessGuard {
  /**
   * Runs `check` and counts it if it answers undefined (a failure); a success clears the account's count.
   * The count is read again after the check: tries that ran side by side with the tenth failure learn nothing,
   * not even that they were right.
   * @throws AppError TOO_MANY_REQUESTS with the seconds until the window ends.
   */
  guard<Value>(
    limits: readonly GuessLimit[],
    check: () => Promise<Value | undefined>,
  ): Promise<Value | undefined>;
}

export function createGuessGuard(deps: { db: Database; clock: Clock }): GuessGuard {
  const { db, clock } = deps;
  return {
    async guard(limits, check) {
      await refuseOver(deps, limits);
      const value = await check();
      const now = clock.now();
      if (value === undefined) {
        const window = { now, endsAt: secondsAfter(now, WINDOW_SECONDS) };
        refuseRows(await addFailures(db, limits, window), { limits, now, allowed: 0 });
        return undefined;
      }
      const counters = await refuseOver(deps, limits);
      const account = limits[0];
      if (account && counters.some((row) => row.kind === account.kind)) await deleteGuessCounter(db, account);
      return value;
    },
  };
}

async function refuseOver(
  deps: { db: Database; clock: Clock },
  limits: readonly GuessLimit[],
): Promise<GuessCounterRow[]> {
  const now = deps.clock.now();
  const rows = await listOpenCounters(deps.db, limits, now);
  refuseRows(rows, { limits, now, allowed: -1 });
  return rows;
}

/** `allowed` 0: the failure that reaches the limit is still answered as one; -1: the next try is not made. */
function refuseRows(
  rows: readonly GuessCounterRow[],
  rule: { limits: readonly GuessLimit[]; now: Date; allowed: 0 | -1 },
): void {
  const over = rows.filter((row) => {
    const limit = rule.limits.find((candidate) => candidate.kind === row.kind);
    return limit !== undefined && row.failures > limit.failures + rule.allowed;
  });
  if (over.length === 0) return;
  const endsAt = Math.max(...over.map((row) => row.window_ends_at.getTime()));
  throw tooManyGuesses(Math.max(1, Math.ceil((endsAt - rule.now.getTime()) / 1000)));
}
