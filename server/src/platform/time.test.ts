import { describe, expect, it } from 'vitest';

import { dhakaYymmdd, secondsAfter } from './time.ts';

describe('time', () => {
  it('turns the day over at midnight in Dhaka, six hours before UTC', () => {
    expect(dhakaYymmdd(new Date('2026-11-20T17:59:59.999Z'))).toBe('261120');
    expect(dhakaYymmdd(new Date('2026-11-20T18:00:00.000Z'))).toBe('261121');
    expect(dhakaYymmdd(new Date('2026-12-31T18:00:00.000Z'))).toBe('270101');
  });

  it('adds seconds', () => {
    expect(secondsAfter(new Date('2026-01-01T00:00:00Z'), 90).toISOString()).toBe('2026-01-01T00:01:30.000Z');
  });
});
