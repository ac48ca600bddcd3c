import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { checkImportRow } from './import-row.ts';

const NOW = new Date('2026-06-15T12:00:00Z');
const check = (row: object): ReturnType<typeof checkImportRow> =>
  checkImportRow({ line: 7, code: 'ABC', ...row }, NOW);

describe('checkImportRow', () => {
  it('trims what is given and has nothing for what is not', () => {
    const full = {
      code: ' AB-1 ',
      pin: ' 12 ',
      redemptionUrl: ' https://x.test/r?c=1 ',
      serialNumber: ' S ',
      expiresAt: ' 2027-01-31 ',
    };
    expect(check(full)).toEqual({
      line: 7,
      code: 'AB-1',
      pin: '12',
      redemptionUrl: 'https://x.test/r?c=1',
      serialNumber: 'S',
      expiresAt: new Date('2027-01-31T17:59:59.999Z'),
    });
    const nothing = {
      line: 7,
      code: 'ABC',
      pin: null,
      redemptionUrl: null,
      serialNumber: null,
      expiresAt: null,
    };
    expect(check({})).toEqual(nothing);
    expect(check({ pin: ' ', redemptionUrl: '', serialNumber: '\t', expiresAt: ' ' })).toEqual(nothing);
  });

  it.each([
    ['2026-06-15', '2026-06-15T17:59:59.999Z'],
    ['2028-02-29', '2028-02-29T17:59:59.999Z'],
    ['2027-01-31T10:00:00Z', '2027-01-31T10:00:00.000Z'],
    ['2027-01-31 10:00+06:00', '2027-01-31T04:00:00.000Z'],
    ['2027-01-31T10:00:00.250+0600', '2027-01-31T04:00:00.250Z'],
  ])('reads the expiry %s as %s', (given, expected) => {
    const row = check({ expiresAt: given });
    expect('expiresAt' in row && row.expiresAt?.toISOString()).toBe(expected);
  });

  it.each([
    '2027-02-30',
    '2027-02-29',
    '2027-13-01',
    '31/01/2027',
    '2027-01-31T10:00:00',
    'never',
    '2027',
    '2027-01-31T25:00:00Z',
  ])('refuses the expiry %s', (expiresAt) => {
    expect(check({ expiresAt })).toEqual({
      line: 7,
      problem: 'expires_at must be YYYY-MM-DD or an ISO 8601 time with a zone',
    });
  });

  it.each(['2026-06-14', '2026-06-15T12:00:00Z', '1999-01-01'])(
    'refuses a code that expired: %s',
    (expiresAt) => {
      expect(check({ expiresAt })).toEqual({ line: 7, problem: 'expires_at is in the past' });
    },
  );

  it.each([
    [{ code: '  ' }, 'code is empty'],
    [{ code: 'x'.repeat(501) }, 'code is longer than 500 characters'],
    [{ code: 'A\nB' }, 'code has a line break or another control character'],
    [{ pin: '1\u00002' }, 'pin has a line break or another control character'],
    [{ serialNumber: 'x'.repeat(501) }, 'serial_number is longer than 500 characters'],
    [{ redemptionUrl: 'javascript:alert(1)' }, 'redemption_url is not an http or https address'],
    [{ redemptionUrl: 'redeem here' }, 'redemption_url is not an http or https address'],
    [
      { redemptionUrl: `https://x.test/${'x'.repeat(2_000)}` },
      'redemption_url is longer than 2000 characters',
    ],
  ])('refuses %j', (row, problem) => {
    expect(check(row)).toEqual({ line: 7, problem });
  });

  it('never repeats a secret in a problem', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, unit: 'binary' }), (secret) => {
        const row = check({ code: `${secret}\n!`, pin: secret, redemptionUrl: secret, expiresAt: secret });
        expect('problem' in row && !row.problem.includes(secret)).toBe(true);
      }),
    );
  });
});
