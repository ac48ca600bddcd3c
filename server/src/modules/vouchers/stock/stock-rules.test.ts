import { describe, expect, it } from 'vitest';

import { daysOfCover, isLow } from './stock-rules.ts';

const facts = { available: 10, soldLately: 7, paceDays: 14, lowUnits: null, lowCoverDays: null };

describe('how long a stock lasts', () => {
  it('is whole days at the recent pace, for ever when nothing is sold', () => {
    expect(daysOfCover(facts)).toBe(20);
    expect(daysOfCover({ ...facts, available: 0 })).toBe(0);
    expect(daysOfCover({ ...facts, soldLately: 9 })).toBe(15);
    expect(daysOfCover({ ...facts, soldLately: 0 })).toBeNull();
  });
});

describe('a low stock', () => {
  it('is below either threshold, and never without one', () => {
    expect(isLow({ ...facts, available: 0 })).toBe(false);
    expect(isLow({ ...facts, lowUnits: 10 })).toBe(false);
    expect(isLow({ ...facts, lowUnits: 11 })).toBe(true);
    expect(isLow({ ...facts, lowCoverDays: 20 })).toBe(false);
    expect(isLow({ ...facts, lowCoverDays: 21 })).toBe(true);
    expect(isLow({ ...facts, lowUnits: 1, lowCoverDays: 21 })).toBe(true);
    expect(isLow({ ...facts, soldLately: 0, lowCoverDays: 1_000 })).toBe(false);
  });
});
