import { describe, expect, it } from 'vitest';

import { READABLE_ALPHABET, systemRandom } from './random.ts';

describe('random text', () => {
  it('uses the 31 letters and digits that cannot be misread, each about equally often', () => {
    expect(READABLE_ALPHABET).toHaveLength(31);
    const drawn = systemRandom.text(READABLE_ALPHABET, 62_000);
    const counts = new Map<string, number>();
    for (const letter of drawn) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect([...counts.keys()].toSorted().join('')).toBe(READABLE_ALPHABET.split('').toSorted().join(''));
    // Chi-squared over 30 degrees of freedom: above 73 in one run of 10^5.
    const expected = drawn.length / READABLE_ALPHABET.length;
    const chiSquared = [...counts.values()].reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0);
    expect(chiSquared).toBeLessThan(73);
  });
});
