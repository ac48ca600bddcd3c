import type { Reader } from '../../platform/db/database.ts';
import { findStockedVariant, listVariantGroups, listVariantsForSale } from './catalogue-store.ts';
import type { Engine } from './catalogue-store.ts';
import { parseFulfillmentConfig } from './fulfillment/fulfillment-config-rules.ts';
import type { FulfillmentConfig, FulfillmentMode } from './fulfillment/fulfillment-config-rules.ts';

/** What an order needs to know of a variant to price and check it. */
export interface VariantForSale {
  readonly variantId: number;
  readonly productId: number;
  readonly brandId: number;
  readonly productName: string;
  readonly variantName: string;
  readonly priceMinor: number;
  readonly currency: string;
  readonly engine: Engine;
  readonly mode: FulfillmentMode;
  readonly maxQuantity: number;
  /** The variant, its product and its brand are active. Stock is another question. */
  readonly isSellable: boolean;
  readonly fulfillment: FulfillmentConfig;
}

/**
 * The variants with these ids as they are at this moment, in one statement and not from memory: a price that was
 * changed a moment ago is the price. Unknown ids are left out; the order of the result is not that of the ids.
 */
export async function findVariantsForSale(
  reader: Reader,
  variantIds: readonly number[],
): Promise<VariantForSale[]> {
  const rows = await listVariantsForSale(reader, variantIds);
  return rows.map((row) => ({
    variantId: row.variant_id,
    productId: row.product_id,
    brandId: row.brand_id,
    productName: row.product_name,
    variantName: row.variant_name,
    priceMinor: row.price_minor,
    currency: row.currency,
    engine: row.engine,
    mode: row.mode,
    maxQuantity: row.max_quantity,
    isSellable: row.is_sellable,
    fulfillment: parseFulfillmentConfig(row.fulfillment_config, row.mode),
  }));
}

/** What loading stock needs to know of a variant, active or not. */
export interface VariantToStock {
  readonly variantId: number;
  readonly brandId: number;
  readonly sku: string;
  /** Product and variant, for people. */
  readonly title: string;
  readonly engine: Engine;
}

/** The variant with this SKU, or with this id in digits; the SKU wins where both exist. */
export async function findVariantToStock(
  reader: Reader,
  idOrSku: string,
): Promise<VariantToStock | undefined> {
  const row = await findStockedVariant(reader, idOrSku);
  if (!row) return undefined;
  return {
    variantId: row.variant_id,
    brandId: row.brand_id,
    sku: row.sku,
    title: `${row.product_name}, ${row.name}`,
    engine: row.engine,
  };
}

/** Where a variant belongs, and its price now. */
export interface VariantGroups {
  readonly variantId: number;
  readonly productId: number;
  readonly brandId: number;
  /** Its product's category and all above it. */
  readonly categoryIds: readonly number[];
  readonly priceMinor: number;
}

/** For rules about products, brands and categories; unknown ids are left out. */
export async function findVariantGroups(
  reader: Reader,
  variantIds: readonly number[],
): Promise<VariantGroups[]> {
  const rows = await listVariantGroups(reader, variantIds);
  return rows.map((row) => ({
    variantId: row.variant_id,
    productId: row.product_id,
    brandId: row.brand_id,
    categoryIds: row.category_ids,
    priceMinor: row.price_minor,
  }));
}
