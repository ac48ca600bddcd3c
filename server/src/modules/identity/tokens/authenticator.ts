import type { AdminCaller, ClientCaller } from '../../../platform/http/endpoint.ts';
import type { Authenticator } from '../../../platform/http/mount.ts';
import type { Clock } from '../../../platform/time.ts';
import { tokenRefused } from '../errors.ts';
import type { AccessTokens, TokenSubject } from './access-tokens.ts';
import type { EndedSessions } from './ended-sessions.ts';

export interface AuthenticatorDeps {
  readonly clock: Clock;
  readonly accessTokens: Readonly<Record<'client' | 'admin', AccessTokens>>;
  readonly endedSessions: EndedSessions;
  /** The admin behind a live session, as of now. @throws AppError UNAUTHORIZED when it is over or they are suspended. */
  findAdminCaller(subject: TokenSubject): Promise<AdminCaller>;
  /** How API keys begin, and who is behind one. @throws AppError UNAUTHORIZED. */
  readonly apiKeyPrefix: string;
  findKeyCaller(key: string): Promise<AdminCaller>;
}

/** A change of a role or a suspension holds on every process after at most this (issue: within 5 s). */
const ADMIN_CACHE_MS = 2_000;
const ADMIN_CACHE_ENTRIES = 1_000;

interface CachedCaller {
  readonly caller: Promise<AdminCaller>;
  readonly loadedAt: number;
}

/** Turns bearer tokens into callers. `forgetAdmins` makes this process see a change of permissions at once. */
export function createAuthenticator(deps: AuthenticatorDeps): Authenticator & { forgetAdmins(): void } {
  const { clock, accessTokens, endedSessions } = deps;
  const admins = new Map<string, CachedCaller>();

  function remembered(key: string, load: () => Promise<AdminCaller>): Promise<AdminCaller> {
    const now = clock.now().getTime();
    const known = admins.get(key);
    if (known && now - known.loadedAt < ADMIN_CACHE_MS) return known.caller;
    if (admins.size >= ADMIN_CACHE_ENTRIES) admins.clear();
    const caller = load();
    admins.set(key, { caller, loadedAt: now });
    caller.catch(() => admins.delete(key));
    return caller;
  }

  return {
    async client(token): Promise<ClientCaller> {
      const { holderId, sessionId } = await accessTokens.client.verify(token);
      if (await endedSessions.has(sessionId)) throw tokenRefused();
      return { kind: 'client', userId: holderId, sessionId };
    },
    async admin(token) {
      if (token.startsWith(deps.apiKeyPrefix)) return remembered(token, () => deps.findKeyCaller(token));
      const subject = await accessTokens.admin.verify(token);
      // A session belongs to one admin, but the cache must not depend on it: the key names both.
      return remembered(`${subject.holderId} ${subject.sessionId}`, () => deps.findAdminCaller(subject));
    },
    forgetAdmins: () => admins.clear(),
  };
}
