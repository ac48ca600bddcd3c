import { createHash } from 'node:crypto';

import { inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { secondsAfter } from '../../../platform/time.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { signInRefused } from '../errors.ts';
import { limitsFor } from '../guessing/guess-limits.ts';
import { findMfaChallenge, insertMfaChallenge, useMfaChallenge } from '../mfa/mfa-store.ts';
import { assertSecondFactor } from '../mfa/second-factor.ts';
import type { SecondFactorDeps } from '../mfa/second-factor.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { openSession } from '../tokens/open-session.ts';
import type { SessionDeps, TokenPair } from '../tokens/open-session.ts';
import type { Visitor } from '../visitor.ts';
import { findAdmin, findAdminByEmail } from './admin-store.ts';
import type { AdminRow } from './admin-store.ts';

export interface LogInAdminDeps extends SessionDeps, SecondFactorDeps {
  readonly hasher: PasswordHasher;
}

export interface LoggedIn {
  readonly admin: AdminRow;
  readonly tokens: TokenPair;
}

/** How long the second factor may take after the password. */
export const CHALLENGE_SECONDS = 5 * 60;

/**
 * The first step, and the only one for an admin without a second factor.
 * @throws AppError UNAUTHORIZED with one message for an unknown address and a wrong password; TOO_MANY_REQUESTS after
 *   10 failures for the address or 50 for the network address; FORBIDDEN when suspended; SERVICE_UNAVAILABLE.
 */
export async function logInAdmin(
  deps: LogInAdminDeps,
  input: { email: string; password: string; visitor: Visitor },
): Promise<LoggedIn | { readonly mfaToken: string }> {
  const { password, visitor } = input;
  const email = input.email.trim().toLowerCase();
  const admin = await deps.guesses.guard(limitsFor('admin_login', email, visitor.limitKey), async () => {
    const found = await findAdminByEmail(deps.db, email);
    return (await deps.hasher.verify(found?.password_hash, password)) ? found : undefined;
  });
  if (!admin) throw signInRefused();
  assertActive(admin);
  if (admin.totp_confirmed_at === null) return startSession(deps, admin, { visitor });
  const mfaToken = deps.random.bytes(32).toString('base64url');
  await insertMfaChallenge(deps.db, {
    digest: challengeDigest(mfaToken),
    adminId: admin.id,
    expiresAt: secondsAfter(deps.clock.now(), CHALLENGE_SECONDS),
  });
  return { mfaToken };
}

/**
 * The second step.
 * @throws AppError UNAUTHORIZED when the password step is unknown, used or over five minutes ago; VALIDATION_ERROR
 *   (field `code`); TOO_MANY_REQUESTS; FORBIDDEN when suspended.
 */
export async function finishLogIn(
  deps: LogInAdminDeps,
  input: { mfaToken: string; code: string; visitor: Visitor },
): Promise<LoggedIn> {
  const { code, visitor } = input;
  const challenge = challengeDigest(input.mfaToken);
  const adminId = await findMfaChallenge(deps.db, challenge, deps.clock.now());
  const admin = adminId === undefined ? undefined : await findAdmin(deps.db, adminId);
  if (!admin) throw signInRefused();
  assertActive(admin);
  await assertSecondFactor(deps, { adminId: admin.id, code, visitor });
  return startSession(deps, admin, { visitor, challenge });
}

function assertActive(admin: AdminRow): void {
  if (admin.status !== 'active') throw new AppError('FORBIDDEN', 'This admin is suspended');
}

async function startSession(
  deps: LogInAdminDeps,
  admin: AdminRow,
  from: { visitor: Visitor; challenge?: Buffer },
): Promise<LoggedIn> {
  const { visitor, challenge } = from;
  const holder = { audience: 'admin', id: admin.id } as const;
  const issue = await inTransaction(deps.db, async (tx) => {
    if (challenge && !(await useMfaChallenge(tx, challenge, deps.clock.now()))) throw signInRefused();
    const issueTokens = await openSession(deps, tx, { holder, visitor });
    const { ip, userAgent } = visitor;
    const actor = {
      kind: 'admin',
      adminId: admin.id,
      sessionId: null,
      ip,
      userAgent,
      requestId: null,
    } as const;
    await recordAudit(tx, { actor, action: 'admin.signed_in', resource: { type: 'admin', id: admin.id } });
    return issueTokens;
  });
  return { admin, tokens: await issue() };
}

function challengeDigest(mfaToken: string): Buffer {
  return createHash('sha256').update(mfaToken).digest();
}
