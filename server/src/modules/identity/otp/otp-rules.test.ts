import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { asciiDigits, decideSend, defaultOtpLimits, numberRangeOf, readOtp } from './otp-rules.ts';
import type { SendFacts } from './otp-rules.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const nothingSent: SendFacts = {
  lastSentAt: null,
  numberSends: 0,
  oldestNumberSendAt: null,
  addressSends: 0,
  oldestAddressSendAt: null,
  rangeSends: 0,
  rangeVerified: 0,
  daySends: 0,
};
const decide = (facts: Partial<SendFacts>) => decideSend({ ...nothingSent, ...facts }, defaultOtpLimits, NOW);

describe('sending a one-time password', () => {
  it.each<[string, Partial<SendFacts>, ReturnType<typeof decideSend>]>([
    ['goes out when nothing was sent before', {}, { send: true }],
    [
      'waits for the rest of 60 seconds',
      { lastSentAt: NOW - 20_000 },
      { send: false, reason: 'cooldown', retryAfterSeconds: 40 },
    ],
    ['goes out after exactly 60 seconds', { lastSentAt: NOW - 60_000, numberSends: 1 }, { send: true }],
    [
      'goes out as the fifth of an hour',
      { numberSends: 4, oldestNumberSendAt: NOW - 1_000_000 },
      { send: true },
    ],
    [
      'refuses the sixth for a number until the first is an hour old',
      { numberSends: 5, oldestNumberSendAt: NOW - 3_000_000 },
      { send: false, reason: 'number', retryAfterSeconds: 600 },
    ],
    [
      'refuses the twenty-first of an address',
      { addressSends: 20, oldestAddressSendAt: NOW - 3_599_500 },
      { send: false, reason: 'address', retryAfterSeconds: 1 },
    ],
    [
      'stops a range of which 9 of 50 codes were entered',
      { rangeSends: 50, rangeVerified: 9 },
      { send: false, reason: 'range', retryAfterSeconds: 3600 },
    ],
    ['leaves a range alone of which 10 of 50 were', { rangeSends: 50, rangeVerified: 10 }, { send: true }],
    ['leaves a range alone that got 49', { rangeSends: 49, rangeVerified: 0 }, { send: true }],
    [
      'stops when the budget of the day is spent',
      { daySends: 5000 },
      { send: false, reason: 'budget', retryAfterSeconds: 3600 },
    ],
  ])('%s', (_name, facts, decision) => {
    expect(decide(facts)).toEqual(decision);
  });

  it('never tells anybody to come back at once', () => {
    const count = fc.integer({ min: 0, max: 6000 });
    const moment = fc.option(fc.integer({ min: NOW - 4_000_000, max: NOW }), { nil: null });
    const facts = fc.record<SendFacts>({
      lastSentAt: moment,
      numberSends: count,
      oldestNumberSendAt: moment,
      addressSends: count,
      oldestAddressSendAt: moment,
      rangeSends: count,
      rangeVerified: count,
      daySends: count,
    });
    const waits = fc.property(facts, (given) => {
      const decision = decideSend(given, defaultOtpLimits, NOW);
      return decision.send || decision.retryAfterSeconds >= 1;
    });
    expect(() => fc.assert(waits)).not.toThrow();
  });
});

describe('reading a code', () => {
  it('takes spaces, hyphens and Bangla digits', () => {
    expect(['123456', ' 123 456 ', '123-456', '১২৩৪৫৬'].map(readOtp)).toEqual(Array(4).fill('123456'));
  });

  it('takes nothing that is not six digits', () => {
    expect(['12345', '1234567', 'abcdef', '', '１２３４５６'].map(readOtp)).toEqual(Array(5).fill(undefined));
  });

  it('leaves everything but Bangla digits as it is', () => {
    expect(asciiDigits('+৮৮০ 17')).toBe('+880 17');
    expect(numberRangeOf('+8801712345678')).toBe('+880171234');
  });
});
