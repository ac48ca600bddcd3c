import { inTransaction, violatedConstraint } from '../../../platform/db/database.ts';
import type { Language } from '../../../platform/language.ts';
import { findUserByMsisdn } from '../accounts/user-store.ts';
import { msisdnTaken } from '../errors.ts';
import { proveOtp } from '../otp/prove-otp.ts';
import { prepareOtp } from '../otp/send-otp.ts';
import type { SendOtpDeps } from '../otp/send-otp.ts';
import { confirmPassword } from '../passwords/change-password.ts';
import type { ChangePasswordDeps } from '../passwords/change-password.ts';
import { endSessions } from '../tokens/session-store.ts';
import type { Visitor } from '../visitor.ts';
import { updateUserMsisdn } from './profile-store.ts';

export type ChangeMsisdnDeps = SendOtpDeps & ChangePasswordDeps;

/**
 * Sends a code to the new number, for one who knows the password.
 * @throws AppError VALIDATION_ERROR (field `password` or `msisdn`), CONFLICT when the number has an account,
 *   TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE.
 */
export async function startMsisdnChange(
  deps: ChangeMsisdnDeps,
  input: { userId: number; msisdn: string; password: string; visitor: Visitor; language: Language },
): Promise<void> {
  const { userId, msisdn, password, visitor, language } = input;
  await confirmPassword(deps, { holder: { userId }, password, field: 'password', visitor });
  if (await findUserByMsisdn(deps.db, msisdn)) throw msisdnTaken();
  const otp = await prepareOtp(deps, { purpose: 'change_msisdn', msisdn, visitor, language, deliver: true });
  await otp.send();
}

/**
 * The new number signs in from now on; every other session ends.
 * @throws AppError VALIDATION_ERROR (field `otp_code`), CONFLICT when somebody took the number meanwhile.
 */
export async function confirmMsisdnChange(
  deps: ChangeMsisdnDeps,
  input: { userId: number; sessionId: string; msisdn: string; proof: string },
): Promise<void> {
  const { userId, sessionId: exceptSessionId, msisdn } = input;
  const useOtp = await proveOtp(deps, { purpose: 'change_msisdn', msisdn }, input.proof);
  const now = deps.clock.now();
  const ended = await inTransaction(deps.db, async (tx) => {
    await updateUserMsisdn(tx, userId, msisdn).catch((error: unknown) => {
      throw violatedConstraint(error) === 'users__msisdn' ? msisdnTaken() : error;
    });
    await useOtp(tx);
    return endSessions(tx, { userId, exceptSessionId, reason: 'msisdn_changed', now });
  });
  deps.endedSessions.note(ended);
}
