import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { formatMinor, parseMinor, toPlainAmount, toWireAmount } from './money.ts';

const amounts = fc.integer({ min: 0, max: 99_999_999_999_999 });

describe('money', () => {
  it('comes back the same through the text and through the JSON number', () => {
    fc.assert(
      fc.property(amounts, (minor) => {
        expect(parseMinor(formatMinor(minor))).toBe(minor);
        expect(parseMinor(toWireAmount(minor))).toBe(minor);
        expect(JSON.parse(JSON.stringify(toWireAmount(minor)))).toBe(toWireAmount(minor));
      }),
    );
  });

  it('reads exactly what is written, without floating-point arithmetic', () => {
    expect(parseMinor('0.29')).toBe(29);
    expect(parseMinor('1.15')).toBe(115);
    expect(parseMinor(4.35)).toBe(435);
    expect(parseMinor('100')).toBe(10_000);
    expect(parseMinor('100.5')).toBe(10_050);
  });

  it('refuses everything that is not a plain amount with at most two decimals', () => {
    const wrong = [
      '',
      '-1',
      '+1',
      '1e3',
      '1.234',
      '.5',
      '5.',
      '1,000',
      '0x10',
      'NaN',
      '১০০',
      ' 1 2',
      '1'.repeat(13),
    ];
    for (const text of wrong) expect([text, parseMinor(text)]).toEqual([text, undefined]);
    for (const number of [Number.NaN, Infinity, -0.01, 1e21, 1e-7, 0.001])
      expect(parseMinor(number)).toBeUndefined();
  });

  it('prints two decimals for gateways and only needed ones for people', () => {
    expect([formatMinor(0), formatMinor(5), formatMinor(10_000)]).toEqual(['0.00', '0.05', '100.00']);
    expect([toPlainAmount(10_000), toPlainAmount(9_950)]).toEqual(['100', '99.50']);
  });
});
