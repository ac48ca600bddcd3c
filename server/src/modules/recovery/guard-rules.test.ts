import { describe, expect, it } from 'vitest';

import { checkRecoveryGuards } from './guard-rules.ts';
import type { GuardFacts } from './guard-rules.ts';

const payment = (status: string, refunded = 0) => ({
  status,
  verified_amount_minor: 50_000,
  refunded_minor: refunded,
});
const fine: GuardFacts = {
  order: { order_number: 'VC-261121-ABCDEFGH' },
  items: [
    { id: 1, fulfilled: false },
    { id: 2, fulfilled: false },
  ],
  payments: [payment('FAILED'), payment('SUCCEEDED')],
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
    [
      'no SUCCEEDED payment',
      { payments: ['PENDING', 'FAILED', 'CANCELLED'].map((status) => payment(status)) },
      'BAD_REQUEST',
      400,
    ],
    ['no payment', { payments: [] }, 'BAD_REQUEST', 400],
    ['money that went back in full', { payments: [payment('SUCCEEDED', 50_000)] }, 'BAD_REQUEST', 400],
    ['no code', { hasCodes: false }, 'BAD_REQUEST', 400],
    ['an item of another order', { wanted: [1, 3] }, 'NOT_FOUND', 404],
    ['a fulfilled item', fulfilled, 'CONFLICT', 409],
    ['a prior DISPATCHED attempt', { dispatched: [2] }, 'CONFLICT', 409],
  ])('refuses %s', (_, facts, code, status) => {
    expect(checkRecoveryGuards({ ...fine, ...facts })).toMatchObject({ code, status });
  });

  it('lets the e-mail of a refunded order be sent again when all of it was delivered before, and after a part of it', () => {
    const delivered = { items: [{ id: 1, fulfilled: true }], wanted: [] };
    expect(
      checkRecoveryGuards({ ...fine, ...delivered, payments: [payment('SUCCEEDED', 50_000)] }),
    ).toBeUndefined();
    expect(checkRecoveryGuards({ ...fine, payments: [payment('SUCCEEDED', 49_999)] })).toBeUndefined();
    const twice = [payment('SUCCEEDED', 50_000), payment('SUCCEEDED')];
    expect(checkRecoveryGuards({ ...fine, payments: twice })).toBeUndefined();
  });

  it('checks in the order of the table', () => {
    const all = { ...fine, ...fulfilled, payments: [], hasCodes: false, dispatched: [1, 2] };
    expect(checkRecoveryGuards(all)?.data).toEqual({ type: 'OrderNotPaid' });
    expect(checkRecoveryGuards({ ...all, payments: [payment('SUCCEEDED')] })?.data).toEqual({
      type: 'NoCodeProvided',
    });
    const typed = { ...all, payments: [payment('SUCCEEDED')], hasCodes: true };
    expect(checkRecoveryGuards(typed)?.data).toMatchObject({ type: 'ItemAlreadyFulfilled', orderItemId: 2 });
    expect(checkRecoveryGuards({ ...typed, items: fine.items })?.data).toMatchObject({
      type: 'ItemAlreadyDispatched',
    });
  });
});
