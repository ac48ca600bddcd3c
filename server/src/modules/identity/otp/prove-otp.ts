import { createHash, timingSafeEqual } from 'node:crypto';

import type { Database, Tx } from '../../../platform/db/database.ts';
import { fieldError } from '../../../platform/errors.ts';
import type { AppError } from '../../../platform/errors.ts';
import type { Random } from '../../../platform/random.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { Clock } from '../../../platform/time.ts';
import { OTP_TOKEN_LIFE_SECONDS, readOtp } from './otp-rules.ts';
import type { OtpPurpose } from './otp-rules.ts';
import { consumeOtp, countOtpTry, findOtpByToken, markOtpVerified } from './otp-store.ts';

export interface OtpDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly secretBox: SecretBox;
}

/** What a code was sent for: it proves nothing else. */
export interface OtpSubject {
  readonly purpose: OtpPurpose;
  /** E.164. */
  readonly msisdn: string;
}

export function otpDigest(secretBox: SecretBox, subject: OtpSubject, code: string): Buffer {
  return secretBox.digest(code, `otp:${subject.purpose}:${subject.msisdn}`);
}

const otpRefused = (field: string): AppError =>
  fieldError(field, `${field} is wrong, used or has expired: ask for a new one`);

/**
 * Exchanges a code for a token of 10 minutes. The code itself keeps working for what it was sent for, but it is
 * exchanged once, however many ask at the same time.
 * @throws AppError VALIDATION_ERROR, field `otpCode`; each try counts, the sixth is not looked at.
 */
export async function verifyOtp(
  deps: OtpDeps,
  subject: OtpSubject,
  text: string,
): Promise<{ otpToken: string }> {
  const otpId = await matchOtp(deps, subject, text);
  const otpToken = deps.random.bytes(32).toString('base64url');
  const now = deps.clock.now();
  const verified =
    otpId !== undefined &&
    (await markOtpVerified(deps.db, {
      id: otpId,
      now,
      tokenDigest: tokenDigest(otpToken),
      tokenExpiresAt: secondsAfter(now, OTP_TOKEN_LIFE_SECONDS),
    }));
  if (!verified) throw otpRefused('otpCode');
  return { otpToken };
}

/** Uses up what was proven, in the transaction that it was for: of two that race, one gets VALIDATION_ERROR. */
export type UseOtp = (tx: Tx) => Promise<void>;

/**
 * Checks the proof in `otp_code`: the token of `verifyOtp`, or the code itself while it is live.
 * @throws AppError VALIDATION_ERROR, field `otp_code`.
 */
export async function proveOtp(deps: OtpDeps, subject: OtpSubject, proof: string): Promise<UseOtp> {
  const otpId = (await matchOtp(deps, subject, proof)) ?? (await matchToken(deps, subject, proof));
  if (otpId === undefined) throw otpRefused('otp_code');
  return async (tx) => {
    if (!(await consumeOtp(tx, otpId, deps.clock.now()))) throw otpRefused('otp_code');
  };
}

async function matchOtp(deps: OtpDeps, subject: OtpSubject, text: string): Promise<number | undefined> {
  const code = readOtp(text);
  if (code === undefined) return undefined;
  const row = await countOtpTry(deps.db, { ...subject, now: deps.clock.now() });
  if (!row?.digest) return undefined;
  return timingSafeEqual(row.digest, otpDigest(deps.secretBox, subject, code)) ? row.id : undefined;
}

function matchToken(deps: OtpDeps, subject: OtpSubject, token: string): Promise<number | undefined> {
  return findOtpByToken(deps.db, { ...subject, tokenDigest: tokenDigest(token), now: deps.clock.now() });
}

function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
