import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { problemWithPattern } from './fulfillment-pattern-rules.ts';

describe('problemWithPattern', () => {
  it.each([
    '\\d{6,12}',
    '[0-9]+',
    'a|b|c',
    '(\\d{4}-){3}\\d{4}',
    '\\+?880?1[3-9]\\d{8}',
    '[\\w.]+@[\\w.]+\\.[a-z]{2,10}',
    '(?:bd|in)\\d*',
    '[\\u0980-\\u09ff ]+',
    '\\p{L}+( \\p{L}+)?',
    '[)(*+]{3}',
    '(a?){5}',
    '',
  ])('accepts %s', (pattern) => {
    expect(problemWithPattern(pattern)).toBeUndefined();
  });

  it.each([
    ['(a+)+', 'too many ways'],
    ['(a*)*b', 'too many ways'],
    ['(a|a)*', 'too many ways'],
    ['(a|ab)+c', 'too many ways'],
    ['(.*,){11}x', 'too many ways'],
    ['(a?){60}a{60}', 'too many ways'],
    ['a?'.repeat(40), 'too many ways'],
    ['.*.*.*.*', 'too many ways'],
    ['(\\d+){2,}', 'too many ways'],
    ['(a)\\1', 'refer back'],
    ['(?<x>a)\\k<x>', 'refer back'],
    ['(?=a)b', 'look ahead'],
    ['(?<!a)b', 'look ahead'],
    ['(', 'not a regular expression'],
    ['[z-a]', 'not a regular expression'],
    ['a)|(b', 'not a regular expression'],
    ['x{2000}', 'repeat more'],
    ['a'.repeat(201), 'at most 200'],
  ])('refuses %s: %s', (pattern, why) => {
    expect(problemWithPattern(pattern)).toContain(why);
  });

  it('accepts nothing that takes long on any text of 255 characters', () => {
    const atom = fc.constantFrom('a', '[ab]', '\\d', '.', 'b', '(a|b)', '(ab)', '(a)', 'aa');
    const quantifier = fc.constantFrom('', '', '?', '*', '+', '{2}', '{1,3}', '{3,}');
    const pattern = fc
      .array(fc.tuple(atom, quantifier, fc.boolean()), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.map(([a, q, nest]) => (nest ? `(${a}${q})${q}` : `${a}${q}`)).join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1'), minLength: 200, maxLength: 254 });
    let longestMs = 0;
    fc.assert(
      fc.property(pattern, text, (source, value) => {
        fc.pre(problemWithPattern(source) === undefined);
        const began = performance.now();
        new RegExp(`^(?:${source})$`, 'u').test(`${value}!`);
        longestMs = Math.max(longestMs, performance.now() - began);
      }),
      { numRuns: 2_000 },
    );
    // A bad one takes hours: the bound only has to tell the two apart.
    expect(longestMs).toBeLessThan(5_000);
  });
});
