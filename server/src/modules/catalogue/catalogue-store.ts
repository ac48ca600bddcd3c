import { statement } from '../../platform/db/database.ts';
import type { Reader } from '../../platform/db/database.ts';
import { CONTENT_COLUMNS } from './content/content-rows.ts';
import type { ContentRows } from './content/content-rows.ts';
import type { FulfillmentMode } from './fulfillment/fulfillment-config-rules.ts';

export type Engine = 'PRELOADED' | 'PARTNER';

/** A brand, category, tag or product type as other rows name it. */
export interface LabelRow {
  readonly id: number;
  readonly name: string;
  readonly name_bn: string | null;
  readonly slug: string;
}

export interface TaxonomyRow extends LabelRow {
  readonly sort_order: number;
}

export interface BrandRow extends TaxonomyRow {
  readonly description: string | null;
  readonly image_url: string | null;
}

export interface CategoryRow extends BrandRow {
  readonly parent_id: number | null;
}

export interface VariantRow {
  readonly id: number;
  readonly name: string;
  readonly name_bn: string | null;
  readonly sku: string;
  readonly price_minor: number;
  readonly compare_at_price_minor: number | null;
  readonly currency: string;
  readonly engine: Engine;
  readonly max_quantity: number;
  readonly sort_order: number;
}

export interface ProductRow {
  readonly id: number;
  readonly name: string;
  readonly name_bn: string | null;
  readonly slug: string;
  readonly description: string | null;
  readonly description_bn: string | null;
  readonly image_url: string | null;
  readonly mode: FulfillmentMode;
  readonly fulfillment_config: unknown;
  readonly sort_order: number;
  readonly brand: LabelRow;
  readonly category: LabelRow;
  readonly product_type: LabelRow;
  readonly tags: readonly LabelRow[];
  readonly variants: readonly VariantRow[];
}

export interface PaymentMethodRow {
  readonly id: number;
  readonly method: string;
  readonly name: string;
  readonly name_bn: string | null;
  readonly description: string | null;
  readonly image_url: string | null;
  readonly min_minor: number | null;
  readonly max_minor: number | null;
  readonly sort_order: number;
  /** Moments as JSON has them. */
  readonly maintenance_from: string | null;
  readonly maintenance_until: string | null;
}

/** Everything a customer may see, each list in `sort_order`, `id` (interface part 2, "Ordering field"). */
export interface CatalogueRows extends ContentRows {
  readonly version: number;
  readonly brands: readonly BrandRow[];
  readonly categories: readonly CategoryRow[];
  readonly tags: readonly TaxonomyRow[];
  readonly product_types: readonly TaxonomyRow[];
  readonly products: readonly ProductRow[];
  readonly payment_methods: readonly PaymentMethodRow[];
}

const FIND_VERSION = statement('catalogue_find_version', 'SELECT version FROM catalogue_version');

/** The number that grows with every committed change of the catalogue's tables. */
export async function getCatalogueVersion(reader: Reader): Promise<number> {
  const { rows } = await reader.query<{ version: number }>(FIND_VERSION);
  if (!rows[0]) throw new Error('catalogue_version has lost its row');
  return rows[0].version;
}

const activeRows = (table: string, columns: string): string =>
  `(SELECT COALESCE(json_agg(r ORDER BY r.sort_order, r.id), '[]')
     FROM (SELECT ${columns} FROM ${table} WHERE is_active) r) AS ${table}`;

// One statement is one moment: the version and the rows belong together, and no row refers to one that is missing.
const READ_CATALOGUE = statement(
  'catalogue_read',
  `SELECT (SELECT version FROM catalogue_version) AS version,
    ${activeRows('brands', 'id, name, name_bn, slug, description, image_url, sort_order')},
    ${activeRows('categories', 'id, parent_id, name, name_bn, slug, description, image_url, sort_order')},
    ${activeRows('tags', 'id, name, name_bn, slug, sort_order')},
    ${activeRows('product_types', 'id, name, name_bn, slug, sort_order')},
    ${activeRows('payment_methods', 'id, method, name, name_bn, description, image_url, min_minor, max_minor, sort_order, maintenance_from, maintenance_until')},
    ${CONTENT_COLUMNS},
    (SELECT COALESCE(json_agg(r ORDER BY r.sort_order, r.id), '[]') FROM (
      SELECT p.id, p.name, p.name_bn, p.slug, p.description, p.description_bn, p.image_url, p.mode,
        p.fulfillment_config, p.sort_order,
        json_build_object('id', b.id, 'name', b.name, 'name_bn', b.name_bn, 'slug', b.slug) AS brand,
        json_build_object('id', c.id, 'name', c.name, 'name_bn', c.name_bn, 'slug', c.slug) AS category,
        json_build_object('id', t.id, 'name', t.name, 'name_bn', t.name_bn, 'slug', t.slug) AS product_type,
        COALESCE(pt.tags, '[]') AS tags,
        COALESCE(pv.variants, '[]') AS variants
      FROM products p
      JOIN brands b ON b.id = p.brand_id
      JOIN categories c ON c.id = p.category_id
      JOIN product_types t ON t.id = p.product_type_id
      LEFT JOIN (
        SELECT x.product_id, json_agg(
          json_build_object('id', g.id, 'name', g.name, 'name_bn', g.name_bn, 'slug', g.slug)
          ORDER BY g.sort_order, g.id) AS tags
        FROM product_tags x JOIN tags g ON g.id = x.tag_id WHERE g.is_active GROUP BY x.product_id
      ) pt ON pt.product_id = p.id
      LEFT JOIN (
        SELECT v.product_id, json_agg(v ORDER BY v.sort_order, v.id) AS variants FROM (
          SELECT product_id, id, name, name_bn, sku, price_minor, compare_at_price_minor, currency, engine,
            max_quantity, sort_order
          FROM product_variants WHERE is_active) v GROUP BY v.product_id
      ) pv ON pv.product_id = p.id
      WHERE p.status = 'active' AND b.is_active) r) AS products`,
);

export async function readCatalogue(reader: Reader): Promise<CatalogueRows> {
  const { rows } = await reader.query<CatalogueRows>(READ_CATALOGUE);
  if (!rows[0]) throw new Error('Reading the catalogue answered no row');
  return rows[0];
}

export interface VariantForSaleRow {
  readonly variant_id: number;
  readonly product_id: number;
  readonly brand_id: number;
  readonly product_name: string;
  readonly variant_name: string;
  readonly price_minor: number;
  readonly currency: string;
  readonly engine: Engine;
  readonly mode: FulfillmentMode;
  readonly max_quantity: number;
  readonly is_sellable: boolean;
  readonly fulfillment_config: unknown;
}

const variantsForSale = (which: string): string =>
  `SELECT v.id AS variant_id, p.id AS product_id, p.brand_id, p.name AS product_name, v.name AS variant_name,
     v.price_minor, v.currency, v.engine, p.mode, v.max_quantity, p.fulfillment_config,
     v.is_active AND p.status = 'active' AND b.is_active AS is_sellable
   FROM product_variants v
   JOIN products p ON p.id = v.product_id
   JOIN brands b ON b.id = p.brand_id
   WHERE ${which}`;

// Most orders are for one variant. For a list PostgreSQL plans anew every time, since a kept plan would count on ten
// of them; that takes longer than the reading.
const FIND_VARIANT_FOR_SALE = statement('catalogue_find_variant_for_sale', variantsForSale('v.id = $1'));
const LIST_VARIANTS_FOR_SALE = statement(
  'catalogue_list_variants_for_sale',
  variantsForSale('v.id = ANY($1::bigint[])'),
);

export async function listVariantsForSale(
  reader: Reader,
  ids: readonly number[],
): Promise<VariantForSaleRow[]> {
  const [query, value] = ids.length === 1 ? [FIND_VARIANT_FOR_SALE, ids[0]] : [LIST_VARIANTS_FOR_SALE, ids];
  return (await reader.query<VariantForSaleRow>(query, [value])).rows;
}

export interface StockedVariantRow {
  readonly variant_id: number;
  readonly brand_id: number;
  readonly sku: string;
  readonly name: string;
  readonly product_name: string;
  readonly engine: Engine;
}

const FIND_STOCKED_VARIANT = statement(
  'catalogue_find_stocked_variant',
  `SELECT v.id AS variant_id, p.brand_id, v.sku, v.name, p.name AS product_name, v.engine
   FROM product_variants v JOIN products p ON p.id = v.product_id
   WHERE v.sku = $1 OR v.id::text = $1
   ORDER BY v.sku = $1 DESC LIMIT 1`,
);

export async function findStockedVariant(
  reader: Reader,
  idOrSku: string,
): Promise<StockedVariantRow | undefined> {
  return (await reader.query<StockedVariantRow>(FIND_STOCKED_VARIANT, [idOrSku])).rows[0];
}

export interface VariantGroupsRow {
  readonly variant_id: number;
  readonly product_id: number;
  readonly brand_id: number;
  readonly category_ids: number[];
  readonly price_minor: number;
}

// UNION keeps a circle of categories from going on for ever.
const LIST_VARIANT_GROUPS = statement(
  'catalogue_list_variant_groups',
  `SELECT v.id AS variant_id, v.product_id, p.brand_id, v.price_minor,
     (WITH RECURSIVE above AS (
        SELECT c.id, c.parent_id FROM categories c WHERE c.id = p.category_id
        UNION SELECT c.id, c.parent_id FROM categories c JOIN above ON c.id = above.parent_id
      ) SELECT jsonb_agg(id) FROM above) AS category_ids
   FROM product_variants v JOIN products p ON p.id = v.product_id WHERE v.id = ANY($1::bigint[])`,
);

export async function listVariantGroups(reader: Reader, ids: readonly number[]): Promise<VariantGroupsRow[]> {
  return (await reader.query<VariantGroupsRow>(LIST_VARIANT_GROUPS, [ids])).rows;
}

/** Ids that something outside the catalogue names, by what they should be ids of. */
export interface CatalogueIds {
  readonly variantIds: readonly number[];
  readonly productIds: readonly number[];
  readonly brandIds: readonly number[];
  readonly categoryIds: readonly number[];
}

const unknownIn = (list: keyof CatalogueIds, table: string, parameter: string): string =>
  `SELECT '${list}' AS list, given.id FROM unnest(${parameter}::bigint[]) AS given(id)
   WHERE NOT EXISTS (SELECT FROM ${table} known WHERE known.id = given.id)`;
const LIST_UNKNOWN_IDS = statement(
  'catalogue_list_unknown_ids',
  [
    unknownIn('variantIds', 'product_variants', '$1'),
    unknownIn('productIds', 'products', '$2'),
    unknownIn('brandIds', 'brands', '$3'),
    unknownIn('categoryIds', 'categories', '$4'),
  ].join(' UNION ALL '),
);

export async function listUnknownIds(
  reader: Reader,
  ids: CatalogueIds,
): Promise<{ list: keyof CatalogueIds; id: number }[]> {
  const given = [ids.variantIds, ids.productIds, ids.brandIds, ids.categoryIds];
  return (await reader.query<{ list: keyof CatalogueIds; id: number }>(LIST_UNKNOWN_IDS, given)).rows;
}
