import { describe, expect, it } from 'vitest';

import { READABLE_ALPHABET, systemRandom } from '../../../platform/random.ts';

const LENGTH = 9;
const TOKENS = 1_000_000;
/**
 * Chi-squared with 30 degrees of freedom exceeds this once in about a hundred million times by chance. A draw that
 * takes a byte modulo 31 has a bias of one in eight on eight characters: it comes out near 3,000.
 */
const FAR_BEYOND_CHANCE = 100;

/** For each place of a token, how far the counts of the characters are from equal. */
function chiSquared(counts: readonly Uint32Array[], tokens: number): number[] {
  const expected = tokens / READABLE_ALPHABET.length;
  return counts.map((place) =>
    [...place].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0),
  );
}

function countCharacters(draw: () => string): Uint32Array[] {
  const counts = Array.from({ length: LENGTH }, () => new Uint32Array(READABLE_ALPHABET.length));
  const indexOf = new Map(
    READABLE_ALPHABET.split('').map((character, index) => [character.charCodeAt(0), index]),
  );
  for (let n = 0; n < TOKENS; n += 1) {
    const token = draw();
    for (let place = 0; place < LENGTH; place += 1) {
      const index = indexOf.get(token.charCodeAt(place));
      const count = counts[place];
      if (index === undefined || count === undefined || token.length !== LENGTH)
        throw new Error(`Not a token: ${token}`);
      count[index] = (count[index] ?? 0) + 1;
    }
  }
  return counts;
}

describe('tokens', () => {
  it('are made of the 31 characters of the interface', () => {
    expect(READABLE_ALPHABET).toBe('ABCDEFGHJKMNPQRSTUVWXYZ23456789');
    expect(new Set(READABLE_ALPHABET).size).toBe(31);
  });

  it(
    'have every character equally often in every place: chi-squared of a million',
    { timeout: 60_000 },
    () => {
      const counts = countCharacters(() => systemRandom.text(READABLE_ALPHABET, LENGTH));
      for (const value of chiSquared(counts, TOKENS)) expect(value).toBeLessThan(FAR_BEYOND_CHANCE);
    },
  );

  it('would be caught if they were biased: a byte modulo 31 is', { timeout: 60_000 }, () => {
    const bytes = systemRandom.bytes(LENGTH * TOKENS);
    let at = 0;
    const counts = countCharacters(() => {
      let token = '';
      for (let place = 0; place < LENGTH; place += 1)
        token += READABLE_ALPHABET.charAt((bytes[at++] ?? 0) % 31);
      return token;
    });
    for (const value of chiSquared(counts, TOKENS)) expect(value).toBeGreaterThan(FAR_BEYOND_CHANCE);
  });
});
