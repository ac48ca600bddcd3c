import { inTransaction } from '../../../platform/db/database.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import type { Language } from '../../../platform/language.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Random } from '../../../platform/random.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { Clock } from '../../../platform/time.ts';
import type { SmsSender } from '../sms/sms-sender.ts';
import type { Visitor } from '../visitor.ts';
import { OTP_DIGITS, OTP_LIFE_SECONDS, decideSend, isAbuse, numberRangeOf } from './otp-rules.ts';
import type { OtpLimits, OtpPurpose, SendDecision, SendRefusal } from './otp-rules.ts';
import { insertOtp, lockOtpSends, readSendFacts, updateDelivery } from './otp-store.ts';
import type { SendTarget } from './otp-store.ts';
import { otpText } from './otp-text.ts';
import { otpDigest } from './prove-otp.ts';

/** Tells the operators that codes are being sent to people who never enter them. */
export interface SmsAbuse {
  /** `sms_range:<range>` or `sms_budget`: one open alert for each. */
  readonly cause: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface SendOtpDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly secretBox: SecretBox;
  readonly sms: SmsSender;
  readonly otpLimits: OtpLimits;
  reportSmsAbuse(tx: Tx, abuse: SmsAbuse): Promise<void>;
}

export interface OtpRequest {
  readonly purpose: OtpPurpose;
  /** E.164. */
  readonly msisdn: string;
  readonly visitor: Visitor;
  /** Of the text. */
  readonly language: Language;
  /** False for a number that gets no text: the limits and the answer are the same. */
  readonly deliver: boolean;
}

/** A code that is stored and allowed to go out. `send` resolves when the provider has it. */
export interface ReadyOtp {
  send(): Promise<void>;
}

/**
 * Decides, stores the code's digest, and leaves sending to the caller, outside the transaction.
 * @throws AppError VALIDATION_ERROR for a country that gets no texts; TOO_MANY_REQUESTS for the cool-down, the limits
 *   of the number, the address and the range; SERVICE_UNAVAILABLE when the day's budget is spent.
 */
export async function prepareOtp(deps: SendOtpDeps, request: OtpRequest): Promise<ReadyOtp> {
  const { purpose, msisdn, visitor, language, deliver } = request;
  if (!deps.otpLimits.callingCodes.some((code) => msisdn.startsWith(code))) {
    throw fieldError('msisdn', `msisdn must be a number of ${deps.otpLimits.callingCodes.join(', ')}`);
  }
  const now = deps.clock.now();
  const target = { purpose, msisdn, numberRange: numberRangeOf(msisdn), ip: visitor.limitKey, now };
  // Most of a flood ends here, without a lock or a transaction.
  const early = decideSend(await readSendFacts(deps.db, target), deps.otpLimits, now.getTime());
  if (!early.send && !isAbuse(early.reason)) throw refusal(early.reason, early.retryAfterSeconds);

  const code = deps.random.text('0123456789', OTP_DIGITS);
  const digest = deliver ? otpDigest(deps.secretBox, { purpose, msisdn }, code) : null;
  const stored = await inTransaction(deps.db, (tx) => storeIfAllowed(deps, tx, { ...target, digest }));
  if (!stored.decision.send) throw refusal(stored.decision.reason, stored.decision.retryAfterSeconds);
  const text = { otpId: stored.otpId, msisdn, code, language };
  return { send: async () => (deliver ? sendText(deps, text) : undefined) };
}

type Stored = { readonly otpId: number; readonly decision: SendDecision };

async function storeIfAllowed(
  deps: SendOtpDeps,
  tx: Tx,
  target: SendTarget & { digest: Buffer | null },
): Promise<Stored> {
  // Sent together; the second statement sees what the holder before us committed.
  const [, facts] = await Promise.all([lockOtpSends(tx), readSendFacts(tx, target)]);
  const decision = decideSend(facts, deps.otpLimits, target.now.getTime());
  if (decision.send) {
    const expiresAt = secondsAfter(target.now, OTP_LIFE_SECONDS);
    return { otpId: await insertOtp(tx, { ...target, expiresAt }), decision };
  }
  if (isAbuse(decision.reason)) await deps.reportSmsAbuse(tx, abuseOf(decision.reason, target, facts));
  return { otpId: 0, decision };
}

function abuseOf(
  reason: SendRefusal,
  target: SendTarget,
  facts: { rangeSends: number; daySends: number },
): SmsAbuse {
  return reason === 'range'
    ? {
        cause: `sms_range:${target.numberRange}`,
        message: `Codes to ${target.numberRange}… are hardly ever entered: no more are sent to that range for now`,
        details: { number_range: target.numberRange, sends_in_hour: facts.rangeSends },
      }
    : {
        cause: 'sms_budget',
        message:
          'The SMS budget of the day is spent: no codes are sent until it is raised or the day is over',
        details: { sends_in_day: facts.daySends },
      };
}

function refusal(reason: SendRefusal, retryAfterSeconds: number): AppError {
  const code = reason === 'budget' ? 'SERVICE_UNAVAILABLE' : 'TOO_MANY_REQUESTS';
  const message =
    reason === 'budget'
      ? 'Codes cannot be sent just now; try again later'
      : `Too many codes were asked for: wait ${retryAfterSeconds} seconds`;
  return new AppError(code, message, { retryAfterSeconds });
}

async function sendText(
  deps: SendOtpDeps,
  otp: { otpId: number; msisdn: string; code: string; language: Language },
): Promise<void> {
  try {
    await deps.sms.send({
      to: otp.msisdn,
      text: otpText(otp.language, otp.code),
    });
  } catch (error) {
    deps.log.warn({ err: error, otpId: otp.otpId }, 'a one-time password could not be sent');
    // Its number may ask again at once; its address is still counted.
    await updateDelivery(deps.db, otp.otpId, 'failed');
    throw new AppError('SERVICE_UNAVAILABLE', 'The text could not be sent; try again in a moment', {
      retryAfterSeconds: 5,
      cause: error,
    });
  }
  await updateDelivery(deps.db, otp.otpId, 'sent');
}
