import { describe, expect, it } from 'vitest';

import { otpText } from './otp-text.ts';

describe('otpText', () => {
  it('is English to the byte as it always was, and Bangla when that is asked for', () => {
    expect(otpText('en', '123456')).toBe('Your code is 123456. It works for 5 minutes. Give it to nobody.');
    expect(otpText('bn', '123456')).toBe('আপনার কোড 123456। এটি 5 মিনিট কাজ করবে। কাউকে দেবেন না।');
  });

  it('fits one message: 160 plain characters, or 70 with Bangla letters', () => {
    expect(otpText('en', '123456')).toMatch(/^[ -~]{1,160}$/);
    expect(otpText('bn', '123456').length).toBeLessThanOrEqual(70);
  });

  it('holds the code once and no other digits of that length', () => {
    for (const language of ['en', 'bn'] as const)
      expect(otpText(language, '098765').match(/\d{2,}/g)).toEqual(['098765']);
  });
});
