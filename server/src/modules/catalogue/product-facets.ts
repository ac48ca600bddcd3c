import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../platform/money.ts';
import type { LabelRow } from './catalogue-store.ts';
import { labelSchema, labelToWire } from './catalogue-wire.ts';
import type { Language } from '../../platform/language.ts';
import { searchProducts } from './search/product-search.ts';
import type { ProductSearch } from './search/product-search.ts';
import type { Shelf, ShelfProduct } from './shelf.ts';

const group = Type.Array(Type.Object({ ...labelSchema.properties, count: Type.Integer() }));

export const facetsSchema = Type.Object({
  total: Type.Integer({ description: 'Products that all filters together leave' }),
  brands: group,
  categories: group,
  tags: group,
  product_types: group,
  in_stock: Type.Object({ in_stock: Type.Integer(), out_of_stock: Type.Integer() }),
  price: Type.Object({
    min: Type.Union([Type.Number(), Type.Null()]),
    max: Type.Union([Type.Number(), Type.Null()]),
  }),
});

type Filters = Omit<ProductSearch, 'sort'>;

/**
 * Each group is counted under every filter but its own: with a brand chosen, the other brands still show what choosing
 * them instead would leave. A product counts for its category and all above it, as the filter finds it.
 */
export function countFacets(shelf: Shelf, filters: Filters): Static<typeof facetsSchema> {
  const without = (...names: readonly (keyof Filters)[]): ShelfProduct[] => {
    const others = Object.fromEntries(
      Object.entries(filters).filter(([name]) => !names.includes(name as keyof Filters)),
    );
    return searchProducts(shelf, { language: filters.language, ...others, sort: 'sort_order' });
  };
  const groupOf = (
    rows: readonly LabelRow[],
    products: readonly ShelfProduct[],
    idsOf: (product: ShelfProduct) => Iterable<number>,
  ) => countGroup(rows, { products, idsOf, language: filters.language });
  const { rows } = shelf;
  const anyStock = without('inStock');
  const anyPrice = without('minPriceMinor', 'maxPriceMinor');
  return {
    total: without().length,
    brands: groupOf(rows.brands, without('brand'), ({ row }) => [row.brand.id]),
    categories: groupOf(rows.categories, without('category'), ({ categoryIds }) => categoryIds),
    tags: groupOf(rows.tags, without('tag'), ({ row }) => row.tags.map(({ id }) => id)),
    product_types: groupOf(rows.product_types, without('productType'), ({ row }) => [row.product_type.id]),
    in_stock: {
      in_stock: anyStock.filter((product) => product.isInStock).length,
      out_of_stock: anyStock.filter((product) => !product.isInStock).length,
    },
    price: {
      min: extreme(
        Math.min,
        anyPrice.map(({ lowestPriceMinor }) => lowestPriceMinor),
      ),
      max: extreme(
        Math.max,
        anyPrice.map(({ highestPriceMinor }) => highestPriceMinor),
      ),
    },
  };
}

/** In the order of the rows; those that would leave nothing are not offered. */
function countGroup(
  rows: readonly LabelRow[],
  counted: {
    readonly products: readonly ShelfProduct[];
    readonly idsOf: (product: ShelfProduct) => Iterable<number>;
    readonly language: Language;
  },
): Static<typeof group> {
  const counts = new Map<number, number>();
  for (const product of counted.products) {
    for (const id of counted.idsOf(product)) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return rows
    .map((row) => ({ ...labelToWire(row, counted.language), count: counts.get(row.id) ?? 0 }))
    .filter(({ count }) => count > 0);
}

function extreme(
  pick: (...values: number[]) => number,
  prices: readonly (number | undefined)[],
): number | null {
  const known = prices.filter((price) => price !== undefined);
  return known.length === 0 ? null : toWireAmount(known.reduce((left, right) => pick(left, right)));
}
