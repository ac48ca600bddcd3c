import type { DiscountRule, Situation } from './discount-rules.ts';

/** A rule that lets everything through, but for what is said. For tests only. */
export function aRule(parts: Partial<DiscountRule> = {}): DiscountRule {
  return {
    type: 'PERCENTAGE',
    valueHundredths: 1_000,
    maxDiscountMinor: null,
    minPurchaseMinor: null,
    usageLimit: null,
    usageLimitPerUser: null,
    usageCount: 0,
    startDate: null,
    endDate: null,
    isActive: true,
    firstOrderOnly: false,
    variantIds: [],
    productIds: [],
    brandIds: [],
    categoryIds: [],
    paymentMethods: [],
    ...parts,
  };
}

/** Somebody signed in who has never used it, with one item of 100 BDT. */
export function aSituation(parts: Partial<Situation> = {}): Situation {
  return {
    code: 'EID25',
    at: new Date('2026-06-15T12:00:00.000Z'),
    subtotalMinor: 10_000,
    lines: [{ variantId: 1, productId: 11, brandId: 21, categoryIds: [31, 30], totalMinor: 10_000 }],
    paymentMethod: 'gw_aggregator',
    isCodeTaken: false,
    customer: { uses: 0, hasOrdered: false },
    ...parts,
  };
}
