import { describe, expect, it } from 'vitest';

import { AppError } from '../../platform/errors.ts';
import { statusAfterChange } from './redemption-code-rules.ts';
import type { CodeChange } from './redemption-code-rules.ts';
import { openCodeStatuses, redemptionCodeStates } from './redemption-code-states.ts';
import type { RedemptionCodeStatus } from './redemption-code-states.ts';

function outcome(current: RedemptionCodeStatus, change: CodeChange): string {
  try {
    return statusAfterChange(current, change);
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe('an operator’s change of a code', () => {
  const table: [RedemptionCodeStatus, CodeChange, string][] = [
    ['pending_stock', { voucherCode: 'V' }, 'unused'],
    ['pending_stock', { voucherCode: 'V', status: 'pending_stock' }, 'unused'],
    ['pending_stock', { voucherCode: 'V', status: 'unused' }, 'unused'],
    ['pending_stock', { voucherCode: 'V', status: 'voided' }, 'voided'],
    ['pending_stock', { instructions: 'I' }, 'pending_stock'],
    ['pending_stock', { status: 'unused' }, 'CONFLICT'],
    ['pending_stock', { status: 'voided' }, 'voided'],
    ['pending_stock', { status: 'expired' }, 'CONFLICT'],
    ['unused', { voucherCode: 'W' }, 'unused'],
    ['unused', { instructions: null }, 'unused'],
    ['unused', { status: 'unused' }, 'unused'],
    ['unused', { status: 'voided' }, 'voided'],
    ['unused', { status: 'pending_stock' }, 'CONFLICT'],
    ['unused', { status: 'expired' }, 'CONFLICT'],
    ['unused', {}, 'unused'],
  ];
  it.each(table)('makes of %s with %j: %s', (current, change, expected) => {
    expect(outcome(current, change)).toBe(expected);
  });

  it('never makes a code redeemed', () => {
    for (const current of redemptionCodeStates.states) {
      expect(outcome(current, { status: 'redeemed' })).toBe('BAD_REQUEST');
      expect(outcome(current, { status: 'redeemed', voucherCode: 'V' })).toBe('BAD_REQUEST');
    }
  });

  it.each(['redeemed', 'voided', 'expired'] as const)('leaves a code that is %s as it is', (current) => {
    for (const change of [{ voucherCode: 'V' }, { instructions: 'I' }, { instructions: null }]) {
      expect(outcome(current, change)).toBe('CONFLICT');
    }
    for (const status of redemptionCodeStates.states.filter((one) => one !== 'redeemed')) {
      expect(outcome(current, { status })).toBe(status === current ? current : 'CONFLICT');
    }
    expect(outcome(current, {})).toBe(current);
  });
});

describe('the life of a code', () => {
  it('ends in redeemed, voided or expired', () => {
    expect(openCodeStatuses).toEqual(['pending_stock', 'unused']);
  });

  it('comes to redeemed from unused only', () => {
    expect(redemptionCodeStates.edges.filter((edge) => edge.to === 'redeemed')).toEqual([
      { from: 'unused', on: 'redeemed', to: 'redeemed' },
    ]);
  });
});
