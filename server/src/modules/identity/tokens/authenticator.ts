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
  /** What the admin behind a live session may do now; undefined when the session is over or the admin suspended. */
  findAdminPermissions(subject: TokenSubject): Promise<ReadonlySet<string> | undefined>;
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

  async function loadAdmin(subject: TokenSubject): Promise<AdminCaller> {
    const permissions = await deps.findAdminPermissions(subject);
    if (!permissions) throw tokenRefused();
    return { kind: 'admin', adminId: subject.holderId, sessionId: subject.sessionId, permissions };
  }

  function admin(subject: TokenSubject): Promise<AdminCaller> {
    const now = clock.now().getTime();
    const known = admins.get(subject.sessionId);
    if (known && now - known.loadedAt < ADMIN_CACHE_MS) return known.caller;
    if (admins.size >= ADMIN_CACHE_ENTRIES) admins.clear();
    const caller = loadAdmin(subject);
    admins.set(subject.sessionId, { caller, loadedAt: now });
    caller.catch(() => admins.delete(subject.sessionId));
    return caller;
  }

  return {
    async client(token): Promise<ClientCaller> {
      const { holderId, sessionId } = await accessTokens.client.verify(token);
      if (await endedSessions.has(sessionId)) throw tokenRefused();
      return { kind: 'client', userId: holderId, sessionId };
    },
    admin: async (token) => admin(await accessTokens.admin.verify(token)),
    forgetAdmins: () => admins.clear(),
  };
}
