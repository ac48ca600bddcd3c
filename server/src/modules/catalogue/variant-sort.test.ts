import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { sortVariants } from './variant-sort.ts';

const variant = fc.record({
  id: fc.integer({ min: 1, max: 50 }),
  name: fc.constantFrom('A', 'B', 'C', 'ক'),
  price: fc.constantFrom(10, 20.5),
  sort_order: fc.integer({ min: 0, max: 2 }),
});
const variants = fc.uniqueArray(variant, { selector: ({ id }) => id });

describe('sortVariants', () => {
  it.each([
    ['price', ['price', 'sort_order', 'id']],
    ['sort', ['sort_order', 'id']],
    ['name', ['name', 'id']],
  ] as const)('sorts by %s: %j, ascending, losing none', (by, keys) => {
    fc.assert(
      fc.property(variants, (given) => {
        const sorted = sortVariants(given, by, 'en');
        expect(new Set(sorted)).toEqual(new Set(given));
        sorted.slice(1).forEach((right, at) => {
          const left = sorted[at];
          const key = keys.find((each) => left?.[each] !== right[each]);
          expect(left !== undefined && key !== undefined && left[key] < right[key]).toBe(true);
        });
      }),
    );
  });

  it('leaves what it was given as it was', () => {
    const given = Object.freeze([
      { id: 2, name: 'b', price: 2, sort_order: 0 },
      { id: 1, name: 'a', price: 1, sort_order: 0 },
    ]);
    expect(sortVariants(given, 'price', 'en').map(({ id }) => id)).toEqual([1, 2]);
  });
});
