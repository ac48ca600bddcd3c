import type { Database, Tx } from '../../platform/db/database.ts';
import type { AdminCaller } from '../../platform/http/endpoint.ts';
import type { Authenticator } from '../../platform/http/mount.ts';
import type { Logger } from '../../platform/log.ts';
import type { Random } from '../../platform/random.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Clock } from '../../platform/time.ts';
import { permissionsOf } from './admins/admin-permissions.ts';
import { findAdminOfSession } from './admins/admin-store.ts';
import { API_KEY_PREFIX, findKeyCaller } from './api-keys/api-keys.ts';
import type { CustomerRecords } from './customer-records.ts';
import { tokenRefused } from './errors.ts';
import { createGuessGuard } from './guessing/guess-limits.ts';
import type { GuessGuard } from './guessing/guess-limits.ts';
import type { MailLetter } from './mail-links/mail-links.ts';
import { defaultOtpLimits } from './otp/otp-rules.ts';
import type { OtpLimits } from './otp/otp-rules.ts';
import type { SmsAbuse } from './otp/send-otp.ts';
import { createPasswordHasher } from './passwords/password-hasher.ts';
import type { PasswordHasher } from './passwords/password-hasher.ts';
import type { SmsSender } from './sms/sms-sender.ts';
import { createAccessTokens } from './tokens/access-tokens.ts';
import type { AccessTokens, TokenSubject } from './tokens/access-tokens.ts';
import { createAuthenticator } from './tokens/authenticator.ts';
import { createEndedSessions } from './tokens/ended-sessions.ts';
import type { EndedSessions } from './tokens/ended-sessions.ts';
import type { TokenKeys } from './tokens/token-keys.ts';

export interface IdentityDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly tokenKeys: TokenKeys;
  /** 900 to 3,600 (interface part 5, rule 1). */
  readonly accessTokenSeconds: number;
  readonly secretBox: SecretBox;
  readonly sms: SmsSender;
  readonly records: CustomerRecords;
  /** Where browsers reach the pages, without a trailing slash: for links in e-mails. */
  readonly publicUrl: string;
  /** Resolves when the mail server has the letter. */
  sendMail(letter: MailLetter): Promise<void>;
  /** The defaults of decisions part 2 when left out. */
  readonly otpLimits?: OtpLimits;
  /** Opens an alert: texts go out that nobody reads. In the transaction that noticed. */
  reportSmsAbuse(tx: Tx, abuse: SmsAbuse): Promise<void>;
}

/** What the use cases of this module are given: each names the few of them that it needs. */
export interface IdentityParts extends IdentityDeps {
  readonly otpLimits: OtpLimits;
  readonly accessTokens: Readonly<Record<'client' | 'admin', AccessTokens>>;
  readonly endedSessions: EndedSessions;
  readonly hasher: PasswordHasher;
  readonly guesses: GuessGuard;
  readonly authenticator: Authenticator;
  /** Makes this process see a change of permissions at once; others see it within two seconds. */
  forgetAdmins(): void;
}

export function createParts(deps: IdentityDeps): IdentityParts {
  const { db, clock, tokenKeys, accessTokenSeconds } = deps;
  const tokenOptions = { clock, lifeSeconds: accessTokenSeconds };
  const accessTokens = {
    client: createAccessTokens({ ...tokenOptions, audience: 'client', keys: tokenKeys.client }),
    admin: createAccessTokens({ ...tokenOptions, audience: 'admin', keys: tokenKeys.admin }),
  };
  const endedSessions = createEndedSessions({ db, clock, accessTokenSeconds });
  const authenticator = createAuthenticator({
    clock,
    accessTokens,
    endedSessions,
    findAdminCaller: (subject) => findAdminCaller(deps, subject),
    apiKeyPrefix: API_KEY_PREFIX,
    findKeyCaller: (key) => findKeyCaller(deps, key),
  });
  return {
    ...deps,
    otpLimits: deps.otpLimits ?? defaultOtpLimits,
    accessTokens,
    endedSessions,
    hasher: createPasswordHasher(),
    guesses: createGuessGuard({ db, clock }),
    authenticator,
    forgetAdmins: () => authenticator.forgetAdmins(),
  };
}

async function findAdminCaller(
  { db, clock }: Pick<IdentityDeps, 'db' | 'clock'>,
  { holderId, sessionId }: TokenSubject,
): Promise<AdminCaller> {
  const admin = await findAdminOfSession(db, { id: sessionId, adminId: holderId, now: clock.now() });
  if (!admin) throw tokenRefused();
  return { kind: 'admin', adminId: admin.id, sessionId, permissions: permissionsOf(admin) };
}
