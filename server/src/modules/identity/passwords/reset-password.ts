import { setTimeout as wait } from 'node:timers/promises';

import { inTransaction } from '../../../platform/db/database.ts';
import type { Language } from '../../../platform/language.ts';
import { findUserByMsisdn } from '../accounts/user-store.ts';
import { limitsFor } from '../guessing/guess-limits.ts';
import { proveOtp } from '../otp/prove-otp.ts';
import type { OtpDeps } from '../otp/prove-otp.ts';
import { prepareOtp } from '../otp/send-otp.ts';
import type { SendOtpDeps } from '../otp/send-otp.ts';
import { deleteGuessCounter } from '../guessing/guess-store.ts';
import { endSessions } from '../tokens/session-store.ts';
import type { SignOutDeps } from '../tokens/sign-out.ts';
import type { Visitor } from '../visitor.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { updatePassword } from './password-store.ts';

/** Longer than looking up, storing and handing a text to a provider near by take. */
const ANSWER_AFTER_MS = 300;

/**
 * Sends a code when there is an account, and answers the same, after the same time, when there is none.
 * @throws AppError TOO_MANY_REQUESTS and the other refusals of `prepareOtp`, which do not depend on the account.
 */
export async function forgotPassword(
  deps: SendOtpDeps,
  input: { msisdn: string; visitor: Visitor; language: Language },
): Promise<void> {
  const answerTime = wait(ANSWER_AFTER_MS);
  const user = await findUserByMsisdn(deps.db, input.msisdn);
  const deliver = user?.status === 'active';
  const otp = await prepareOtp(deps, { ...input, purpose: 'reset_password', deliver });
  // Not awaited: how long the provider takes would tell that there is an account. Its failure is in the log.
  otp.send().catch(() => undefined);
  await answerTime;
}

export interface ResetPasswordDeps extends OtpDeps, SignOutDeps {
  readonly hasher: PasswordHasher;
}

/**
 * Sets a password by one-time password and ends every session.
 * @throws AppError VALIDATION_ERROR (field `otp_code`), the same for a number without an account.
 */
export async function resetPassword(
  deps: ResetPasswordDeps,
  input: { msisdn: string; proof: string; newPassword: string; visitor: Visitor },
): Promise<void> {
  const { msisdn, proof, newPassword, visitor } = input;
  const useOtp = await proveOtp(deps, { purpose: 'reset_password', msisdn }, proof);
  const passwordHash = await deps.hasher.hash(newPassword);
  const now = deps.clock.now();
  const [account] = limitsFor('sign_in', msisdn, visitor.limitKey);
  const ended = await inTransaction(deps.db, async (tx) => {
    await useOtp(tx);
    const user = await findUserByMsisdn(tx, msisdn);
    if (!user) return [];
    const holder = { userId: user.id };
    await updatePassword(tx, holder, passwordHash);
    // Failures with the forgotten password no longer keep its owner out.
    if (account) await deleteGuessCounter(tx, account);
    return endSessions(tx, { ...holder, reason: 'password_reset', now });
  });
  deps.endedSessions.note(ended);
}
