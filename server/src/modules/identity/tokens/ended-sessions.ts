import type { Reader } from '../../../platform/db/database.ts';
import type { Clock } from '../../../platform/time.ts';
import { listSessionsEndedSince } from './session-store.ts';

/**
 * Which sessions ended while their access tokens were still good. Every process keeps its own copy, so that a
 * customer's request needs no round trip to be let in; blocking a customer ends all sessions, so this covers it.
 */
export interface EndedSessions {
  /** @throws when the copy could not be renewed in time: letting a revoked token in is worse than a 503. */
  has(sessionId: string): Promise<boolean>;
  /** For the process that ended them: it knows at once. */
  note(sessionIds: readonly string[]): void;
}

/** Asked for in the background when older than this; a change holds everywhere within a second or two … */
const RENEW_AFTER_MS = 1_000;
/** … and waited for when older than this. */
const WAIT_AFTER_MS = 4_000;
/** A transaction may commit an end this long after the moment it wrote into the row. */
const LATE_COMMIT_MS = 60_000;

export function createEndedSessions(deps: {
  db: Reader;
  clock: Clock;
  accessTokenSeconds: number;
}): EndedSessions {
  const { db, clock } = deps;
  const keepMs = deps.accessTokenSeconds * 1000 + LATE_COMMIT_MS;
  const endedAt = new Map<string, number>();
  let renewedAt = Number.NEGATIVE_INFINITY;
  let renewal: Promise<void> | undefined;

  async function renew(): Promise<void> {
    const now = clock.now().getTime();
    const since = Math.max(renewedAt - LATE_COMMIT_MS, now - keepMs);
    for (const { id, ended_at } of await listSessionsEndedSince(db, new Date(since))) {
      endedAt.set(id, ended_at.getTime());
    }
    for (const [id, at] of endedAt) if (at < now - keepMs) endedAt.delete(id);
    renewedAt = now;
  }

  function renewOnce(): Promise<void> {
    renewal ??= renew().finally(() => (renewal = undefined));
    return renewal;
  }

  return {
    async has(sessionId) {
      const ageMs = clock.now().getTime() - renewedAt;
      if (ageMs > WAIT_AFTER_MS) await renewOnce();
      // A failure shows to whoever has to wait for the next one.
      else if (ageMs > RENEW_AFTER_MS) renewOnce().catch(() => undefined);
      return endedAt.has(sessionId);
    },
    note(sessionIds) {
      const now = clock.now().getTime();
      for (const id of sessionIds) endedAt.set(id, now);
    },
  };
}
