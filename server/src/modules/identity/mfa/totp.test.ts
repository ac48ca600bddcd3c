import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { matchingStep, otpauthUrl, stepAt, toBase32, totpAt } from './totp.ts';

const secret = Buffer.from('12345678901234567890');

describe('time-based one-time passwords', () => {
  // The last six of the eight digits in RFC 6238, appendix B.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at second %i', (second, code) => {
    expect(totpAt(secret, stepAt(new Date(second * 1000)))).toBe(code);
  });

  it('count half a minute before and after their own', () => {
    const at = (seconds: number) =>
      matchingStep(secret, totpAt(secret, 1000), new Date((30_000 + seconds) * 1000));
    expect([-31, -30, 0, 29, 59, 60].map(at)).toEqual([undefined, 1000, 1000, 1000, 1000, undefined]);
  });

  it('never match text of another length', () => {
    expect(matchingStep(secret, '', new Date())).toBeUndefined();
    expect(matchingStep(secret, '28708', new Date(59_000))).toBeUndefined();
    expect(matchingStep(secret, '2870822', new Date(59_000))).toBeUndefined();
  });
});

describe('base32', () => {
  // RFC 4648, part 10, without padding.
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('writes %j as %s', (text, written) => {
    expect(toBase32(Buffer.from(text))).toBe(written);
  });

  it('takes eight characters for every five bytes', () => {
    const lengths = fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      return toBase32(Buffer.from(bytes)).length === Math.ceil((bytes.length * 8) / 5);
    });
    expect(() => fc.assert(lengths)).not.toThrow();
  });

  it('is in the address that a QR code carries', () => {
    expect(otpauthUrl(secret, 'a@b.example')).toBe(
      'otpauth://totp/Voucher%20operations%3Aa%40b.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Voucher%20operations',
    );
  });
});
