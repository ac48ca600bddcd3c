import type { Minor } from '../../platform/money.ts';
import { toPlainAmount } from '../../platform/money.ts';

/** A discount as the operators wrote it. */
export interface DiscountRule {
  readonly type: 'PERCENTAGE' | 'FIXED';
  /** Hundredths of a percent (1250 is 12.5 %) or of a taka. */
  readonly valueHundredths: number;
  readonly maxDiscountMinor: Minor | null;
  readonly minPurchaseMinor: Minor | null;
  readonly usageLimit: number | null;
  readonly usageLimitPerUser: number | null;
  /** Live uses. */
  readonly usageCount: number;
  readonly startDate: Date | null;
  readonly endDate: Date | null;
  readonly isActive: boolean;
  readonly firstOrderOnly: boolean;
  /** An empty list restricts nothing; an item has to be in every list that is not empty. */
  readonly variantIds: readonly number[];
  readonly productIds: readonly number[];
  readonly brandIds: readonly number[];
  readonly categoryIds: readonly number[];
  readonly paymentMethods: readonly string[];
}

export interface CartLine {
  readonly variantId: number;
  readonly productId: number;
  readonly brandId: number;
  /** The product's category and all above it. */
  readonly categoryIds: readonly number[];
  /** Unit price times quantity. */
  readonly totalMinor: Minor;
}

/** Who wants to use a code for what. What is undefined is not known yet, and what depends on it is not checked. */
export interface Situation {
  /** As shown in messages: stored, or as typed. */
  readonly code: string;
  readonly at: Date;
  readonly subtotalMinor: Minor | undefined;
  readonly lines: readonly CartLine[] | undefined;
  readonly paymentMethod: string | undefined;
  /** The code is good for one use, and an order has it. */
  readonly isCodeTaken: boolean;
  readonly customer:
    | {
        /** Live uses of this discount. */
        readonly uses: number;
        /** Paid for an order before, or holds another welcome discount. */
        readonly hasOrdered: boolean;
      }
    | undefined;
}

export type DiscountCheckName =
  | 'active'
  | 'started'
  | 'not_ended'
  | 'usage_limit'
  | 'usage_limit_per_user'
  | 'minimum_purchase'
  | 'first_order'
  | 'payment_method'
  | 'items';

export interface DiscountCheck {
  readonly check: DiscountCheckName;
  readonly outcome: 'pass' | 'fail' | 'not_checked';
  /** Why, for an operator; when it fails, the very message a customer gets. */
  readonly message: string;
}

/** Interface part 7, first row: byte for byte. */
export const notValidMessage = (code: string): string =>
  `Discount code ${code} is not valid or has been deactivated`;

/**
 * Everything a discount asks for, in the order in which a customer is told (interface part 7, decisions part 5): the
 * first that fails is the answer.
 */
export function checkDiscount(rule: DiscountRule, situation: Situation): DiscountCheck[] {
  const { code, at } = situation;
  return [
    decide('active', rule.isActive, notValidMessage(code)),
    decide('started', !rule.startDate || at >= rule.startDate, `Discount code ${code} is not active yet`),
    decide('not_ended', !rule.endDate || at <= rule.endDate, `Discount code ${code} has expired`),
    checkUsage(rule, situation),
    checkCustomer(rule, situation),
    checkMinimum(rule, situation),
    checkFirstOrder(rule, situation),
    checkPaymentMethod(rule, situation),
    checkItems(rule, situation),
  ];
}

export function firstFailure(checks: readonly DiscountCheck[]): DiscountCheck | undefined {
  return checks.find(({ outcome }) => outcome === 'fail');
}

function decide(check: DiscountCheckName, passes: boolean, refusal: string): DiscountCheck {
  return { check, outcome: passes ? 'pass' : 'fail', message: passes ? 'Holds' : refusal };
}

const unknown = (check: DiscountCheckName, message: string): DiscountCheck => ({
  check,
  outcome: 'not_checked',
  message,
});

const usedUp = (code: string): string => `Discount code ${code} has reached its usage limit`;

function checkUsage(rule: DiscountRule, { code, isCodeTaken }: Situation): DiscountCheck {
  const isFree = rule.usageLimit === null || rule.usageCount < rule.usageLimit;
  return decide('usage_limit', isFree && !isCodeTaken, usedUp(code));
}

function checkCustomer(rule: DiscountRule, { code, customer }: Situation): DiscountCheck {
  if (rule.usageLimitPerUser === null)
    return decide('usage_limit_per_user', true, 'No limit for one customer');
  if (!customer) return unknown('usage_limit_per_user', 'Nobody is signed in');
  return decide('usage_limit_per_user', customer.uses < rule.usageLimitPerUser, usedUp(code));
}

function checkMinimum(rule: DiscountRule, { subtotalMinor }: Situation): DiscountCheck {
  const minimum = rule.minPurchaseMinor ?? 0;
  if (subtotalMinor === undefined) return unknown('minimum_purchase', 'The subtotal is not known');
  return decide(
    'minimum_purchase',
    subtotalMinor >= minimum,
    `Your subtotal (${toPlainAmount(subtotalMinor)} BDT) is below the minimum purchase (${toPlainAmount(minimum)} BDT)`,
  );
}

function checkFirstOrder(rule: DiscountRule, { code, customer }: Situation): DiscountCheck {
  if (!rule.firstOrderOnly) return decide('first_order', true, 'For every order');
  if (!customer) return unknown('first_order', 'Nobody is signed in');
  return decide('first_order', !customer.hasOrdered, `Discount code ${code} is for a first order only`);
}

function checkPaymentMethod(rule: DiscountRule, { code, paymentMethod }: Situation): DiscountCheck {
  if (rule.paymentMethods.length === 0) return decide('payment_method', true, 'For every payment method');
  if (paymentMethod === undefined) return unknown('payment_method', 'No payment method is chosen yet');
  const methods = rule.paymentMethods.join(', ');
  return decide(
    'payment_method',
    rule.paymentMethods.includes(paymentMethod),
    `Discount code ${code} is for these payment methods only: ${methods}`,
  );
}

function checkItems(rule: DiscountRule, { code, lines }: Situation): DiscountCheck {
  if (!restrictsItems(rule)) return decide('items', true, 'For all items');
  if (!lines) return unknown('items', 'The items are not known yet');
  return decide(
    'items',
    lines.some((line) => isEligible(rule, line)),
    `Discount code ${code} does not apply to these items`,
  );
}

export function restrictsItems(rule: DiscountRule): boolean {
  return [rule.variantIds, rule.productIds, rule.brandIds, rule.categoryIds].some((ids) => ids.length > 0);
}

/** In every list that is not empty. */
export function isEligible(rule: DiscountRule, line: CartLine): boolean {
  const isIn = (list: readonly number[], ids: readonly number[]): boolean =>
    list.length === 0 || ids.some((id) => list.includes(id));
  return (
    isIn(rule.variantIds, [line.variantId]) &&
    isIn(rule.productIds, [line.productId]) &&
    isIn(rule.brandIds, [line.brandId]) &&
    isIn(rule.categoryIds, line.categoryIds)
  );
}

/**
 * What a discount takes off an amount: a percentage rounded half up to the poisha, never over its cap, never over the
 * amount (decisions part 5). In whole numbers that cannot overflow.
 */
export function discountOn(
  rule: Pick<DiscountRule, 'type' | 'valueHundredths' | 'maxDiscountMinor'>,
  amountMinor: Minor,
): Minor {
  const wanted =
    rule.type === 'FIXED'
      ? BigInt(rule.valueHundredths)
      : (BigInt(amountMinor) * BigInt(rule.valueHundredths) + 5_000n) / 10_000n;
  const limits = [wanted, BigInt(amountMinor)];
  if (rule.maxDiscountMinor !== null) limits.push(BigInt(rule.maxDiscountMinor));
  return Number(limits.reduce((least, limit) => (limit < least ? limit : least)));
}

/**
 * Splits a discount over lines in proportion to what they cost; the shares sum exactly to it and none is over its
 * line. Poishas that do not divide go to the largest remainders, the earlier line first where they are equal.
 */
export function shareOut(discountMinor: Minor, lineTotals: readonly Minor[]): Minor[] {
  const total = lineTotals.reduce((sum, line) => sum + BigInt(line), 0n);
  if (total === 0n) return lineTotals.map(() => 0);
  const parts = lineTotals.map((line, index) => {
    const exact = BigInt(discountMinor) * BigInt(line);
    return { index, share: Number(exact / total), remainder: exact % total };
  });
  const shares = parts.map(({ share }) => share);
  const left = discountMinor - shares.reduce((sum, share) => sum + share, 0);
  const byRemainder = parts.toSorted(
    (one, other) => Number(other.remainder > one.remainder) - Number(other.remainder < one.remainder),
  );
  for (const { index } of byRemainder.slice(0, left)) shares[index] = (shares[index] ?? 0) + 1;
  return shares;
}

/** What a discount takes off a cart, with the share of each line: nothing of the lines that it does not cover. */
export function discountOnCart(
  rule: DiscountRule,
  lines: readonly CartLine[],
): { discountMinor: Minor; shares: Minor[] } {
  const covered = lines.map((line) => (isEligible(rule, line) ? line.totalMinor : 0));
  const discountMinor = discountOn(
    rule,
    covered.reduce((sum, line) => sum + line, 0),
  );
  return { discountMinor, shares: shareOut(discountMinor, covered) };
}
