import { describe, expect, it } from 'vitest';

import { inLanguage, languageOf } from './language.ts';

describe('languageOf', () => {
  it.each([
    ['bn', undefined, 'bn'],
    ['BN-bd', undefined, 'bn'],
    ['en', 'bn', 'en'],
    ['fr', 'bn', 'en'],
    ['', 'bn', 'en'],
    [undefined, 'bn', 'bn'],
    [undefined, 'bn-BD,en;q=0.8', 'bn'],
    [undefined, 'en,bn', 'en'],
    [undefined, 'bnx', 'en'],
    [undefined, undefined, 'en'],
  ] as const)('reads ?lang=%s with Accept-Language %s as %s', (asked, header, language) => {
    expect(languageOf(asked, header)).toBe(language);
  });
});

describe('inLanguage', () => {
  it('falls back to English where there is no Bangla text', () => {
    expect([
      inLanguage('bn', 'a', 'আ'),
      inLanguage('bn', 'a', null),
      inLanguage('bn', 'a', ''),
      inLanguage('en', 'a', 'আ'),
    ]).toEqual(['আ', 'a', 'a', 'a']);
    expect(inLanguage('bn', null, undefined)).toBeNull();
  });
});
