import type { Database } from '../../platform/db/database.ts';
import type { RequestLimiter } from '../../platform/http/throttle/throttle.ts';
import type { Minor } from '../../platform/money.ts';
import type { Clock } from '../../platform/time.ts';
import { findVariantGroups } from '../catalogue/index.ts';
import type { CandidateRow } from './candidate-store.ts';
import { isEligible, restrictsItems } from './discount-rules.ts';
import type { CartLine } from './discount-rules.ts';
import { ruleOf } from './discount-store.ts';
import { tooManyGuesses, unknownDiscount } from './errors.ts';
import { assess, findTyped, readCustomer, refuse } from './quote-discount.ts';
import type { Assessment, HasPaidOrder } from './quote-discount.ts';

export interface ValidateDiscountDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly hasPaidOrder: HasPaidOrder;
  /** For codes that do not exist; not scaled with the other limits. */
  readonly guessLimiter: RequestLimiter;
}

export interface VariantInCart {
  readonly variantId: number;
  readonly quantity: number;
}

export interface ValidateDiscountInput {
  /** As typed. */
  readonly code: string;
  readonly subtotalMinor: Minor;
  /** Undefined when only the subtotal is known: restrictions to items are not checked then. */
  readonly variants: readonly VariantInCart[] | undefined;
  readonly paymentMethod: string | undefined;
  readonly userId: number | null;
  /** Where a caller without a token asks from. */
  readonly address: string;
}

/** Codes that do not exist, tried from one address or by one customer. Nobody mistypes so often. */
const GUESSES = { name: 'unknown-discount-codes', requests: 100, windowSeconds: 60 * 60 };

/**
 * What a code would take off (interface part 4), consuming nothing.
 *
 * @throws BAD_REQUEST with the messages of interface part 7; TOO_MANY_REQUESTS to whoever has tried too many codes
 * that do not exist, whatever is asked next: the answer tells nothing.
 */
export async function validateDiscount(
  deps: ValidateDiscountDeps,
  input: ValidateDiscountInput,
): Promise<{ candidate: CandidateRow; assessed: Assessment }> {
  const at = deps.clock.now();
  const { userId } = input;
  const guesser = userId === null ? input.address : `user:${userId}`;
  const [standing, candidate] = await Promise.all([
    deps.guessLimiter.peek(GUESSES, guesser),
    findTyped(deps.db, input.code, userId),
  ]);
  if (standing.isOver) throw tooManyGuesses(standing.resetSeconds);
  if (!candidate?.is_active) await deps.guessLimiter.take(GUESSES, guesser);
  if (!candidate) throw unknownDiscount(input.code);
  const assessed = assess(candidate, {
    at,
    subtotalMinor: input.subtotalMinor,
    lines: await linesOf(deps.db, candidate, input),
    paymentMethod: input.paymentMethod,
    customer: await readCustomer(deps, candidate, userId),
  });
  await refuse(deps.db, { candidate, assessed, userId, at });
  return { candidate, assessed };
}

async function linesOf(
  db: Database,
  candidate: CandidateRow,
  { variants, subtotalMinor }: Pick<ValidateDiscountInput, 'variants' | 'subtotalMinor'>,
): Promise<CartLine[] | undefined> {
  if (!variants || !restrictsItems(ruleOf(candidate))) return undefined;
  return linesWithin(candidate, await priceCart(db, variants), subtotalMinor);
}

/** A cart at today's prices, with what rules may ask of its variants; those that do not exist are left out. */
export async function priceCart(db: Database, variants: readonly VariantInCart[]): Promise<CartLine[]> {
  const groups = await findVariantGroups(
    db,
    variants.map(({ variantId }) => variantId),
  );
  return variants.flatMap(({ variantId, quantity }) => {
    const group = groups.find((known) => known.variantId === variantId);
    return group ? [{ ...group, totalMinor: group.priceMinor * quantity }] : [];
  });
}

/**
 * A client that names variants without quantities says less than it spends: where the rule covers all of them it
 * covers the whole subtotal, and otherwise what the covered ones cost.
 */
export function linesWithin(
  candidate: CandidateRow,
  lines: readonly CartLine[],
  subtotalMinor: Minor,
): CartLine[] {
  const rule = ruleOf(candidate);
  const [first] = lines;
  if (first && lines.every((line) => isEligible(rule, line)))
    return [{ ...first, totalMinor: subtotalMinor }];
  let left = subtotalMinor;
  return lines.map((line) => {
    const totalMinor = isEligible(rule, line) ? Math.min(line.totalMinor, left) : 0;
    left -= totalMinor;
    return { ...line, totalMinor };
  });
}
