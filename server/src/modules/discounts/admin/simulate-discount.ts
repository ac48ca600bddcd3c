import type { Minor } from '../../../platform/money.ts';
import { findCandidateById } from '../candidate-store.ts';
import type { CandidateRow } from '../candidate-store.ts';
import { isEligible, notValidMessage } from '../discount-rules.ts';
import type { CartLine, DiscountCheck } from '../discount-rules.ts';
import { ruleOf } from '../discount-store.ts';
import { discountNotFound } from '../errors.ts';
import { assess, findTyped, readCustomer } from '../quote-discount.ts';
import type { Assessment } from '../quote-discount.ts';
import { priceCart } from '../validate-discount.ts';
import type { ValidateDiscountDeps, VariantInCart } from '../validate-discount.ts';

export interface Simulation {
  /** A code as a customer would type it, or the id of a discount. */
  readonly discount: { readonly code: string } | { readonly id: number };
  readonly variants: readonly VariantInCart[] | undefined;
  /** Where there is no cart. */
  readonly subtotalMinor: Minor | undefined;
  readonly userId: number | null;
  readonly paymentMethod: string | undefined;
  /** Now when left out. */
  readonly at: Date | undefined;
}

export interface SimulatedLine {
  readonly line: CartLine;
  readonly isCovered: boolean;
  readonly discountMinor: Minor;
}

export interface Simulated {
  readonly candidate: CandidateRow | undefined;
  readonly checks: readonly DiscountCheck[];
  readonly failure: DiscountCheck | undefined;
  readonly subtotalMinor: Minor;
  readonly discountMinor: Minor;
  readonly lines: readonly SimulatedLine[];
}

/**
 * What a discount would say to a cart, a customer and a moment that need not exist, rule by rule. Takes nothing.
 *
 * @throws NOT_FOUND for an unknown id; an unknown code is an answer.
 */
export async function simulateDiscount(
  deps: ValidateDiscountDeps,
  simulation: Simulation,
): Promise<Simulated> {
  const at = simulation.at ?? deps.clock.now();
  const [candidate, lines] = await Promise.all([
    findSimulated(deps, simulation),
    simulation.variants && priceCart(deps.db, simulation.variants),
  ]);
  const ofCart = lines?.reduce((sum, line) => sum + line.totalMinor, 0);
  const subtotalMinor = ofCart ?? simulation.subtotalMinor;
  if (!candidate) return unknownCode(simulation, subtotalMinor ?? 0);
  const customer = await readCustomer(deps, candidate, simulation.userId);
  const { paymentMethod } = simulation;
  const assessed = assess(candidate, { at, subtotalMinor, lines, paymentMethod, customer });
  return {
    candidate,
    ...assessed,
    discountMinor: assessed.failure ? 0 : assessed.discountMinor,
    lines: explainLines(candidate, assessed, lines ?? []),
  };
}

async function findSimulated(
  deps: ValidateDiscountDeps,
  { discount, userId }: Simulation,
): Promise<CandidateRow | undefined> {
  if ('code' in discount) {
    return findTyped(deps.db, discount.code, userId);
  }
  const candidate = await findCandidateById(deps.db, discount.id, userId);
  if (!candidate) throw discountNotFound();
  return candidate;
}

function unknownCode({ discount }: Simulation, subtotalMinor: Minor): Simulated {
  const message = notValidMessage('code' in discount ? discount.code : '');
  const failure = { check: 'active', outcome: 'fail', message } as const;
  return {
    candidate: undefined,
    checks: [failure],
    failure,
    subtotalMinor,
    discountMinor: 0,
    lines: [],
  };
}

function explainLines(
  candidate: CandidateRow,
  assessed: Assessment,
  lines: readonly CartLine[],
): SimulatedLine[] {
  const rule = ruleOf(candidate);
  return lines.map((line, index) => ({
    line,
    isCovered: isEligible(rule, line),
    discountMinor: assessed.failure ? 0 : (assessed.shares[index] ?? 0),
  }));
}
