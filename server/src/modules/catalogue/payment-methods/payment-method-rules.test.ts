import { describe, expect, it } from 'vitest';

import { problemWithMethod } from './payment-method-rules.ts';

const rule = {
  method: 'dcb',
  is_active: true,
  is_in_maintenance: false,
  min_minor: 1_000,
  max_minor: 50_000,
};
const paying = (amountMinor: number) => ({ method: 'dcb', amountMinor });

describe('problemWithMethod', () => {
  it('has nothing against a method without a row', () => {
    expect(problemWithMethod(undefined, paying(1))).toBeUndefined();
  });

  it.each([1_000, 20_000, 50_000])('takes %d, which is within the bounds', (amountMinor) => {
    expect(problemWithMethod(rule, paying(amountMinor))).toBeUndefined();
  });

  it('names the bound that an amount breaks', () => {
    expect(problemWithMethod(rule, paying(999))).toContain('takes 10 BDT or more');
    expect(problemWithMethod(rule, paying(50_001))).toContain('takes 500 BDT or less');
  });

  it('takes any amount where no bound is set', () => {
    const open = { ...rule, min_minor: null, max_minor: null };
    expect([1, 10_000_000].map((amountMinor) => problemWithMethod(open, paying(amountMinor)))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('refuses every amount during maintenance', () => {
    expect(problemWithMethod({ ...rule, is_in_maintenance: true }, paying(20_000))).toContain('maintenance');
  });

  it('refuses every amount while the method is switched off, but nothing where nothing is to be paid', () => {
    const off = { ...rule, is_active: false };
    expect(problemWithMethod(off, paying(20_000))).toContain('switched off');
    expect([off, rule].map((each) => problemWithMethod(each, paying(0)))).toEqual([undefined, undefined]);
  });
});
