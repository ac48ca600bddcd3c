import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export interface ExportRow {
  readonly product_slug: string;
  readonly product_name: string;
  readonly product_name_bn: string | null;
  readonly description: string | null;
  readonly description_bn: string | null;
  readonly image_url: string | null;
  readonly brand: string;
  readonly category: string;
  readonly product_type: string;
  readonly tags: string[];
  readonly status: string;
  readonly mode: string;
  readonly fulfillment_config: unknown;
  readonly product_sort_order: number;
  readonly sku: string | null;
  readonly variant_name: string | null;
  readonly variant_name_bn: string | null;
  readonly price_minor: number | null;
  readonly compare_at_price_minor: number | null;
  readonly engine: string | null;
  readonly max_quantity: number | null;
  readonly is_active: boolean | null;
  readonly variant_sort_order: number | null;
}

const listAll = statement(
  'catalogue_export',
  `SELECT p.slug AS product_slug, p.name AS product_name, p.name_bn AS product_name_bn, p.description,
     p.description_bn, p.image_url, b.slug AS brand, c.slug AS category, t.slug AS product_type,
     ARRAY(SELECT g.slug FROM product_tags x JOIN tags g ON g.id = x.tag_id WHERE x.product_id = p.id
       ORDER BY g.sort_order, g.id) AS tags,
     p.status, p.mode, p.fulfillment_config, p.sort_order AS product_sort_order, v.sku, v.name AS variant_name,
     v.name_bn AS variant_name_bn, v.price_minor, v.compare_at_price_minor, v.engine, v.max_quantity, v.is_active,
     v.sort_order AS variant_sort_order
   FROM products p JOIN brands b ON b.id = p.brand_id JOIN categories c ON c.id = p.category_id
   JOIN product_types t ON t.id = p.product_type_id LEFT JOIN product_variants v ON v.product_id = p.id
   ORDER BY p.sort_order, p.id, v.sort_order, v.id`,
);

export async function listExportRows(reader: Reader): Promise<ExportRow[]> {
  return (await reader.query<ExportRow>(listAll)).rows;
}

/** The tables whose rows an import names by slug. */
export const NAMED_TABLES = ['brands', 'categories', 'product_types', 'tags'] as const;
export type NamedTable = (typeof NAMED_TABLES)[number];

/** Slug → id. */
export async function listSlugs(reader: Reader, table: NamedTable): Promise<Map<string, number>> {
  const list = statement(`catalogue_slugs_${table}`, `SELECT slug, id FROM ${table}`);
  const { rows } = await reader.query<{ slug: string; id: number }>(list);
  return new Map(rows.map(({ slug, id }) => [slug, id]));
}

const findProduct = statement('catalogue_product_by_slug', 'SELECT id FROM products WHERE slug = $1');

export async function findProductId(tx: Tx, slug: string): Promise<number | undefined> {
  return (await tx.query<{ id: number }>(findProduct, [slug])).rows[0]?.id;
}

const findVariant = statement(
  'catalogue_variant_by_sku',
  'SELECT id, product_id FROM product_variants WHERE sku = $1',
);

export async function findVariantBySku(
  tx: Tx,
  sku: string,
): Promise<{ id: number; product_id: number } | undefined> {
  return (await tx.query<{ id: number; product_id: number }>(findVariant, [sku])).rows[0];
}

/** What fails after it can be taken back without losing what was done before. */
export async function beginPart(tx: Tx): Promise<void> {
  await tx.query('SAVEPOINT part');
}

export async function keepPart(tx: Tx): Promise<void> {
  await tx.query('RELEASE SAVEPOINT part');
}

export async function dropPart(tx: Tx): Promise<void> {
  await tx.query('ROLLBACK TO SAVEPOINT part');
}
