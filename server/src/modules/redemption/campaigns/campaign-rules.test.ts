import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { checkWindow, conversionRate } from './campaign-rules.ts';

describe('the conversion rate', () => {
  it.each([
    [0, 0, 0],
    [0, 7, 0],
    [7, 7, 1],
    [1, 3, 0.3333],
    [2, 3, 0.6667],
    [1, 8, 0.125],
    [1, 20_000, 0.0001],
  ])('of %i in %i is %d', (redeemed, total, rate) => {
    expect(conversionRate(redeemed, total)).toBe(rate);
  });

  it('has at most four decimals and lies between 0 and 1', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(1_000_000), (redeemed, others) => {
        const rate = conversionRate(redeemed, redeemed + others);
        expect(rate).toBeGreaterThanOrEqual(0);
        expect(rate).toBeLessThanOrEqual(1);
        expect(String(rate)).toMatch(/^\d(\.\d{1,4})?$|^\de-\d$/);
      }),
    );
  });
});

describe('the window of a campaign', () => {
  const [early, late] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T00:00:00.001Z')];

  it('may be open at either end', () => {
    for (const [starts_at, ends_at] of [
      [null, null],
      [early, null],
      [null, early],
      [early, late],
    ] as const) {
      expect(() => checkWindow({ starts_at, ends_at })).not.toThrow();
    }
  });

  it('is not empty', () => {
    for (const starts_at of [early, late]) {
      expect(() => checkWindow({ starts_at, ends_at: early })).toThrow('ends_at must be after starts_at');
    }
  });
});
