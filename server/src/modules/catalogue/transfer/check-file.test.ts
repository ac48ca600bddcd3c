import { describe, expect, it } from 'vitest';

import { findConflicts, findUnknownColumns } from './check-file.ts';

const conflictsOf = (...rows: Record<string, unknown>[]) => [
  ...findConflicts(rows.map((row, at) => ({ number: at + 1, row }))),
];

describe('findConflicts', () => {
  it('lets rows of one product repeat what they say of it, tags in any order, or leave it out', () => {
    expect(
      conflictsOf(
        { product_slug: 'a', product_name: 'A', tags: ['x', 'y'], sku: '1', price: 1 },
        { product_slug: 'a', product_name: 'A', tags: ['y', 'x'], sku: '2', price: 2 },
        { product_slug: 'a', sku: '3' },
        { product_slug: 'b', product_name: 'B' },
      ),
    ).toEqual([]);
  });

  it('names the row that a second word about a product contradicts', () => {
    expect(
      conflictsOf(
        { product_slug: 'a', sku: '1' },
        { product_slug: 'a', product_name: 'New', sku: '2' },
        { product_slug: 'a', product_name: 'Old', sku: '3' },
        { product_slug: 'a', product_name: null, sku: '4' },
      ),
    ).toEqual([
      [3, 'product_name differs from row 2: rows of one product must agree'],
      [4, 'product_name differs from row 2: rows of one product must agree'],
    ]);
  });

  it('takes a SKU once, whatever product it is given to', () => {
    expect(
      conflictsOf(
        { product_slug: 'a', sku: '1' },
        { product_slug: 'b', sku: '1' },
        { product_slug: 'c', sku: '' },
        { product_slug: 'd', sku: '' },
        { product_slug: 'e', sku: null },
        { product_slug: 'f', sku: null },
      ),
    ).toEqual([[2, 'sku 1 is in row 1 already']]);
  });

  it('leaves rows that name no product to those who ask for one', () => {
    expect(conflictsOf({ product_name: 'A' }, { product_name: 'B' }, { product_slug: 5 })).toEqual([]);
  });
});

describe('findUnknownColumns', () => {
  it('names each column once that means nothing', () => {
    expect(findUnknownColumns(['sku', 'prise', '', 'prise', '__proto__'])).toEqual(['prise', '__proto__']);
  });
});
