import type { Minor } from '../../platform/money.ts';

export interface PricedLine {
  readonly unitPriceMinor: Minor;
  readonly quantity: number;
}

/** What an order costs. The discount never exceeds the subtotal (decisions part 5). */
export function totalsOf(
  lines: readonly PricedLine[],
  discountMinor: Minor,
): { subtotalMinor: Minor; discountMinor: Minor; totalMinor: Minor } {
  const subtotalMinor = lines.reduce((sum, line) => sum + line.unitPriceMinor * line.quantity, 0);
  const granted = Math.min(Math.max(discountMinor, 0), subtotalMinor);
  return { subtotalMinor, discountMinor: granted, totalMinor: subtotalMinor - granted };
}
