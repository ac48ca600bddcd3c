import { describe, expect, it } from 'vitest';

import { writeRedemptionEmail } from './redemption-email.ts';

describe('the letter with a redeemed code', () => {
  it('carries the code and the instructions as text and as HTML', () => {
    const letter = writeRedemptionEmail({
      campaignName: 'Summer gift',
      headline: 'Free data',
      voucherCode: 'GIFT-1',
      instructions: 'Dial *123#\nthen 1',
    });
    expect(letter.subject).toBe('Your code from Summer gift');
    for (const body of [letter.text, letter.html]) {
      for (const part of ['Free data', 'GIFT-1', 'Dial *123#']) expect(body).toContain(part);
    }
  });

  it('needs neither headline nor instructions', () => {
    const letter = writeRedemptionEmail({
      campaignName: 'C',
      headline: null,
      voucherCode: 'V',
      instructions: null,
    });
    expect(letter.text.split('\n\n')).toHaveLength(3);
    expect(letter.html).not.toContain('null');
  });

  it('lets no text become a header or a script', () => {
    const letter = writeRedemptionEmail({
      campaignName: 'A\r\nBcc: x@example.com',
      headline: '<script>alert(1)</script>',
      voucherCode: '<img src=x>',
      instructions: '<a href="javascript:x">x</a>',
    });
    expect(letter.subject).toBe('Your code from A Bcc: x@example.com');
    expect(letter.html).not.toMatch(/<script|<img|<a /);
  });
});
