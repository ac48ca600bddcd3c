import type {
  CatalogueRows,
  CategoryRow,
  PaymentMethodRow,
  ProductRow,
  TaxonomyRow,
} from './catalogue-store.ts';
import type { BannerRow, SectionRow } from './content/content-rows.ts';
import { isOn, isWithin, nextTurn } from './content/schedule-rules.ts';
import { parseFulfillmentConfig } from './fulfillment/fulfillment-config-rules.ts';
import type { FulfillmentConfig } from './fulfillment/fulfillment-config-rules.ts';
import type { Language } from '../../platform/language.ts';
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
  readonly lowestPriceMinor: number | undefined;
  readonly highestPriceMinor: number | undefined;
  readonly isInStock: boolean;
}

/** The catalogue as it stands at one moment, in memory, with what was prepared from it. Never changes. */
export interface Shelf {
  readonly rows: CatalogueRows;
  readonly sellable: ReadonlySet<number>;
  /** When something that is scheduled appears or goes; from then on this is not right any more. */
  readonly goodUntilMs: number;
  /** In `sort_order`, `id`. */
  readonly products: readonly ShelfProduct[];
  /** Those whose schedule is on. */
  readonly banners: readonly BannerRow[];
  readonly sections: readonly SectionRow[];
  /** Those not in maintenance. */
  readonly paymentMethods: readonly PaymentMethodRow[];
  findProduct(id: number): ShelfProduct | undefined;
  findProductBySlug(slug: string): ShelfProduct | undefined;
  findProductOfVariant(variantId: number): ShelfProduct | undefined;
  /** Active categories under this one; those without a parent for null. */
  childrenOf(categoryId: number | null): readonly CategoryRow[];
  show(product: ShelfProduct, language: Language, variantSort: VariantSort): ClientProduct;
}

export interface ShelfMoment {
  readonly sellable: ReadonlySet<number>;
  readonly at: Date;
}

export function createShelf(rows: CatalogueRows, { sellable, at }: ShelfMoment): Shelf {
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
    goodUntilMs: nextTurn(momentsOf(rows), at) ?? Number.POSITIVE_INFINITY,
    products,
    banners: rows.homepage_banners.filter((row) => isOn(row, at)),
    sections: rows.homepage_sections.filter((row) => isOn(row, at)),
    paymentMethods: rows.payment_methods.filter(
      (row) => !isWithin({ from: row.maintenance_from, until: row.maintenance_until }, at),
    ),
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

/** Every moment at which the passing of time changes what is shown. */
function momentsOf(rows: CatalogueRows): (string | null)[] {
  const shown = [...rows.homepage_banners, ...rows.homepage_sections];
  return [
    ...shown.flatMap((row) => [row.starts_at, row.ends_at]),
    ...rows.payment_methods.flatMap((row) => [row.maintenance_from, row.maintenance_until]),
  ];
}

/** PRELOADED needs a code in the vault; a partner is asked when the time comes. */
function isInStock(variant: ProductRow['variants'][number], sellable: ReadonlySet<number>): boolean {
  return sellable.has(variant.id);
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
