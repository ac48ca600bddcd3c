import { describe, expect, it } from 'vitest';

import { checkRecoveryGuards } from './guard-rules.ts';
import type { GuardFacts } from './guard-rules.ts';

const fine: GuardFacts = {
  order: { order_number: 'VC-261121-ABCDEFGH' },
  items: [
    { id: 1, fulfilled: false },
    { id: 2, fulfilled: false },
  ],
  paymentStatuses: ['FAILED', 'SUCCEEDED'],
  dispatched: [],
  wanted: [1, 2],
  hasCodes: true,
};
const fulfilled = {
  items: [
    { id: 1, fulfilled: false },
    { id: 2, fulfilled: true },
  ],
};

describe('recovery guards (interface part 7)', () => {
  it('lets a paid order with open items through', () => {
    expect(checkRecoveryGuards(fine)).toBeUndefined();
    expect(checkRecoveryGuards({ ...fine, ...fulfilled, wanted: [1] })).toBeUndefined();
    expect(checkRecoveryGuards({ ...fine, dispatched: [2], wanted: [1] })).toBeUndefined();
  });

  it.each([
    ['no SUCCEEDED payment', { paymentStatuses: ['PENDING', 'FAILED', 'CANCELLED'] }, 'BAD_REQUEST', 400],
    ['no payment', { paymentStatuses: [] }, 'BAD_REQUEST', 400],
    ['no code', { hasCodes: false }, 'BAD_REQUEST', 400],
    ['an item of another order', { wanted: [1, 3] }, 'NOT_FOUND', 404],
    ['a fulfilled item', fulfilled, 'CONFLICT', 409],
    ['a prior DISPATCHED attempt', { dispatched: [2] }, 'CONFLICT', 409],
  ])('refuses %s', (_, facts, code, status) => {
    expect(checkRecoveryGuards({ ...fine, ...facts })).toMatchObject({ code, status });
  });

  it('checks in the order of the table', () => {
    const all = { ...fine, ...fulfilled, paymentStatuses: [], hasCodes: false, dispatched: [1, 2] };
    expect(checkRecoveryGuards(all)?.data).toEqual({ type: 'OrderNotPaid' });
    expect(checkRecoveryGuards({ ...all, paymentStatuses: ['SUCCEEDED'] })?.data).toEqual({
      type: 'NoCodeProvided',
    });
    const typed = { ...all, paymentStatuses: ['SUCCEEDED'], hasCodes: true };
    expect(checkRecoveryGuards(typed)?.data).toMatchObject({ type: 'ItemAlreadyFulfilled', orderItemId: 2 });
    expect(checkRecoveryGuards({ ...typed, items: fine.items })?.data).toMatchObject({
      type: 'ItemAlreadyDispatched',
    });
  });
});
