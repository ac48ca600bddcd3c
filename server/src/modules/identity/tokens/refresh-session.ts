import { inTransaction } from '../../../platform/db/database.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/log.ts';
import { refreshRefused } from '../errors.ts';
import type { Audience } from './access-tokens.ts';
import type { EndedSessions } from './ended-sessions.ts';
import { refreshDigest, successorOf } from './open-session.ts';
import type { SessionDeps, TokenPair } from './open-session.ts';
import { decideRefresh } from './refresh-rules.ts';
import { confirmGeneration, endSessions, insertRefreshToken, lockSessionOfToken } from './session-store.ts';
import type { TokenSessionRow } from './session-store.ts';

export interface RefreshDeps extends SessionDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly endedSessions: EndedSessions;
}

type Outcome =
  | { readonly kind: 'refused' }
  | { readonly kind: 'theft'; readonly sessionId: string }
  | {
      readonly kind: 'refreshed';
      readonly sessionId: string;
      readonly holderId: number;
      readonly refreshToken: string;
    };

/**
 * A new access token and the successor of this refresh token.
 * @throws AppError UNAUTHORIZED when it is unknown, over, of the other audience, or older than one already used; in
 *   the last case the session ends for everybody who holds it.
 */
export async function refreshSession(
  deps: RefreshDeps,
  audience: Audience,
  refreshToken: string,
): Promise<TokenPair> {
  const outcome = await inTransaction(deps.db, (tx) => rotate(deps, tx, { audience, refreshToken }));
  if (outcome.kind === 'theft') {
    deps.endedSessions.note([outcome.sessionId]);
    deps.log.warn(
      { sessionId: outcome.sessionId, audience },
      'a refresh token was used twice: its session is over',
    );
  }
  if (outcome.kind !== 'refreshed') throw refreshRefused();
  const { holderId, sessionId } = outcome;
  const accessToken = await deps.accessTokens[audience].sign({ holderId, sessionId });
  return { accessToken, refreshToken: outcome.refreshToken };
}

async function rotate(
  deps: RefreshDeps,
  tx: Tx,
  shown: { audience: Audience; refreshToken: string },
): Promise<Outcome> {
  const now = deps.clock.now();
  // The session's row lock puts everybody who holds one of its tokens in a line.
  const session = await lockSessionOfToken(tx, refreshDigest(shown.refreshToken));
  const holderId = session && holderOf(session, shown.audience);
  if (!session || holderId === undefined || session.ended_at || session.expires_at <= now)
    return { kind: 'refused' };
  const { id: sessionId, generation } = session;
  const decision = decideRefresh(generation, session.confirmed_generation);
  if (decision === 'theft') {
    await endSessions(tx, { sessionId, reason: 'refresh_token_reused', now });
    return { kind: 'theft', sessionId };
  }
  const refreshToken = successorOf(shown.refreshToken, session.secret);
  const successor = { sessionId, generation: generation + 1, digest: refreshDigest(refreshToken), now };
  await Promise.all([
    confirmGeneration(tx, { sessionId, generation, now }),
    insertRefreshToken(tx, successor),
  ]);
  return { kind: 'refreshed', sessionId, holderId, refreshToken };
}

function holderOf(session: TokenSessionRow, audience: Audience): number | undefined {
  return (audience === 'client' ? session.active_user_id : session.active_admin_id) ?? undefined;
}
