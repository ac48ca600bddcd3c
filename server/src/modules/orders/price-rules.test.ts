import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { totalsOf } from './price-rules.ts';

const line = fc.record({
  unitPriceMinor: fc.integer({ min: 0, max: 10_000_000 }),
  quantity: fc.integer({ min: 1, max: 100 }),
});

describe('order totals', () => {
  it('add up exactly, and a discount takes at most the subtotal', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 20 }),
        fc.integer({ min: -5, max: 1_000_000_000 }),
        (lines, discount) => {
          const totals = totalsOf(lines, discount);
          const exact = lines.reduce(
            (sum, { unitPriceMinor, quantity }) => sum + BigInt(unitPriceMinor) * BigInt(quantity),
            0n,
          );
          expect(BigInt(totals.subtotalMinor)).toBe(exact);
          expect(totals.totalMinor).toBe(totals.subtotalMinor - totals.discountMinor);
          expect(totals.discountMinor).toBeGreaterThanOrEqual(0);
          expect(totals.totalMinor).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
