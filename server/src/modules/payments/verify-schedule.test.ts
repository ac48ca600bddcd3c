import { describe, expect, it } from 'vitest';

import type { FailureReason, PaymentStatus } from './payment-states.ts';
import { isUnanswered, nextVerificationAt } from './verify-schedule.ts';

/** Seconds after the beginning at which the gateway is asked, one question after the other. */
function questions(status: PaymentStatus, failureReason: FailureReason | null): number[] {
  const begin = new Date('2026-01-01T00:00:00Z');
  const asked: number[] = [];
  let now = begin;
  for (let step = 0; step < 20; step += 1) {
    const next = nextVerificationAt({ status, failureReason, step, now });
    if (!next) break;
    asked.push((next.getTime() - begin.getTime()) / 1000);
    now = next;
  }
  return asked;
}

describe('when the sweep asks (decisions 4.8)', () => {
  it('asks about an open payment after 1, 5, 15 and 60 minutes', () => {
    expect(questions('PENDING', null)).toEqual([60, 300, 900, 3600]);
  });

  it('asks about one that could not be verified after 15 s, 1, 5, 15 minutes, 1, 6, 24 and 72 hours', () => {
    const expected = [15, 60, 300, 900, 3600, 21_600, 86_400, 259_200];
    expect(questions('FAILED', 'VERIFICATION_UNAVAILABLE')).toEqual(expected);
    expect(questions('FAILED', 'NOT_CONFIRMED')).toEqual(expected);
  });

  it('knows what has no definite answer', () => {
    const answers = [
      isUnanswered('PENDING', null),
      isUnanswered('FAILED', 'VERIFICATION_UNAVAILABLE'),
      isUnanswered('FAILED', 'NOT_CONFIRMED'),
      isUnanswered('FAILED', 'GATEWAY_REFUSED'),
      isUnanswered('CANCELLED', 'CUSTOMER_CANCELLED'),
      isUnanswered('SUCCEEDED', null),
    ];
    expect(answers).toEqual([true, true, true, false, false, false]);
  });

  it('asks twice more when the gateway said no, and never again about a success', () => {
    expect(questions('FAILED', 'GATEWAY_REFUSED')).toEqual([600, 86_400]);
    expect(questions('CANCELLED', 'CUSTOMER_CANCELLED')).toEqual([600, 86_400]);
    expect(questions('SUCCEEDED', null)).toEqual([]);
  });
});
