import type { Database } from '../../../platform/db/database.ts';
import { fieldError } from '../../../platform/errors.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { Clock } from '../../../platform/time.ts';
import { limitsFor } from '../guessing/guess-limits.ts';
import type { GuessGuard } from '../guessing/guess-limits.ts';
import { asciiDigits } from '../otp/otp-rules.ts';
import type { Visitor } from '../visitor.ts';
import { findTotp, takeTotpStep, useRecoveryCode } from './mfa-store.ts';
import { matchingStep } from './totp.ts';

export interface SecondFactorDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  readonly guesses: GuessGuard;
}

export const totpContext = (adminId: number): string => `totp:${adminId}`;

export function recoveryDigest(secretBox: SecretBox, adminId: number, code: string): Buffer {
  const plain = code.toUpperCase().replaceAll(/[\s-]/g, '');
  return secretBox.digest(plain, `recovery:${adminId}`);
}

/**
 * Takes the code of an authenticator, or one of the ten recovery codes; each works once.
 * @throws AppError VALIDATION_ERROR (field `code`); TOO_MANY_REQUESTS after 10 failures.
 */
export async function assertSecondFactor(
  deps: SecondFactorDeps,
  shown: { adminId: number; code: string; visitor: Visitor },
): Promise<void> {
  const { adminId, code, visitor } = shown;
  const right = await deps.guesses.guard(
    limitsFor('admin_totp', `admin:${adminId}`, visitor.limitKey),
    async () => {
      const digits = asciiDigits(code).replaceAll(/\s/g, '');
      const works = /^\d{6}$/.test(digits)
        ? await usesTotp(deps, adminId, digits)
        : await useRecoveryCode(deps.db, {
            adminId,
            digest: recoveryDigest(deps.secretBox, adminId, code),
            at: deps.clock.now(),
          });
      return works || undefined;
    },
  );
  if (!right) throw fieldError('code', 'code is wrong or was used before');
}

async function usesTotp(deps: SecondFactorDeps, adminId: number, code: string): Promise<boolean> {
  const totp = await findTotp(deps.db, adminId);
  if (!totp?.totp_secret || !totp.totp_confirmed_at) return false;
  const secret = Buffer.from(deps.secretBox.open(totp.totp_secret, totpContext(adminId)), 'base64');
  const step = matchingStep(secret, code, deps.clock.now());
  return step !== undefined && (await takeTotpStep(deps.db, adminId, step));
}
