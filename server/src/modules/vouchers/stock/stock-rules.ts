/** How long a stock lasts, and when it is low. Pure. */

export interface StockFacts {
  /** Units that can be sold now. */
  readonly available: number;
  readonly soldLately: number;
  /** How many days "lately" is. */
  readonly paceDays: number;
  readonly lowUnits: number | null;
  readonly lowCoverDays: number | null;
}

/** Whole days that the stock lasts at the recent pace; null when nothing was sold: it lasts for ever. */
export function daysOfCover({ available, soldLately, paceDays }: StockFacts): number | null {
  return soldLately === 0 ? null : Math.floor((available * paceDays) / soldLately);
}

/** Below either threshold. */
export function isLow(facts: StockFacts): boolean {
  const cover = daysOfCover(facts);
  const isShort = facts.lowUnits !== null && facts.available < facts.lowUnits;
  return isShort || (facts.lowCoverDays !== null && cover !== null && cover < facts.lowCoverDays);
}
