import { statement } from '../platform/db/database.ts';
import type { Reader, Tx } from '../platform/db/database.ts';

/**
 * Each statement takes a JSON array and writes what is missing, so that a second seeding changes nothing and an
 * operator's edits stay. Rows name each other by slug.
 */
const lockSeeding = statement('demo_lock', `SELECT pg_advisory_xact_lock(hashtext('demo catalogue'))`);

const insertBrands = statement(
  'demo_insert_brands',
  `INSERT INTO brands (slug, name, name_bn, description, sort_order)
   SELECT slug, name, "nameBn", description, sort_order
   FROM jsonb_to_recordset($1::jsonb) AS r(slug text, name text, "nameBn" text, description text, sort_order int)
   ORDER BY sort_order ON CONFLICT (slug) DO NOTHING`,
);

const insertCategories = statement(
  'demo_insert_categories',
  `INSERT INTO categories (slug, name, name_bn, parent_id, sort_order)
   SELECT r.slug, r.name, r."nameBn", above.id, r.sort_order
   FROM jsonb_to_recordset($1::jsonb) AS r(slug text, name text, "nameBn" text, parent text, sort_order int)
   LEFT JOIN categories above ON above.slug = r.parent
   ORDER BY r.sort_order ON CONFLICT (slug) DO NOTHING`,
);

const insertLabels = (table: 'tags' | 'product_types') =>
  statement(
    `demo_insert_${table}`,
    `INSERT INTO ${table} (slug, name, name_bn, sort_order)
     SELECT slug, name, "nameBn", sort_order
     FROM jsonb_to_recordset($1::jsonb) AS r(slug text, name text, "nameBn" text, sort_order int)
     ORDER BY sort_order ON CONFLICT (slug) DO NOTHING`,
  );
const insertTags = insertLabels('tags');
const insertProductTypes = insertLabels('product_types');

const insertProducts = statement(
  'demo_insert_products',
  `INSERT INTO products (slug, name, name_bn, description, description_bn, brand_id, category_id, product_type_id,
     status, mode, fulfillment_config, sort_order)
   SELECT r.slug, r.name, r."nameBn", r.description, r."descriptionBn", b.id, c.id, t.id,
     COALESCE(r.status, 'active'), r.mode, jsonb_build_object('fields', COALESCE(r.fields, '[]')), r.sort_order
   FROM jsonb_to_recordset($1::jsonb) AS r(slug text, name text, "nameBn" text, description text, "descriptionBn" text,
     brand text, category text, type text, status text, mode text, fields jsonb, sort_order int)
   JOIN brands b ON b.slug = r.brand JOIN categories c ON c.slug = r.category JOIN product_types t ON t.slug = r.type
   ORDER BY r.sort_order ON CONFLICT (slug) DO NOTHING RETURNING slug`,
);

const insertProductTags = statement(
  'demo_insert_product_tags',
  `INSERT INTO product_tags (product_id, tag_id)
   SELECT p.id, t.id FROM jsonb_to_recordset($1::jsonb) AS r(product text, tag text)
   JOIN products p ON p.slug = r.product JOIN tags t ON t.slug = r.tag
   ON CONFLICT DO NOTHING`,
);

const insertVariants = statement(
  'demo_insert_variants',
  `INSERT INTO product_variants (product_id, sku, name, name_bn, price_minor, compare_at_price_minor, engine,
     max_quantity, sort_order)
   SELECT p.id, r.sku, r.name, r."nameBn", r."priceMinor", r."wasMinor", r.engine, r."maxQuantity", r.sort_order
   FROM jsonb_to_recordset($1::jsonb) AS r(product text, sku text, name text, "nameBn" text, "priceMinor" bigint,
     "wasMinor" bigint, engine text, "maxQuantity" int, sort_order int)
   JOIN products p ON p.slug = r.product
   ORDER BY p.sort_order, r.sort_order ON CONFLICT (sku) DO NOTHING`,
);

const insertPaymentMethods = statement(
  'demo_insert_payment_methods',
  `INSERT INTO payment_methods (method, name, name_bn, description, min_minor, max_minor, sort_order)
   SELECT method, name, "nameBn", description, "minMinor", "maxMinor", sort_order
   FROM jsonb_to_recordset($1::jsonb) AS r(method text, name text, "nameBn" text, description text,
     "minMinor" bigint, "maxMinor" bigint, sort_order int)
   ORDER BY sort_order ON CONFLICT (method) DO NOTHING`,
);

const insertFaqs = statement(
  'demo_insert_faqs',
  `INSERT INTO faqs (category, question, answer, question_bn, answer_bn, sort_order)
   SELECT category, question, answer, "questionBn", "answerBn", sort_order
   FROM jsonb_to_recordset($1::jsonb) AS r(category text, question text, answer text, "questionBn" text,
     "answerBn" text, sort_order int)
   WHERE NOT EXISTS (SELECT 1 FROM faqs WHERE faqs.question = r.question) ORDER BY sort_order`,
);

const insertBanners = statement(
  'demo_insert_banners',
  `INSERT INTO homepage_banners (title, title_bn, link_url, sort_order)
   SELECT title, "titleBn", "linkUrl", sort_order
   FROM jsonb_to_recordset($1::jsonb) AS r(title text, "titleBn" text, "linkUrl" text, sort_order int)
   WHERE NOT EXISTS (SELECT 1 FROM homepage_banners b WHERE b.title = r.title) ORDER BY sort_order`,
);

const insertSections = statement(
  'demo_insert_sections',
  `WITH given AS (
     SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(title text, "titleBn" text, layout text, products jsonb, sort_order int)
   ), section AS (
     INSERT INTO homepage_sections (title, title_bn, layout, sort_order)
     SELECT title, "titleBn", layout, sort_order FROM given
     WHERE NOT EXISTS (SELECT 1 FROM homepage_sections s WHERE s.title = given.title) ORDER BY sort_order
     RETURNING id, title
   )
   INSERT INTO homepage_section_items (section_id, product_id, sort_order)
   SELECT section.id, p.id, item.position * 10
   FROM section JOIN given USING (title)
   CROSS JOIN LATERAL jsonb_array_elements_text(given.products) WITH ORDINALITY AS item(slug, position)
   JOIN products p ON p.slug = item.slug
   ORDER BY section.id, item.position`,
);

const listVariants = statement(
  'demo_list_variants',
  `SELECT v.id AS variant_id, p.brand_id, v.sku, v.price_minor,
     EXISTS (SELECT 1 FROM voucher_batches b WHERE b.variant_id = v.id AND b.source_name = $2) AS is_stocked
   FROM product_variants v JOIN products p ON p.id = v.product_id WHERE v.sku = ANY($1::text[])`,
);

/** Rows of one table, in the order in which they shall be shown. */
export type Rows = readonly object[];

const inOrder = (rows: Rows): string =>
  JSON.stringify(rows.map((row, at) => ({ ...row, sort_order: (at + 1) * 10 })));

const inserting =
  (into: ReturnType<typeof statement>) =>
  async (tx: Tx, rows: Rows): Promise<number> =>
    (await tx.query(into, [inOrder(rows)])).count;

export const demoStore = {
  /** One seeding at a time; until the transaction ends. */
  lock: async (tx: Tx): Promise<void> => void (await tx.query(lockSeeding)),
  insertBrands: inserting(insertBrands),
  insertCategories: inserting(insertCategories),
  insertTags: inserting(insertTags),
  insertProductTypes: inserting(insertProductTypes),
  insertProductTags: inserting(insertProductTags),
  insertVariants: inserting(insertVariants),
  insertPaymentMethods: inserting(insertPaymentMethods),
  insertFaqs: inserting(insertFaqs),
  insertBanners: inserting(insertBanners),
  insertSections: inserting(insertSections),
  /** @returns the slugs of those that were new. */
  async insertProducts(tx: Tx, rows: Rows): Promise<Set<string>> {
    return new Set(
      (await tx.query<{ slug: string }>(insertProducts, [inOrder(rows)])).rows.map(({ slug }) => slug),
    );
  },
  async listVariants(
    reader: Reader,
    skus: readonly string[],
    sourceName: string,
  ): Promise<StoredVariantRow[]> {
    return (await reader.query<StoredVariantRow>(listVariants, [skus, sourceName])).rows;
  },
};

export interface StoredVariantRow {
  readonly variant_id: number;
  readonly brand_id: number;
  readonly sku: string;
  readonly price_minor: number;
  /** A batch from this source is there, and with it all its codes: they went in together. */
  readonly is_stocked: boolean;
}
