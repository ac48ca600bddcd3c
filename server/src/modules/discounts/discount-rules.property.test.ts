import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { discountOn, discountOnCart, isEligible, shareOut } from './discount-rules.ts';
import type { CartLine, DiscountRule } from './discount-rules.ts';
import { aRule } from './test-rules.ts';

/** An exact fraction: what the arithmetic should have been, worked out another way. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

const fraction = (over: bigint, under = 1n): Fraction => ({ over, under });
const add = (a: Fraction, b: Fraction): Fraction =>
  fraction(a.over * b.under + b.over * a.under, a.under * b.under);
const times = (a: Fraction, b: Fraction): Fraction => fraction(a.over * b.over, a.under * b.under);
const isLess = (a: Fraction, b: Fraction): boolean => a.over * b.under < b.over * a.under;
/** Of numbers that are not negative. */
const floor = ({ over, under }: Fraction): bigint => over / under;
const halfUp = (value: Fraction): bigint => floor(add(value, fraction(1n, 2n)));

/** The largest subtotal an order may have. */
const MOST = 1_000_000_000_000;
const anAmount = fc.oneof(
  fc.integer({ min: 0, max: 1_000 }),
  fc.integer({ min: 0, max: 10_000_000 }),
  fc.integer({ min: 0, max: MOST }),
);
const aPriceCut = fc.record({
  type: fc.constantFrom('PERCENTAGE' as const, 'FIXED' as const),
  valueHundredths: fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 3 })),
  maxDiscountMinor: fc.option(fc.integer({ min: 1, max: 5_000_000 })),
});
const someIds = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 2 });
const aRestriction = fc.record({
  variantIds: someIds,
  productIds: someIds,
  brandIds: someIds,
  categoryIds: someIds,
});
const aLine: fc.Arbitrary<CartLine> = fc.record({
  variantId: fc.integer({ min: 1, max: 4 }),
  productId: fc.integer({ min: 1, max: 4 }),
  brandId: fc.integer({ min: 1, max: 4 }),
  categoryIds: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
  totalMinor: fc.integer({ min: 0, max: 10_000_000 }),
});
const aCart = fc.array(aLine, { minLength: 1, maxLength: 20 });

/** What the decisions say, in fractions: the percentage half up, the cap, the amount. */
function exactDiscount(
  cut: Pick<DiscountRule, 'type' | 'valueHundredths' | 'maxDiscountMinor'>,
  amount: number,
): bigint {
  const wanted =
    cut.type === 'FIXED'
      ? BigInt(cut.valueHundredths)
      : halfUp(times(fraction(BigInt(amount)), fraction(BigInt(cut.valueHundredths), 10_000n)));
  const capped = cut.maxDiscountMinor !== null && wanted > BigInt(cut.maxDiscountMinor);
  const granted = capped ? BigInt(cut.maxDiscountMinor ?? 0) : wanted;
  return granted > BigInt(amount) ? BigInt(amount) : granted;
}

describe('discount arithmetic against exact fractions', () => {
  it('takes off exactly what the rule says, to the poisha, at every size', () => {
    fc.assert(
      fc.property(aPriceCut, anAmount, (cut, amount) => {
        expect(BigInt(discountOn(cut, amount))).toBe(exactDiscount(cut, amount));
      }),
      { numRuns: 10_000 },
    );
  });

  it('never takes off more than there is, nor less than nothing', () => {
    fc.assert(
      fc.property(aPriceCut, anAmount, (cut, amount) => {
        const discount = discountOn(cut, amount);
        expect(discount).toBeGreaterThanOrEqual(0);
        expect(discount).toBeLessThanOrEqual(amount);
        if (cut.maxDiscountMinor !== null) expect(discount).toBeLessThanOrEqual(cut.maxDiscountMinor);
      }),
      { numRuns: 5_000 },
    );
  });

  it('never grows when the amount shrinks', () => {
    fc.assert(
      fc.property(aPriceCut, anAmount, anAmount, (cut, one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        expect(discountOn(cut, less)).toBeLessThanOrEqual(discountOn(cut, more));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('shares of items', () => {
  it('sum exactly to the discount and never exceed their item', () => {
    fc.assert(
      fc.property(fc.array(anAmount, { minLength: 1, maxLength: 20 }), aPriceCut, (totals, cut) => {
        const discount = discountOn(
          cut,
          totals.reduce((sum, total) => sum + total, 0),
        );
        const shares = shareOut(discount, totals);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(discount);
        for (const [index, share] of shares.entries()) {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(totals[index] ?? 0);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('are the exact proportion rounded to one of its neighbours, the largest remainders upwards', () => {
    fc.assert(
      fc.property(fc.array(anAmount, { minLength: 1, maxLength: 12 }), fc.nat(10_000), (totals, parts) => {
        const sum = totals.reduce((all, total) => all + BigInt(total), 0n);
        fc.pre(sum > 0n);
        const discount = Number((sum * BigInt(parts)) / 10_000n);
        const shares = shareOut(discount, totals);
        const exact = totals.map((total) => fraction(BigInt(discount) * BigInt(total), sum));
        const remainders = exact.map((value) => add(value, fraction(-floor(value))));
        const isUp = shares.map((share, index) => BigInt(share) === floor(exact[index] ?? fraction(0n)) + 1n);
        for (const [index, share] of shares.entries()) {
          const down = floor(exact[index] ?? fraction(0n));
          expect([down, down + 1n]).toContain(BigInt(share));
        }
        for (const [up, one] of remainders.entries()) {
          for (const [down, other] of remainders.entries()) {
            if (isUp[up] && !isUp[down]) expect(isLess(one, other)).toBe(false);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('are nothing for items that the rule does not cover, whatever the restrictions', () => {
    fc.assert(
      fc.property(aCart, aPriceCut, aRestriction, (cart, cut, restriction) => {
        const rule = aRule({ ...cut, ...restriction });
        const { discountMinor, shares } = discountOnCart(rule, cart);
        const covered = cart.filter((line) => isEligible(rule, line));
        const base = covered.reduce((sum, line) => sum + line.totalMinor, 0);
        expect(BigInt(discountMinor)).toBe(exactDiscount(cut, base));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(discountMinor);
        for (const [index, line] of cart.entries())
          if (!isEligible(rule, line)) expect(shares[index]).toBe(0);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** The rule about items, said the long way. */
function covers(rule: DiscountRule, line: CartLine): boolean {
  if (rule.variantIds.length > 0 && !rule.variantIds.includes(line.variantId)) return false;
  if (rule.productIds.length > 0 && !rule.productIds.includes(line.productId)) return false;
  if (rule.brandIds.length > 0 && !rule.brandIds.includes(line.brandId)) return false;
  if (rule.categoryIds.length === 0) return true;
  return rule.categoryIds.some((id) => line.categoryIds.some((own) => own === id));
}

it('covers an item that is in every list that is not empty, and no other', () => {
  fc.assert(
    fc.property(aLine, aRestriction, (line, restriction) => {
      const rule = aRule(restriction);
      expect(isEligible(rule, line)).toBe(covers(rule, line));
    }),
    { numRuns: 2_000 },
  );
});
