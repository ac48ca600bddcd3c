import type { CatalogueRows, CategoryRow, ProductRow, TaxonomyRow } from './catalogue-store.ts';
import { parseFulfillmentConfig } from './fulfillment-config-rules.ts';
import type { FulfillmentConfig } from './fulfillment-config-rules.ts';
import type { Language } from './language.ts';
import { productToWire, variantToWire } from './catalogue-wire.ts';
import type { ClientProduct } from './catalogue-wire.ts';
import { sortVariants } from './variant-sort.ts';
import type { VariantSort } from './variant-sort.ts';

/** One product prepared for being found. */
export interface ShelfProduct {
  readonly row: ProductRow;
  readonly fulfillment: FulfillmentConfig;
  /** The category and all above it: a product is found in each. */
  readonly categoryIds: ReadonlySet<number>;
  /** Lower-case text that `search` looks in. */
  readonly searchText: string;
  readonly lowestPriceMinor: number | undefined;
  readonly highestPriceMinor: number | undefined;
  readonly isInStock: boolean;
}

/** The catalogue as it stands at one moment, in memory, with what was prepared from it. Never changes. */
export interface Shelf {
  readonly rows: CatalogueRows;
  readonly sellable: ReadonlySet<number>;
  /** In `sort_order`, `id`. */
  readonly products: readonly ShelfProduct[];
  findProduct(id: number): ShelfProduct | undefined;
  findProductBySlug(slug: string): ShelfProduct | undefined;
  findProductOfVariant(variantId: number): ShelfProduct | undefined;
  /** Active categories under this one; those without a parent for null. */
  childrenOf(categoryId: number | null): readonly CategoryRow[];
  show(product: ShelfProduct, language: Language, variantSort: VariantSort): ClientProduct;
}

export function createShelf(rows: CatalogueRows, sellable: ReadonlySet<number>): Shelf {
  const categories = new Map(rows.categories.map((row) => [row.id, row]));
  const products = rows.products.map((row) => shelfProduct(row, categories, sellable));
  const byId = new Map(products.map((product) => [product.row.id, product]));
  const bySlug = new Map(products.map((product) => [product.row.slug, product]));
  const byVariant = new Map(
    products.flatMap((product) => product.row.variants.map(({ id }) => [id, product] as const)),
  );
  const children = Map.groupBy(rows.categories, (row) => row.parent_id);
  const shown = new Map<string, ClientProduct>();
  return {
    rows,
    sellable,
    products,
    findProduct: (id) => byId.get(id),
    findProductBySlug: (slug) => bySlug.get(slug),
    findProductOfVariant: (variantId) => byVariant.get(variantId),
    childrenOf: (categoryId) => children.get(categoryId) ?? [],
    show(product, language, variantSort) {
      const key = `${product.row.id} ${language} ${variantSort}`;
      const known = shown.get(key);
      if (known) return known;
      const made = showProduct(product, { language, variantSort, sellable });
      shown.set(key, made);
      return made;
    },
  };
}

/** PRELOADED needs a code in the vault; a partner is asked when the time comes. */
function isInStock(variant: ProductRow['variants'][number], sellable: ReadonlySet<number>): boolean {
  return variant.engine === 'PARTNER' || sellable.has(variant.id);
}

function shelfProduct(
  row: ProductRow,
  categories: ReadonlyMap<number, CategoryRow>,
  sellable: ReadonlySet<number>,
): ShelfProduct {
  const prices = row.variants.map((variant) => variant.price_minor);
  return {
    row,
    fulfillment: parseFulfillmentConfig(row.fulfillment_config, row.mode),
    categoryIds: new Set(lineOf(row.category.id, categories)),
    searchText: searchTextOf(row),
    lowestPriceMinor: prices.length === 0 ? undefined : Math.min(...prices),
    highestPriceMinor: prices.length === 0 ? undefined : Math.max(...prices),
    isInStock: row.variants.some((variant) => isInStock(variant, sellable)),
  };
}

/** The category and those above it. Ends at an inactive one and, should two name each other, at the second visit. */
function lineOf(id: number, categories: ReadonlyMap<number, CategoryRow>): number[] {
  const line: number[] = [];
  for (
    let at: number | null = id;
    at !== null && !line.includes(at);
    at = categories.get(at)?.parent_id ?? null
  ) {
    if (categories.has(at)) line.push(at);
  }
  return line;
}

function searchTextOf(row: ProductRow): string {
  const labels = [row.brand, row.category, row.product_type, ...row.tags].flatMap((label) => [
    label.name,
    label.name_bn,
  ]);
  return [row.name, row.name_bn, row.slug, ...labels]
    .filter((text) => text !== null)
    .join('\n')
    .normalize('NFC')
    .toLowerCase();
}

function showProduct(
  product: ShelfProduct,
  as: { language: Language; variantSort: VariantSort; sellable: ReadonlySet<number> },
): ClientProduct {
  const shown = { language: as.language, fulfillment: product.fulfillment };
  const variants = product.row.variants.map((row) => variantToWire(row, shown, isInStock(row, as.sellable)));
  return productToWire(product.row, shown, sortVariants(variants, as.variantSort, as.language));
}

/** The row a filter names by id or by slug. */
export function findByIdOrSlug<Row extends TaxonomyRow>(
  rows: readonly Row[],
  idOrSlug: string,
): Row | undefined {
  return rows.find((row) => row.slug === idOrSlug) ?? rows.find((row) => String(row.id) === idOrSlug);
}
