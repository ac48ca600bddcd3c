import { describe, expect, it } from 'vitest';

import { systemRandom } from '../../platform/random.ts';
import { createSecretBox } from '../../platform/secret-box.ts';
import { maskVoucherCode, normaliseToken, tokenDigest, voucherCodeDigest } from './redemption-secrets.ts';

const box = createSecretBox({
  sealing: [{ id: 'k', key: systemRandom.bytes(32) }],
  digesting: systemRandom.bytes(32),
});

describe('a token as typed', () => {
  it.each([
    ['abcdefghj', 'ABCDEFGHJ'],
    ['  ABC-DEF-GHJ\n', 'ABCDEFGHJ'],
    ['A B C\u00A0D\u2011E\u2013F\tGHJ', 'ABCDEFGHJ'],
    ['---', ''],
  ])('reads %j as %j', (typed, token) => {
    expect(normaliseToken(typed)).toBe(token);
  });

  it('is cut where no token is that long', () => {
    expect(normaliseToken('A'.repeat(10_000))).toHaveLength(64);
  });
});

describe('what is stored of secrets', () => {
  it('is found by a keyed digest that differs between tokens and voucher codes', () => {
    expect(tokenDigest(box, 'ABC').equals(tokenDigest(box, 'ABC'))).toBe(true);
    expect(tokenDigest(box, 'ABC').equals(voucherCodeDigest(box, 'ABC'))).toBe(false);
    expect(voucherCodeDigest(box, ' ABC ').equals(voucherCodeDigest(box, 'ABC'))).toBe(true);
  });

  it('is masked but for its end, and wholly when it is short', () => {
    expect(maskVoucherCode('GIFT-1234-5678')).toBe('••••5678');
    expect(maskVoucherCode('GIFT1234')).toBe('••••');
  });
});
