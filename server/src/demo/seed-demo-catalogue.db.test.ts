import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../test/support/test-database.ts';
import type { TestDatabase } from '../../test/support/test-database.ts';
import { IDENTIFIER_KEYS, parseFulfillmentConfig } from '../modules/catalogue/index.ts';
import { createSecretBox } from '../platform/secret-box.ts';
import { demoProducts } from './demo-catalogue.ts';
import { DEMO_CODES, planDemoStock, seedDemoCatalogue } from './seed-demo-catalogue.ts';

const box = createSecretBox({
  sealing: [{ id: 'k1', key: Buffer.alloc(32, 1) }],
  digesting: Buffer.alloc(32, 2),
});
const clock = { now: () => new Date() };
let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const count = async (from: string): Promise<number> =>
  (await db.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`)).rows[0]?.n ?? -1;

describe('the demo catalogue', () => {
  it('fills the shop, once, however often and by however many it is seeded', async () => {
    const [first, second] = await Promise.all([
      seedDemoCatalogue({ db, box, clock }),
      seedDemoCatalogue({ db, box, clock }),
    ]);
    expect(first.codes + second.codes).toBe(DEMO_CODES);
    expect(first.products + second.products).toBe(demoProducts.length);
    await db.query(`UPDATE brands SET name = 'Renamed by an operator' WHERE slug = 'gamelon'`);
    expect(await seedDemoCatalogue({ db, box, clock })).toEqual({ products: 0, variants: 0, codes: 0 });

    expect(await count(`brands WHERE name = 'Renamed by an operator'`)).toBe(1);
    expect(await count('vouchers')).toBe(DEMO_CODES);
    expect(await count('payment_methods')).toBe(5);
    expect(await count('homepage_sections')).toBe(4);
    expect(await count('homepage_banners')).toBe(3);
    expect(await count('faqs')).toBe(8);
  });

  it('is as large as a shop: brands, products and variants over both engines', async () => {
    expect(await count('brands')).toBeGreaterThanOrEqual(8);
    expect(await count(`products WHERE status = 'active'`)).toBeGreaterThanOrEqual(40);
    expect(await count('product_variants')).toBeGreaterThanOrEqual(150);
    for (const engine of ['PRELOADED', 'PARTNER']) {
      expect(await count(`product_variants WHERE engine = '${engine}'`)).toBeGreaterThan(50);
    }
    expect(await count('categories WHERE parent_id IS NOT NULL')).toBe(8);
  });

  it('has every product, variant and section in its place, with texts in both languages', async () => {
    expect(await count('products')).toBe(demoProducts.length);
    expect(await count('product_variants')).toBe(demoProducts.flatMap(({ variants }) => variants).length);
    expect(await count('homepage_section_items')).toBe(21);
    for (const table of [
      'brands',
      'categories',
      'tags',
      'product_types',
      'products',
      'product_variants',
      'payment_methods',
    ]) {
      expect(await count(`${table} WHERE name_bn IS NULL OR name_bn !~ '[\\u0980-\\u09FF]'`)).toBe(0);
    }
  });

  it('asks for all four kinds of recipient, and credits only what a partner can', async () => {
    const { rows } = await db.query<{ mode: 'CODE' | 'TOPUP'; fulfillment_config: unknown }>(
      `SELECT mode, fulfillment_config FROM products WHERE status = 'active'`,
    );
    const keys = rows.map((row) => parseFulfillmentConfig(row.fulfillment_config, row.mode).identifier.key);
    expect(new Set(keys)).toEqual(new Set(IDENTIFIER_KEYS));
    const wrong = `products p JOIN product_variants v ON v.product_id = p.id WHERE p.mode = 'TOPUP' AND v.engine = 'PRELOADED'`;
    expect(await count(wrong)).toBe(0);
  });

  it('has patterns that a browser and this program can run', () => {
    const patterns = demoProducts
      .flatMap(({ fields }) => fields ?? [])
      .flatMap(({ pattern }) => pattern ?? []);
    expect(patterns.length).toBeGreaterThan(0);
    for (const pattern of patterns) expect(() => new RegExp(`^(?:${pattern})$`, 'v')).not.toThrow();
  });

  it('loads exactly what is planned, a few variants nearly or fully out of stock', async () => {
    const { rows } = await db.query<{ sku: string; n: number }>(
      `SELECT v.sku, count(c.id)::int AS n FROM product_variants v LEFT JOIN vouchers c ON c.variant_id = v.id
       WHERE v.engine = 'PRELOADED' GROUP BY v.sku`,
    );
    const stored = new Map(rows.map((row) => [row.sku, row.n]));
    for (const { sku, count: planned } of planDemoStock())
      expect([sku, stored.get(sku)]).toEqual([sku, planned]);
    expect(rows.filter(({ n }) => n === 0).length).toBeGreaterThanOrEqual(3);
    expect(rows.filter(({ n }) => n >= 1 && n <= 3).length).toBeGreaterThanOrEqual(5);
    for (const part of ['pin_sealed', 'serial_number_sealed', 'redemption_url_sealed', 'expires_at']) {
      expect(await count(`vouchers WHERE ${part} IS NOT NULL`)).toBeGreaterThan(100);
    }
    expect(await count('vouchers WHERE expires_at <= now()')).toBe(0);
  });
});
