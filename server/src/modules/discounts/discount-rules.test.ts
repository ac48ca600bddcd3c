import { describe, expect, it } from 'vitest';

import { checkDiscount, discountOn, discountOnCart, firstFailure, shareOut } from './discount-rules.ts';
import type { DiscountCheckName, DiscountRule, Situation } from './discount-rules.ts';
import { aRule, aSituation } from './test-rules.ts';

const refusal = (rule: Partial<DiscountRule>, situation: Partial<Situation> = {}) =>
  firstFailure(checkDiscount(aRule(rule), aSituation(situation)));
const outcomeOf = (name: DiscountCheckName, rule: Partial<DiscountRule>, situation: Partial<Situation>) =>
  checkDiscount(aRule(rule), aSituation(situation)).find(({ check }) => check === name)?.outcome;

const noon = new Date('2026-06-15T12:00:00.000Z');
const before = new Date(noon.getTime() - 1);
const after = new Date(noon.getTime() + 1);

describe('the five messages (interface part 7)', () => {
  it.each<[string, Partial<DiscountRule>, Partial<Situation>]>([
    ['Discount code EID25 is not valid or has been deactivated', { isActive: false }, {}],
    ['Discount code EID25 is not active yet', { startDate: after }, {}],
    ['Discount code EID25 has expired', { endDate: before }, {}],
    ['Discount code EID25 has reached its usage limit', { usageLimit: 3, usageCount: 3 }, {}],
    ['Discount code EID25 has reached its usage limit', {}, { isCodeTaken: true }],
    [
      'Discount code EID25 has reached its usage limit',
      { usageLimitPerUser: 2 },
      { customer: { uses: 2, hasOrdered: true } },
    ],
    [
      'Your subtotal (100 BDT) is below the minimum purchase (250 BDT)',
      { minPurchaseMinor: 25_000 },
      { subtotalMinor: 10_000 },
    ],
    [
      'Your subtotal (99.50 BDT) is below the minimum purchase (100.05 BDT)',
      { minPurchaseMinor: 10_005 },
      { subtotalMinor: 9_950 },
    ],
  ])('says "%s"', (message, rule, situation) => {
    expect(refusal(rule, situation)?.message).toBe(message);
  });

  it('come in the order of the interface when several hold', () => {
    const everything = {
      isActive: false,
      startDate: after,
      endDate: before,
      usageLimit: 1,
      usageCount: 1,
      minPurchaseMinor: 1_000_000,
    };
    const said: (string | undefined)[] = [];
    const mended: Partial<DiscountRule> = { ...everything };
    for (const mend of [
      { isActive: true },
      { startDate: null },
      { endDate: null },
      { usageLimit: null },
      { minPurchaseMinor: null },
    ]) {
      said.push(refusal(mended)?.check);
      Object.assign(mended, mend);
    }
    expect(said).toEqual(['active', 'started', 'not_ended', 'usage_limit', 'minimum_purchase']);
    expect(refusal(mended)).toBeUndefined();
  });
});

describe('limits at their edge', () => {
  it('is usable in the very moments it starts and ends', () => {
    expect(refusal({ startDate: noon, endDate: after })).toBeUndefined();
    expect(refusal({ startDate: before, endDate: noon })).toBeUndefined();
  });

  it('lets the last use through, and a subtotal that is exactly the minimum', () => {
    expect(refusal({ usageLimit: 3, usageCount: 2 })).toBeUndefined();
    expect(refusal({ usageLimitPerUser: 2 }, { customer: { uses: 1, hasOrdered: true } })).toBeUndefined();
    expect(refusal({ minPurchaseMinor: 10_000 }, { subtotalMinor: 10_000 })).toBeUndefined();
    expect(refusal({ minPurchaseMinor: 10_000 }, { subtotalMinor: 9_999 })?.check).toBe('minimum_purchase');
  });
});

describe('rules about customers, methods and items', () => {
  it('refuses a first-order code to a customer who has ordered, and to nobody else', () => {
    const refused = refusal({ firstOrderOnly: true }, { customer: { uses: 0, hasOrdered: true } });
    expect(refused).toMatchObject({
      check: 'first_order',
      message: 'Discount code EID25 is for a first order only',
    });
    expect(refusal({ firstOrderOnly: true })).toBeUndefined();
    expect(refusal({}, { customer: { uses: 5, hasOrdered: true } })).toBeUndefined();
  });

  it('names the payment methods it is for', () => {
    const rule = { paymentMethods: ['dcb', 'gw_multi_wallet'] };
    expect(refusal(rule)?.message).toBe(
      'Discount code EID25 is for these payment methods only: dcb, gw_multi_wallet',
    );
    expect(refusal(rule, { paymentMethod: 'dcb' })).toBeUndefined();
  });

  it('refuses a cart without one item that it covers', () => {
    expect(refusal({ variantIds: [2] })?.message).toBe('Discount code EID25 does not apply to these items');
    for (const covered of [
      { variantIds: [1] },
      { productIds: [11] },
      { brandIds: [21] },
      { categoryIds: [30] },
    ])
      expect(refusal(covered)).toBeUndefined();
    expect(refusal({ variantIds: [1], brandIds: [22] })?.check).toBe('items');
  });

  it('checks nothing that is not known, and says so', () => {
    const nothing = {
      customer: undefined,
      paymentMethod: undefined,
      lines: undefined,
      subtotalMinor: undefined,
    };
    const rule = {
      firstOrderOnly: true,
      usageLimitPerUser: 1,
      paymentMethods: ['dcb'],
      variantIds: [9],
      minPurchaseMinor: 1,
    };
    for (const name of [
      'first_order',
      'usage_limit_per_user',
      'payment_method',
      'items',
      'minimum_purchase',
    ] as const)
      expect([name, outcomeOf(name, rule, nothing)]).toEqual([name, 'not_checked']);
    expect(refusal(rule, nothing)).toBeUndefined();
  });
});

describe('amounts', () => {
  it('rounds half a poisha up and less than half down', () => {
    // 12.5 % of 0.04, 0.12 and 0.11 BDT: 0.5, 1.5 and 1.375 poisha.
    const cut = aRule({ valueHundredths: 1_250 });
    expect([4, 12, 11].map((amount) => discountOn(cut, amount))).toEqual([1, 2, 1]);
  });

  it('stops at the cap and at the amount', () => {
    expect(discountOn(aRule({ valueHundredths: 5_000, maxDiscountMinor: 10_000 }), 100_000)).toBe(10_000);
    expect(discountOn(aRule({ type: 'FIXED', valueHundredths: 20_000 }), 15_000)).toBe(15_000);
    expect(discountOn(aRule({ valueHundredths: 10_000 }), 15_000)).toBe(15_000);
  });

  it('gives the poisha that does not divide to the largest remainder, then to the earlier item', () => {
    expect(shareOut(100, [100, 100, 100])).toEqual([34, 33, 33]);
    expect(shareOut(10, [1, 5, 9])).toEqual([1, 3, 6]);
    expect(shareOut(0, [5, 5])).toEqual([0, 0]);
    expect(shareOut(0, [0, 0])).toEqual([0, 0]);
  });

  it('takes off the covered items only', () => {
    const lines = aSituation().lines ?? [];
    const other = { variantId: 2, productId: 12, brandId: 22, categoryIds: [32], totalMinor: 50_000 };
    expect(discountOnCart(aRule({ brandIds: [21] }), [...lines, other])).toEqual({
      discountMinor: 1_000,
      shares: [1_000, 0],
    });
  });
});
