/** What decides whether a one-time password is sent: pure, so that every case is tested. Times in milliseconds. */

export const OTP_PURPOSES = ['register', 'reset_password', 'change_msisdn', 'close_account'] as const;
export type OtpPurpose = (typeof OTP_PURPOSES)[number];

/** Decisions part 2. */
export const OTP_LIFE_SECONDS = 5 * 60;
export const OTP_TOKEN_LIFE_SECONDS = 10 * 60;
export const OTP_TRIES = 5;
export const OTP_DIGITS = 6;

export interface OtpLimits {
  /** Between two sends for one purpose to one number. */
  readonly cooldownSeconds: number;
  readonly perNumberAnHour: number;
  readonly perAddressAnHour: number;
  /**
   * SMS pumping: somebody earns from texts to numbers they own, and never enters a code. A range of numbers that got
   * `rangeSends` codes in an hour and entered fewer than `rangeVerifiedShare` of them gets no more.
   */
  readonly rangeSends: number;
  readonly rangeVerifiedShare: number;
  /** Texts in 24 hours, whatever happens: what the worst day may cost. */
  readonly dailyBudget: number;
  /** Countries that codes are sent to. */
  readonly callingCodes: readonly string[];
}

export const defaultOtpLimits: OtpLimits = {
  cooldownSeconds: 60,
  perNumberAnHour: 5,
  perAddressAnHour: 20,
  rangeSends: 50,
  rangeVerifiedShare: 0.2,
  dailyBudget: 5_000,
  callingCodes: ['+880'],
};

/** What was sent before, as far as it matters for the next one. Moments are null when there was none. */
export interface SendFacts {
  readonly lastSentAt: number | null;
  readonly numberSends: number;
  readonly oldestNumberSendAt: number | null;
  readonly addressSends: number;
  readonly oldestAddressSendAt: number | null;
  readonly rangeSends: number;
  readonly rangeVerified: number;
  readonly daySends: number;
}

export type SendRefusal = 'cooldown' | 'number' | 'address' | 'range' | 'budget';
export type SendDecision =
  | { readonly send: true }
  | { readonly send: false; readonly reason: SendRefusal; readonly retryAfterSeconds: number };

const HOUR_SECONDS = 3_600;

export function decideSend(facts: SendFacts, limits: OtpLimits, nowMs: number): SendDecision {
  const until = (startMs: number | null, seconds: number): number =>
    Math.max(1, Math.ceil(((startMs ?? nowMs) + seconds * 1000 - nowMs) / 1000));
  const refuse = (reason: SendRefusal, retryAfterSeconds: number): SendDecision => ({
    send: false,
    reason,
    retryAfterSeconds,
  });
  if (facts.lastSentAt !== null && facts.lastSentAt + limits.cooldownSeconds * 1000 > nowMs) {
    return refuse('cooldown', until(facts.lastSentAt, limits.cooldownSeconds));
  }
  if (facts.numberSends >= limits.perNumberAnHour) {
    return refuse('number', until(facts.oldestNumberSendAt, HOUR_SECONDS));
  }
  if (facts.addressSends >= limits.perAddressAnHour) {
    return refuse('address', until(facts.oldestAddressSendAt, HOUR_SECONDS));
  }
  if (
    facts.rangeSends >= limits.rangeSends &&
    facts.rangeVerified < facts.rangeSends * limits.rangeVerifiedShare
  ) {
    return refuse('range', HOUR_SECONDS);
  }
  if (facts.daySends >= limits.dailyBudget) return refuse('budget', HOUR_SECONDS);
  return { send: true };
}

/** Reasons that point at abuse rather than impatience: they are told to the operators. */
export const isAbuse = (reason: SendRefusal): boolean => reason === 'range' || reason === 'budget';

/** All but the last four digits: ten thousand numbers, which is what a pumping operator is given at least. */
export const numberRangeOf = (msisdn: string): string => msisdn.slice(0, -4);

/** Six ASCII digits, as a person may type them: with spaces, or in Bangla. Undefined when it is something else. */
export function readOtp(text: string): string | undefined {
  const digits = asciiDigits(text).replaceAll(/[\s-]/g, '');
  return /^\d{6}$/.test(digits) ? digits : undefined;
}

const BANGLA_ZERO = 0x09_e6;

export function asciiDigits(text: string): string {
  return text.replaceAll(/[\u09E6-\u09EF]/g, (digit) => String((digit.codePointAt(0) ?? 0) - BANGLA_ZERO));
}
