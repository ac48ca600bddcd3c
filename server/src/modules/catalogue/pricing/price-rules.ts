import { fieldError } from '../../../platform/errors.ts';

/**
 * Refuses a crossed-out price that is no higher than what is asked: it would tell customers of a bargain that is none.
 * One that a later price has caught up with is no reason to refuse that price: it is no longer shown.
 *
 * @param price what will be asked, in BDT as `compare_at_price`.
 * @throws VALIDATION_ERROR about `compare_at_price`.
 */
export function refuseLowCompareAt(written: { readonly compare_at_price?: unknown }, price: unknown): void {
  const { compare_at_price: compareAt } = written;
  if (typeof compareAt === 'number' && typeof price === 'number' && compareAt <= price)
    throw fieldError('compare_at_price', 'compare_at_price must be above price');
}

/** The crossed-out price as customers see it: none that is not above the price. */
export function shownCompareAt(row: {
  readonly price_minor: number;
  readonly compare_at_price_minor: number | null;
}): number | null {
  const { price_minor: price, compare_at_price_minor: compareAt } = row;
  return compareAt !== null && compareAt > price ? compareAt : null;
}
