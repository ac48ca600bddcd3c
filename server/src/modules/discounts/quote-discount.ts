import { inOneStatement } from '../../platform/db/database.ts';
import type { Database, Reader } from '../../platform/db/database.ts';
import type { Minor } from '../../platform/money.ts';
import { findVariantGroups } from '../catalogue/index.ts';
import { findCandidate, insertRefusal } from './candidate-store.ts';
import type { CandidateRow } from './candidate-store.ts';
import { checkDiscount, discountOn, discountOnCart, firstFailure, restrictsItems } from './discount-rules.ts';
import type { CartLine, DiscountCheck } from './discount-rules.ts';
import { ruleOf } from './discount-store.ts';
import { discountRefused, unknownDiscount } from './errors.ts';

/** Whether the customer has paid for an order before: the orders module knows. */
export type HasPaidOrder = (reader: Reader, userId: number) => Promise<boolean>;

export interface CartItem {
  readonly variantId: number;
  /** Unit price times quantity. */
  readonly totalMinor: Minor;
}

export interface DiscountWish {
  /** As typed. */
  readonly code: string;
  readonly userId: number;
  readonly at: Date;
  readonly paymentMethod: string | undefined;
  readonly items: readonly CartItem[];
}

/** What a code takes off an order, and what has to be still true when the order takes the use. */
export interface DiscountQuote {
  readonly discountId: number;
  readonly revision: number;
  readonly codeId: number | null;
  /** As stored. */
  readonly code: string;
  readonly userId: number;
  readonly subtotalMinor: Minor;
  readonly discountMinor: Minor;
  /** One for each item, in their order; they sum to `discountMinor`. */
  readonly shares: readonly Minor[];
  readonly isFirstOrder: boolean;
  readonly usageLimitPerUser: number | null;
}

/** A typed code as it is stored: without space around it, in capitals. Null for what can be no code. */
export function codeKeyOf(typed: string): string | null {
  const key = typed.trim().toUpperCase();
  return /^[A-Z0-9][A-Z0-9._%+-]{0,63}$/.test(key) ? key : null;
}

/** The discount behind what somebody typed, with what that customer has used of it. */
export async function findTyped(
  reader: Reader,
  typed: string,
  userId: number | null,
): Promise<CandidateRow | undefined> {
  const codeKey = codeKeyOf(typed);
  return codeKey === null ? undefined : findCandidate(reader, codeKey, userId);
}

/**
 * Prices a cart with a code, at this moment and from the database. Takes nothing: `consumeDiscount` does, in the
 * order's transaction, if everything is as it was here.
 *
 * @throws BAD_REQUEST with the messages of interface part 7; `data.reason` names the rule.
 */
export async function quoteDiscount(
  deps: { readonly db: Database; readonly hasPaidOrder: HasPaidOrder },
  wish: DiscountWish,
): Promise<DiscountQuote> {
  const { db } = deps;
  const { userId, at } = wish;
  const candidate = await findTyped(db, wish.code, userId);
  if (!candidate) throw unknownDiscount(wish.code);
  const lines = await readCart(db, candidate, wish.items);
  const assessed = assess(candidate, {
    at,
    lines,
    subtotalMinor: lines.reduce((sum, line) => sum + line.totalMinor, 0),
    paymentMethod: wish.paymentMethod,
    customer: await readCustomer(deps, candidate, userId),
  });
  await refuse(db, { candidate, assessed, userId, at });
  return {
    discountId: candidate.id,
    revision: candidate.revision,
    codeId: candidate.code_id,
    code: candidate.shown_code,
    userId,
    subtotalMinor: assessed.subtotalMinor,
    discountMinor: assessed.discountMinor,
    shares: assessed.shares,
    isFirstOrder: candidate.first_order_only,
    usageLimitPerUser: candidate.usage_limit_per_user,
  };
}

/** Cart lines with what the rule asks of them; only a rule that restricts items costs a look into the catalogue. */
export async function readCart(
  reader: Reader,
  candidate: CandidateRow,
  items: readonly CartItem[],
): Promise<CartLine[]> {
  const groups = restrictsItems(ruleOf(candidate))
    ? await findVariantGroups(
        reader,
        items.map((item) => item.variantId),
      )
    : [];
  return items.map(({ variantId, totalMinor }) => {
    const group = groups.find((known) => known.variantId === variantId);
    const { productId = 0, brandId = 0, categoryIds = [] } = group ?? {};
    return { variantId, productId, brandId, categoryIds, totalMinor };
  });
}

/** Whether a first-order rule lets the customer through; asked only when there is such a rule. */
export async function readCustomer(
  deps: { readonly db: Reader; readonly hasPaidOrder: HasPaidOrder },
  candidate: CandidateRow,
  userId: number | null,
): Promise<{ uses: number; hasOrdered: boolean } | undefined> {
  if (userId === null) return undefined;
  const hasOrdered =
    candidate.first_order_only && (candidate.has_welcome_use || (await deps.hasPaidOrder(deps.db, userId)));
  return { uses: candidate.customer_uses, hasOrdered };
}

export interface Circumstances {
  readonly at: Date;
  readonly subtotalMinor: Minor | undefined;
  /** Undefined when only the subtotal is known. */
  readonly lines: readonly CartLine[] | undefined;
  readonly paymentMethod: string | undefined;
  readonly customer: { readonly uses: number; readonly hasOrdered: boolean } | undefined;
}

export interface Assessment {
  readonly checks: readonly DiscountCheck[];
  readonly failure: DiscountCheck | undefined;
  readonly subtotalMinor: Minor;
  /** What it takes off if nothing fails. */
  readonly discountMinor: Minor;
  /** For each line; empty when there are none. */
  readonly shares: readonly Minor[];
}

/** What a discount says to these circumstances, without a look anywhere else. */
export function assess(candidate: CandidateRow, circumstances: Circumstances): Assessment {
  const rule = ruleOf(candidate);
  const { lines, subtotalMinor = 0 } = circumstances;
  const checks = checkDiscount(rule, {
    ...circumstances,
    code: candidate.shown_code,
    isCodeTaken: candidate.is_code_taken,
  });
  const price =
    lines && lines.length > 0
      ? discountOnCart(rule, lines)
      : { discountMinor: discountOn(rule, subtotalMinor), shares: [] };
  return { checks, failure: firstFailure(checks), subtotalMinor, ...price };
}

/** Says why not, and remembers it for statistics. @throws BAD_REQUEST when a check failed. */
export async function refuse(
  db: Database,
  refusal: { candidate: CandidateRow; assessed: Assessment; userId: number | null; at: Date },
): Promise<void> {
  const { candidate, assessed, userId, at } = refusal;
  const { failure } = assessed;
  if (!failure) return;
  const note = { discountId: candidate.id, userId, reason: failure.check, at };
  await inOneStatement(db, (tx) => insertRefusal(tx, note));
  throw discountRefused(failure);
}
