import { inOneStatement } from '../../platform/db/database.ts';
import type { Database, Reader } from '../../platform/db/database.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { Authenticator } from '../../platform/http/mount.ts';
import type { Logger } from '../../platform/log.ts';
import type { Random } from '../../platform/random.ts';
import type { Clock } from '../../platform/time.ts';
import { parseMsisdn } from './accounts/msisdn.ts';
import { profileEndpoints } from './accounts/profile-routes.ts';
import { signInEndpoints } from './accounts/sign-in-routes.ts';
import { findUser, findUserByMsisdn, insertUser } from './accounts/user-store.ts';
import { adminAuthEndpoints } from './admins/admin-auth-routes.ts';
import { findAdminOfSession } from './admins/admin-store.ts';
import { ensureFirstAdmin, ensureRoles } from './admins/first-admin.ts';
import { createGuessGuard } from './guessing/guess-limits.ts';
import { createPasswordHasher } from './passwords/password-hasher.ts';
import { permissionsIn } from './permissions.ts';
import { createAccessTokens } from './tokens/access-tokens.ts';
import { createAuthenticator } from './tokens/authenticator.ts';
import { createEndedSessions } from './tokens/ended-sessions.ts';
import type { TokenKeys } from './tokens/token-keys.ts';

export { generateTokenKey } from './tokens/token-keys.ts';
export type { TokenKey, TokenKeys } from './tokens/token-keys.ts';
export { grantablePermissions, initialRoles, isPermission, OWN_ACCOUNT } from './permissions.ts';
export type { Permission } from './permissions.ts';

export interface IdentityDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly tokenKeys: TokenKeys;
  /** 900 to 3,600 (interface part 5, rule 1). */
  readonly accessTokenSeconds: number;
}

export interface UserContact {
  readonly email: string | null;
  readonly msisdn: string;
  readonly name: string;
}

export interface Identity {
  readonly clientEndpoints: Endpoint[];
  readonly adminEndpoints: Endpoint[];
  readonly authenticator: Authenticator;
  /** Call at every start, before the first request: roles that are missing are created. */
  ensureRoles(): Promise<void>;
  ensureFirstAdmin(admin: { email: string; password: string }): Promise<'created' | 'exists'>;
  ensureDemoCustomer(customer: {
    msisdn: string;
    name: string;
    email: string;
    password: string;
  }): Promise<void>;
  /** Undefined for an unknown or closed account. */
  findUserContact(reader: Reader, userId: number): Promise<UserContact | undefined>;
}

export function createIdentity(deps: IdentityDeps): Identity {
  const { db, clock, random, tokenKeys, accessTokenSeconds } = deps;
  const tokenOptions = { clock, lifeSeconds: accessTokenSeconds };
  const accessTokens = {
    client: createAccessTokens({ ...tokenOptions, audience: 'client', keys: tokenKeys.client }),
    admin: createAccessTokens({ ...tokenOptions, audience: 'admin', keys: tokenKeys.admin }),
  };
  const endedSessions = createEndedSessions({ db, clock, accessTokenSeconds });
  const hasher = createPasswordHasher();
  const guesses = createGuessGuard({ db, clock });
  const sessions = { db, clock, random, accessTokens, hasher, guesses };

  return {
    clientEndpoints: [...signInEndpoints(sessions), ...profileEndpoints({ db })],
    adminEndpoints: [...adminAuthEndpoints(sessions)],
    authenticator: createAuthenticator({
      clock,
      accessTokens,
      endedSessions,
      async findAdminPermissions({ holderId, sessionId }) {
        const admin = await findAdminOfSession(db, { id: sessionId, adminId: holderId, now: clock.now() });
        return admin && permissionsIn(admin.permissions);
      },
    }),
    ensureRoles: () => ensureRoles(db),
    ensureFirstAdmin: (admin) => ensureFirstAdmin({ db, hasher }, admin),
    async ensureDemoCustomer({ name, email, password, ...customer }) {
      const msisdn = parseMsisdn(customer.msisdn);
      if (await findUserByMsisdn(db, msisdn)) return;
      const passwordHash = await hasher.hash(password);
      await inOneStatement(db, (tx) => insertUser(tx, { msisdn, name, email, passwordHash }));
    },
    async findUserContact(reader, userId) {
      const user = await findUser(reader, userId);
      if (!user || user.msisdn === null) return undefined;
      return { email: user.email, msisdn: user.msisdn, name: user.name };
    },
  };
}
