import { inTransaction } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import { READABLE_ALPHABET } from '../../../platform/random.ts';
import type { Random } from '../../../platform/random.ts';
import { findAdmin } from '../admins/admin-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Actor } from '../audit/record-audit.ts';
import { adminNotFound, tokenRefused } from '../errors.ts';
import { asciiDigits } from '../otp/otp-rules.ts';
import { confirmPassword } from '../passwords/change-password.ts';
import type { ChangePasswordDeps } from '../passwords/change-password.ts';
import { assertMayGrant } from '../roles/grant-guards.ts';
import type { Visitor } from '../visitor.ts';
import { clearTotp, confirmTotp, findTotp, replaceRecoveryCodes, storePendingSecret } from './mfa-store.ts';
import { recoveryDigest, totpContext } from './second-factor.ts';
import type { SecondFactorDeps } from './second-factor.ts';
import { matchingStep, otpauthUrl, toBase32 } from './totp.ts';

export interface TotpSetupDeps extends SecondFactorDeps, ChangePasswordDeps {
  readonly random: Random;
  forgetAdmins(): void;
}

const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const RECOVERY_CODE_LENGTH = 12;

const alreadySetUp = (): AppError =>
  new AppError('CONFLICT', 'A second factor is set up already: another admin can reset it');

/**
 * A new secret, which counts once `confirmTotpSetup` has seen a code of it.
 * @throws AppError VALIDATION_ERROR (field `password`), CONFLICT when one is in force.
 */
export async function startTotpSetup(
  deps: TotpSetupDeps,
  input: { adminId: number; password: string; visitor: Visitor },
): Promise<{ secret: string; otpauthUrl: string }> {
  const { adminId, password, visitor } = input;
  await confirmPassword(deps, { holder: { adminId }, password, field: 'password', visitor });
  const admin = await findAdmin(deps.db, adminId);
  if (!admin) throw tokenRefused();
  const secret = deps.random.bytes(SECRET_BYTES);
  const sealed = deps.secretBox.seal(secret.toString('base64'), totpContext(adminId));
  const stored = await inTransaction(deps.db, (tx) => storePendingSecret(tx, adminId, sealed));
  if (!stored) throw alreadySetUp();
  return { secret: toBase32(secret), otpauthUrl: otpauthUrl(secret, admin.email) };
}

/** @throws AppError VALIDATION_ERROR (field `code`), CONFLICT when one is in force or none was started. */
export async function confirmTotpSetup(
  deps: TotpSetupDeps,
  input: { adminId: number; code: string; actor: Actor },
): Promise<{ recoveryCodes: string[] }> {
  const { adminId, actor } = input;
  const totp = await findTotp(deps.db, adminId);
  if (totp?.totp_confirmed_at) throw alreadySetUp();
  if (!totp?.totp_secret) throw new AppError('CONFLICT', 'Start with POST /admin/me/mfa/setup');
  const secret = Buffer.from(deps.secretBox.open(totp.totp_secret, totpContext(adminId)), 'base64');
  const at = deps.clock.now();
  const step = matchingStep(secret, asciiDigits(input.code).replaceAll(/\s/g, ''), at);
  if (step === undefined) throw fieldError('code', 'code is not what the authenticator shows now');
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, () =>
    deps.random.text(READABLE_ALPHABET, RECOVERY_CODE_LENGTH),
  );
  const digests = recoveryCodes.map((code) => recoveryDigest(deps.secretBox, adminId, code));
  await inTransaction(deps.db, async (tx) => {
    if (!(await confirmTotp(tx, { adminId, at, step }))) throw alreadySetUp();
    await replaceRecoveryCodes(tx, adminId, digests);
    await recordAudit(tx, { actor, action: 'admin.totp_enabled', resource: { type: 'admin', id: adminId } });
  });
  deps.forgetAdmins();
  return { recoveryCodes: recoveryCodes.map((code) => (code.match(/.{4}/g) ?? []).join('-')) };
}

/**
 * For somebody who lost their authenticator and their recovery codes; never for oneself.
 * @throws AppError NOT_FOUND, FORBIDDEN when they may do more than the actor, CONFLICT for oneself.
 */
export async function resetTotp(
  deps: TotpSetupDeps,
  input: { adminId: number; actor: Actor; own: ReadonlySet<string> },
): Promise<void> {
  const { adminId, actor, own } = input;
  if (actor.adminId === adminId)
    throw new AppError('CONFLICT', 'Ask another admin to reset your second factor');
  await inTransaction(deps.db, async (tx) => {
    const admin = await findAdmin(tx, adminId);
    if (!admin) throw adminNotFound();
    assertMayGrant(own, admin.permissions);
    await clearTotp(tx, adminId);
    await recordAudit(tx, { actor, action: 'admin.totp_reset', resource: { type: 'admin', id: adminId } });
  });
  deps.forgetAdmins();
}
