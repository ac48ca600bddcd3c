import { createHash, createHmac } from 'node:crypto';

import type { Tx } from '../../../platform/db/database.ts';
import type { Random } from '../../../platform/random.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { Clock } from '../../../platform/time.ts';
import type { Visitor } from '../visitor.ts';
import type { AccessTokens } from './access-tokens.ts';
import { insertSession } from './session-store.ts';

/** Seconds a sign-in lasts, however often it is refreshed. */
export const SESSION_LIFE_SECONDS = 30 * 24 * 60 * 60;

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface SessionDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly accessTokens: Readonly<Record<'client' | 'admin', AccessTokens>>;
}

export interface NewSession {
  readonly holder: { readonly audience: 'client' | 'admin'; readonly id: number };
  readonly visitor: Visitor;
}

/**
 * Stores a session with its first refresh token in the caller's transaction.
 * @returns what makes the token pair; call it after the commit, since signing does not belong in a transaction.
 */
export async function openSession(
  deps: SessionDeps,
  tx: Tx,
  session: NewSession,
): Promise<() => Promise<TokenPair>> {
  const { holder, visitor } = session;
  const now = deps.clock.now();
  const sessionId = deps.random.uuid();
  const refreshToken = deps.random.bytes(32).toString('base64url');
  await insertSession(tx, {
    id: sessionId,
    userId: holder.audience === 'client' ? holder.id : null,
    adminId: holder.audience === 'admin' ? holder.id : null,
    secret: deps.random.bytes(32),
    refreshDigest: refreshDigest(refreshToken),
    userAgent: visitor.userAgent,
    ip: visitor.ip,
    now,
    expiresAt: secondsAfter(now, SESSION_LIFE_SECONDS),
  });
  return async () => ({
    accessToken: await deps.accessTokens[holder.audience].sign({ holderId: holder.id, sessionId }),
    refreshToken,
  });
}

/** 256 random bits need no slow hash: there is nothing to guess. */
export function refreshDigest(refreshToken: string): Buffer {
  return createHash('sha256').update(refreshToken).digest();
}

/** The token that follows this one in its session: the same for everyone who holds this one and asks. */
export function successorOf(refreshToken: string, sessionSecret: Buffer): string {
  return createHmac('sha256', sessionSecret).update(refreshToken).digest('base64url');
}
