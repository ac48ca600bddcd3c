import { findByIdOrSlug } from '../shelf.ts';
import type { Shelf, ShelfProduct } from '../shelf.ts';
import { compareNames } from '../variant-sort.ts';
import type { Language } from '../../../platform/language.ts';
import { inLanguage } from '../../../platform/language.ts';

export const PRODUCT_SORTS = [
  'sort_order',
  '-sort_order',
  'name',
  '-name',
  'price',
  '-price',
  'id',
  '-id',
] as const;
export type ProductSort = (typeof PRODUCT_SORTS)[number];

export interface ProductSearch {
  /** Id or slug, as the other three. */
  readonly brand?: string;
  /** Finds what is in the categories below it too. */
  readonly category?: string;
  readonly tag?: string;
  readonly productType?: string;
  /** Ids found by words in their texts. */
  readonly found?: ReadonlySet<number>;
  readonly inStock?: boolean;
  readonly minPriceMinor?: number;
  readonly maxPriceMinor?: number;
  readonly sort: ProductSort;
  readonly language: Language;
}

/** The products that match everything asked, in the order asked. A filter that names nothing known finds nothing. */
export function searchProducts(shelf: Shelf, search: ProductSearch): ShelfProduct[] {
  const tests = testsOf(shelf, search);
  const found = shelf.products.filter((product) => tests.every((test) => test(product)));
  return search.sort === 'sort_order' ? found : found.toSorted(comparison(search));
}

type Test = (product: ShelfProduct) => boolean;

function testsOf({ rows }: Shelf, search: ProductSearch): Test[] {
  const tests: Test[] = [];
  const { brand, category, tag, productType, found, inStock, minPriceMinor, maxPriceMinor } = search;
  if (brand !== undefined) {
    const id = findByIdOrSlug(rows.brands, brand)?.id;
    tests.push(({ row }) => row.brand.id === id);
  }
  if (category !== undefined) {
    const id = findByIdOrSlug(rows.categories, category)?.id;
    tests.push(({ categoryIds }) => id !== undefined && categoryIds.has(id));
  }
  if (tag !== undefined) {
    const id = findByIdOrSlug(rows.tags, tag)?.id;
    tests.push(({ row }) => row.tags.some((each) => each.id === id));
  }
  if (productType !== undefined) {
    const id = findByIdOrSlug(rows.product_types, productType)?.id;
    tests.push(({ row }) => row.product_type.id === id);
  }
  if (found !== undefined) tests.push(({ row }) => found.has(row.id));
  if (inStock !== undefined) tests.push((product) => product.isInStock === inStock);
  if (minPriceMinor !== undefined)
    tests.push((product) => (product.highestPriceMinor ?? -1) >= minPriceMinor);
  if (maxPriceMinor !== undefined)
    tests.push((product) => (product.lowestPriceMinor ?? Infinity) <= maxPriceMinor);
  return tests;
}

/** Ties fall back to `sort_order`, `id`: the products come in that order and the sort is stable. */
function comparison({ sort, language }: ProductSearch): (left: ShelfProduct, right: ShelfProduct) => number {
  const direction = sort.startsWith('-') ? -1 : 1;
  const by = sort.replace('-', '');
  const name = ({ row }: ShelfProduct): string => inLanguage(language, row.name, row.name_bn);
  const price = (product: ShelfProduct): number => product.lowestPriceMinor ?? Number.MAX_SAFE_INTEGER;
  return (left, right) => {
    if (by === 'name') return direction * compareNames(language, name(left), name(right));
    if (by === 'price') return direction * (price(left) - price(right));
    if (by === 'id') return direction * (left.row.id - right.row.id);
    return direction * (left.row.sort_order - right.row.sort_order);
  };
}
