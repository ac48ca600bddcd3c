import type { Minor } from '../../platform/money.ts';
import { listOffers } from './candidate-store.ts';
import type { CandidateRow } from './candidate-store.ts';
import { assess } from './quote-discount.ts';
import type { Assessment } from './quote-discount.ts';
import { linesWithin, priceCart } from './validate-discount.ts';
import type { ValidateDiscountDeps, VariantInCart } from './validate-discount.ts';

const MOST = 50;

export interface OffersWanted {
  readonly subtotalMinor: Minor | undefined;
  readonly variants: readonly VariantInCart[] | undefined;
  readonly paymentMethod: string | undefined;
  readonly userId: number | null;
}

export interface Offer {
  readonly candidate: CandidateRow;
  readonly assessed: Assessment;
  /** Whether there is a subtotal, given or of the cart, that it takes something off. */
  readonly isPriced: boolean;
}

/** The public discounts that can be used now, those that end first first, each with what it says to this caller. */
export async function findOffers(deps: ValidateDiscountDeps, wanted: OffersWanted): Promise<Offer[]> {
  const at = deps.clock.now();
  const { userId, variants, paymentMethod } = wanted;
  const [offers, cart] = await Promise.all([
    listOffers(deps.db, { userId, at, limit: MOST }),
    variants && priceCart(deps.db, variants),
  ]);
  const asksForHistory = userId !== null && offers.some((offer) => offer.first_order_only);
  const hasPaid = asksForHistory && (await deps.hasPaidOrder(deps.db, userId));
  const subtotalMinor = wanted.subtotalMinor ?? cart?.reduce((sum, line) => sum + line.totalMinor, 0);
  return offers.map((candidate) => {
    const hasOrdered = candidate.first_order_only && (hasPaid || candidate.has_welcome_use);
    const customer = userId === null ? undefined : { uses: candidate.customer_uses, hasOrdered };
    const lines = cart && linesWithin(candidate, cart, subtotalMinor ?? 0);
    const assessed = assess(candidate, { at, subtotalMinor, lines, paymentMethod, customer });
    return { candidate, assessed, isPriced: subtotalMinor !== undefined && !assessed.failure };
  });
}
