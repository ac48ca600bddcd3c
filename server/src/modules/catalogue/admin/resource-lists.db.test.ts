import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestCatalogue } from '../test-catalogue.ts';
import type { TestCatalogue } from '../test-catalogue.ts';

let shop: TestCatalogue;
const ROWS = 23;

beforeAll(async () => {
  shop = await createTestCatalogue();
  const numbers = `generate_series(1, ${ROWS}) n`;
  for (const table of ['brands', 'categories', 'tags', 'product_types'])
    await shop.change(
      `INSERT INTO ${table} (name, slug, sort_order, is_active) SELECT 'Same', 's' || n, n % 3, n % 2 = 0 FROM ${numbers}`,
    );
  await shop.change(`INSERT INTO products (brand_id, category_id, product_type_id, name, slug, sort_order, status)
    SELECT 2, 2, 2, 'Same', 's' || n, n % 3, CASE WHEN n % 2 = 0 THEN 'active' ELSE 'draft' END FROM ${numbers}`);
  await shop.change(`INSERT INTO product_variants (product_id, name, sku, price_minor, sort_order, is_active)
    SELECT 2, 'Same', 's' || n, 100, n % 3, n % 2 = 0 FROM ${numbers}`);
  await shop.change(`INSERT INTO payment_methods (method, name, sort_order)
    SELECT m, 'Same', 0 FROM unnest(ARRAY['dcb', 'gw_aggregator', 'gw_multi_wallet']) m`);
  await shop.change(
    `INSERT INTO faqs (question, answer, sort_order) SELECT 'Same', 'A', n % 3 FROM ${numbers}`,
  );
  for (const table of ['homepage_banners', 'homepage_sections'])
    await shop.change(`INSERT INTO ${table} (title, sort_order) SELECT 'Same', n % 3 FROM ${numbers}`);
  await shop.change(`INSERT INTO homepage_section_items (section_id, product_id, sort_order)
    SELECT 1, n, n % 3 FROM ${numbers} ORDER BY n DESC`);
  shop.methods.add('dcb').add('gw_aggregator').add('gw_multi_wallet');
});
afterAll(() => shop.close());

interface Listed {
  readonly id: number;
  readonly sort_order: number;
}

const readAll = async (list: (page: number) => Promise<unknown>): Promise<Listed[]> => {
  const all: Listed[] = [];
  for (let page = 1; page < 20; page += 1) {
    const items = (await list(page)) as Listed[];
    all.push(...items);
    if (items.length < 5) break;
  }
  return all;
};
const adminList = (path: string) =>
  readAll(async (page) => {
    const reply = await shop.admin({ method: 'GET', path: `${path}?limit=5&page=${page}` });
    return reply.body.data['items'];
  });
const clientList = (path: string) =>
  readAll(async (page) => {
    const reply = await shop.get(`${path}${path.includes('?') ? '&' : '?'}limit=5&page=${page}`);
    return reply.body.data['items'];
  });

const inOrder = (rows: readonly Listed[]): Listed[] =>
  rows.toSorted((a, b) => a.sort_order - b.sort_order || a.id - b.id);

describe.each([
  ['/brands', ROWS],
  ['/categories', ROWS],
  ['/tags', ROWS],
  ['/product-types', ROWS],
  ['/products', ROWS],
  ['/products/2/variants', ROWS],
  ['/payment-methods', 3],
  ['/faqs', ROWS],
  ['/homepage/banners', ROWS],
  ['/homepage/sections', ROWS],
])('GET /admin%s', (path, count) => {
  it('comes by sort_order, then id, each row on one page, active or not', async () => {
    const rows = await adminList(path);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(count);
    expect(rows).toEqual(inOrder(rows));
  });

  it('breaks ties of any other sort by id', async () => {
    const reply = await shop.admin({ method: 'GET', path: `${path}?limit=100&sort=-sort_order` });
    const rows = reply.body.data['items'] as unknown as Listed[];
    expect(rows).toEqual(rows.toSorted((a, b) => b.sort_order - a.sort_order || a.id - b.id));
  });

  it('refuses a sort or a page that is none', async () => {
    expect((await shop.admin({ method: 'GET', path: `${path}?sort=password` })).status).toBe(400);
    expect((await shop.admin({ method: 'GET', path: `${path}?limit=101` })).status).toBe(400);
  });
});

describe.each([
  '/brands',
  '/categories',
  '/tags',
  '/product-types',
  '/products',
  '/products/2/variants?variant_sort=sort',
  '/payment-methods',
  '/faqs',
  '/homepage/banners',
  '/homepage/sections',
])('GET %s', (path) => {
  it('comes by sort_order, then id, each active row on one page', async () => {
    const rows = await clientList(path);
    expect(rows.length).toBeGreaterThanOrEqual(3);
    expect(rows).toEqual(inOrder(rows));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });
});

describe('lists of operators', () => {
  const total = async (query: string): Promise<number> => {
    const reply = await shop.admin({ method: 'GET', path: query });
    expect(reply.status).toBe(200);
    return Number(reply.body.data['pagination']?.['total']);
  };

  it('search literally, without running what is typed', async () => {
    await shop.change(`UPDATE brands SET name = '100% off_now' WHERE id = 1 RETURNING id`);
    await shop.change(`UPDATE brands SET name_bn = 'খেলা' WHERE id = 3 RETURNING id`);
    expect(await total('/brands?search=100%25')).toBe(1);
    expect(await total('/brands?search=f_n')).toBe(1);
    expect(await total('/brands?search=%25')).toBe(1);
    expect(await total(`/brands?search=${encodeURIComponent('খেলা')}`)).toBe(1);
    expect(await total(`/brands?search=${encodeURIComponent("' OR 1=1 --")}`)).toBe(0);
    expect(await total('/brands?search=SAME')).toBe(ROWS - 1);
  });

  it('filter by what each resource declares', async () => {
    expect(await total('/brands?is_active=true')).toBe(11);
    expect(await total('/products?status=draft')).toBe(12);
    expect(await total('/products?brand_id=2&status=active')).toBe(11);
    expect(await total('/products?brand_id=1')).toBe(0);
    expect(await total('/categories?is_top=true')).toBe(ROWS);
    expect(await total('/products/2/variants?is_active=false&engine=PRELOADED')).toBe(12);
    expect((await shop.admin({ method: 'GET', path: '/products?status=sold' })).status).toBe(400);
    expect((await shop.admin({ method: 'GET', path: '/products/999/variants' })).status).toBe(404);
  });

  it('show a section with its items in order', async () => {
    const reply = await shop.admin({ method: 'GET', path: '/homepage/sections?sort=id&limit=1' });
    const [section] = reply.body.data['items'] as unknown as { items: Listed[] }[];
    expect(section?.items).toHaveLength(ROWS);
    expect(section?.items).toEqual(inOrder(section?.items ?? []));
  });
});
