import { inOneStatement } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Clock } from '../../../platform/time.ts';
import type { EndedSessions } from './ended-sessions.ts';
import { refreshDigest } from './open-session.ts';
import { endSessions, findSessionOfToken } from './session-store.ts';
import type { SessionHolder, SessionsToEnd } from './session-store.ts';

export interface SignOutDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly endedSessions: EndedSessions;
}

/** Ends sessions and tells this process at once; others learn of it within two seconds. */
export async function endAndNote(deps: SignOutDeps, which: Omit<SessionsToEnd, 'now'>): Promise<number> {
  const now = deps.clock.now();
  const ended = await inOneStatement(deps.db, (tx) => endSessions(tx, { ...which, now }));
  deps.endedSessions.note(ended);
  return ended.length;
}

/** Ends the family of a customer's refresh token. An unknown one is over already: the same answer. */
export async function signOutByToken(deps: SignOutDeps, refreshToken: string): Promise<void> {
  const session = await findSessionOfToken(deps.db, refreshDigest(refreshToken));
  if (!session?.user_id) return;
  await endAndNote(deps, { sessionId: session.id, reason: 'signed_out' });
}

/** @throws AppError NOT_FOUND unless it is a live session of this holder. */
export async function revokeSession(
  deps: SignOutDeps,
  session: SessionHolder & { sessionId: string },
): Promise<void> {
  const count = await endAndNote(deps, { ...session, reason: 'revoked' });
  if (count === 0) throw new AppError('NOT_FOUND', 'There is no such session');
}
