import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestCatalogue } from './test-catalogue.ts';
import type { Json, TestCatalogue } from './test-catalogue.ts';

let shop: TestCatalogue;
const id = {
  card: 0,
  diamonds: 0,
  recharge: 0,
  v100: 0,
  v50: 0,
  v50b: 0,
  vPartner: 0,
  vHidden: 0,
  vTopUp: 0,
};

beforeAll(async () => {
  shop = await createTestCatalogue();
  await shop.change(`INSERT INTO brands (name, name_bn, slug, is_active) VALUES
    ('Play', 'প্লে', 'play', true), ('Telco', NULL, 'telco', true), ('Gone', NULL, 'gone', false)`);
  await shop.change(`INSERT INTO categories (parent_id, name, name_bn, slug) VALUES
    (NULL, 'Games', 'গেম', 'games'), (1, 'Gift cards', 'গিফট কার্ড', 'gift-cards'), (NULL, 'Mobile', NULL, 'mobile')`);
  await shop.change(
    `INSERT INTO product_types (name, slug) VALUES ('Gift card', 'gift-card'), ('Top-up', 'top-up')`,
  );
  await shop.change(
    `INSERT INTO tags (name, slug, is_active) VALUES ('Popular', 'popular', true), ('Old', 'old', false)`,
  );
  [id.card = 0, id.diamonds = 0, id.recharge = 0] = await shop.change(`
    INSERT INTO products (brand_id, category_id, product_type_id, name, name_bn, slug, description, description_bn, status, mode, fulfillment_config, sort_order)
    VALUES
    (1, 2, 1, 'Play Card', 'প্লে কার্ড', 'play-card', 'For apps', 'অ্যাপের জন্য', 'active', 'CODE', '{}', 2),
    (1, 1, 2, 'Diamonds', NULL, 'diamonds', NULL, NULL, 'active', 'TOPUP', '{"fields": [
      {"name": "player_id", "label": "Player ID", "label_bn": "প্লেয়ার", "type": "text", "required": true, "pattern": "[0-9]+"},
      {"name": "zone", "label": "Zone", "type": "select", "required": false, "options": ["1", "2"]}]}', 1),
    (2, 3, 2, 'Recharge', NULL, 'recharge', NULL, NULL, 'active', 'TOPUP',
      '{"required_fields": ["account_id", "email"], "optional_fields": ["operator"], "field_labels": {"account_id": "Mobile number"}, "field_types": {"account_id": "tel"}}', 3),
    (1, 2, 1, 'Draft', NULL, 'draft', NULL, NULL, 'draft', 'CODE', '{}', 0),
    (1, 2, 1, 'Archived', NULL, 'archived', NULL, NULL, 'archived', 'CODE', '{}', 0),
    (3, 2, 1, 'Of a brand switched off', NULL, 'brand-off', NULL, NULL, 'active', 'CODE', '{}', 0) RETURNING id`);
  await shop.change('INSERT INTO product_tags VALUES ($1, 1), ($1, 2)', [id.card]);
  [id.v100 = 0, id.v50 = 0, id.v50b = 0, id.vPartner = 0, id.vHidden = 0] = await shop.change(
    `INSERT INTO product_variants (product_id, name, name_bn, sku, price_minor, compare_at_price_minor, engine, is_active, sort_order) VALUES
     ($1, 'B 100', NULL, 'P100', 10000, 12050, 'PRELOADED', true, 1), ($1, 'C 50', NULL, 'P50', 5050, NULL, 'PRELOADED', true, 4),
     ($1, 'A 50', 'আ ৫০', 'P50B', 5050, NULL, 'PRELOADED', true, 3), ($1, 'D 200', NULL, 'P200', 20000, NULL, 'PARTNER', true, 2),
     ($1, 'Hidden', NULL, 'PX', 1, NULL, 'PRELOADED', false, 0) RETURNING id`,
    [id.card],
  );
  const sourced = await shop.change(
    `INSERT INTO product_variants (product_id, name, sku, price_minor, engine) VALUES
     ($1, '100 Diamonds', 'D100', 9000, 'PARTNER'), ($2, '20 Taka', 'R20', 2000, 'PARTNER') RETURNING id`,
    [id.diamonds, id.recharge],
  );
  [id.vTopUp = 0] = sourced;
  for (const variantId of [id.v50, id.vPartner, ...sourced]) shop.inStock.add(variantId);
});
afterAll(() => shop.close());

const slugs = async (query: string): Promise<unknown> => {
  const { status, body } = await shop.get(`/products${query}`);
  expect(status).toBe(200);
  return (body.data['items'] as unknown as Json[]).map((item) => item['slug']);
};
const variantIds = (data: Json): unknown =>
  (data['variants'] as unknown as { id: number }[]).map((each) => each.id);

describe('GET /products/:id', () => {
  it('answers the product exactly as decided, cheapest variant first', async () => {
    const { status, body } = await shop.get(`/products/${id.card}`);
    const identifier = { key: 'email', label: 'Email', required: true };
    const one = { currency: 'BDT', max_quantity: 10, compare_at_price: null };
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        message: 'OK',
        data: {
          id: id.card,
          name: 'Play Card',
          slug: 'play-card',
          description: 'For apps',
          image_url: null,
          brand: { id: 1, name: 'Play', slug: 'play' },
          category: { id: 2, name: 'Gift cards', slug: 'gift-cards' },
          product_type: { id: 1, name: 'Gift card', slug: 'gift-card' },
          tags: [{ id: 1, name: 'Popular', slug: 'popular' }],
          sort_order: 2,
          fulfillment_input: {
            mode: 'CODE',
            identifier_field: 'email',
            fields: [{ name: 'email', label: 'Email', type: 'email', required: true }],
          },
          variants: [
            {
              ...one,
              id: id.v50b,
              name: 'A 50',
              sku: 'P50B',
              price: 50.5,
              sort_order: 3,
              in_stock: false,
              fulfillment: { engine: 'PRELOADED', identifier },
            },
            {
              ...one,
              id: id.v50,
              name: 'C 50',
              sku: 'P50',
              price: 50.5,
              sort_order: 4,
              in_stock: true,
              fulfillment: { engine: 'PRELOADED', identifier },
            },
            {
              ...one,
              id: id.v100,
              name: 'B 100',
              sku: 'P100',
              price: 100,
              compare_at_price: 120.5,
              sort_order: 1,
              in_stock: false,
              fulfillment: { engine: 'PRELOADED', identifier },
            },
            {
              ...one,
              id: id.vPartner,
              name: 'D 200',
              sku: 'P200',
              price: 200,
              sort_order: 2,
              in_stock: true,
              fulfillment: { engine: 'PARTNER', identifier },
            },
          ],
        },
      },
    ]);
  });

  it('orders variants by sort_order or by name when asked', async () => {
    const bySort = await shop.get(`/products/${id.card}?variant_sort=sort`);
    expect(variantIds(bySort.body.data)).toEqual([id.v100, id.vPartner, id.v50b, id.v50]);
    const byName = await shop.get(`/products/slug/play-card?variant_sort=name`);
    expect(variantIds(byName.body.data)).toEqual([id.v50b, id.v100, id.v50, id.vPartner]);
  });

  it.each(['/products', '/products/1', '/products/slug/play-card'])(
    'refuses another variant_sort on %s',
    async (path) => {
      for (const wrong of ['PRICE', 'id', '']) {
        const { status, body } = await shop.get(`${path}?variant_sort=${wrong}`);
        expect([status, body.errorCode, body.errors?.[0]?.field]).toEqual([
          400,
          'VALIDATION_ERROR',
          'variant_sort',
        ]);
      }
    },
  );

  it('shows declared fields with their patterns and options, and translates legacy rows', async () => {
    const diamonds = await shop.get(`/products/${id.diamonds}`);
    expect(diamonds.body.data['fulfillment_input']).toEqual({
      mode: 'TOPUP',
      identifier_field: 'player_id',
      fields: [
        { name: 'player_id', label: 'Player ID', type: 'text', required: true, pattern: '[0-9]+' },
        {
          name: 'zone',
          label: 'Zone',
          type: 'select',
          required: false,
          options: [
            { value: '1', label: '1' },
            { value: '2', label: '2' },
          ],
        },
      ],
    });
    const recharge = await shop.get(`/products/${id.recharge}`);
    expect(recharge.body.data['fulfillment_input']).toEqual({
      mode: 'TOPUP',
      identifier_field: 'account_id',
      fields: [
        { name: 'account_id', label: 'Mobile number', type: 'tel', required: true },
        { name: 'operator', label: 'Operator', type: 'text', required: false },
      ],
    });
    expect(JSON.stringify(recharge.body)).not.toMatch(
      /required_fields|optional_fields|field_labels|field_types/,
    );
  });

  it('speaks Bangla when asked, English where there is no Bangla', async () => {
    const asked = await shop.get(`/products/${id.card}?lang=bn`);
    expect(asked.body.data).toMatchObject({
      name: 'প্লে কার্ড',
      description: 'অ্যাপের জন্য',
      brand: { name: 'প্লে' },
      category: { name: 'গিফট কার্ড' },
      product_type: { name: 'Gift card' },
      fulfillment_input: { fields: [{ label: 'ইমেইল' }] },
      variants: [{ name: 'আ ৫০' }, { name: 'C 50' }, {}, {}],
    });
    const byHeader = await shop.get(`/products/${id.card}`, { 'accept-language': 'bn-BD,en;q=0.5' });
    expect(byHeader.body.data['name']).toBe('প্লে কার্ড');
    const overruled = await shop.get(`/products/${id.card}?lang=en`, { 'accept-language': 'bn' });
    expect(overruled.body.data['name']).toBe('Play Card');
  });

  it('hides what is not active as if it did not exist', async () => {
    const { rows } = await shop.db.query<{ id: number }>(
      `SELECT id FROM products WHERE slug IN ('draft', 'archived', 'brand-off')`,
    );
    for (const hidden of [...rows.map((row) => row.id), 999_999, 9_007_199_254_740_991]) {
      const { status, body } = await shop.get(`/products/${hidden}`);
      expect([status, body.errorCode]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await shop.get('/products/slug/draft')).status).toBe(404);
    expect((await shop.get('/products/play-card')).status).toBe(400);
  });
});

describe('GET /products', () => {
  it('lists active products by sort_order then id, in pages', async () => {
    expect(await slugs('')).toEqual(['diamonds', 'play-card', 'recharge']);
    const { body } = await shop.get('/products?page=2&limit=2');
    expect(body.data['pagination']).toEqual({ page: 2, limit: 2, total: 3, total_pages: 2 });
    expect(await slugs('?page=2&limit=2')).toEqual(['recharge']);
    expect((await shop.get('/products?limit=101')).status).toBe(400);
  });

  it('filters by id or slug, a category with those below it, and by what is in stock', async () => {
    expect(await slugs('?brand=play')).toEqual(['diamonds', 'play-card']);
    expect(await slugs('?brand=2')).toEqual(['recharge']);
    expect(await slugs('?category=games')).toEqual(['diamonds', 'play-card']);
    expect(await slugs('?category=2')).toEqual(['play-card']);
    expect(await slugs('?tag=popular&product_type=gift-card')).toEqual(['play-card']);
    expect(await slugs('?tag=old')).toEqual([]);
    expect(await slugs('?brand=nobody')).toEqual([]);
    expect(await slugs('?in_stock=false')).toEqual([]);
    expect(await slugs('?min_price=95.01')).toEqual(['play-card']);
    expect(await slugs('?max_price=20')).toEqual(['recharge']);
    expect((await shop.get('/products?min_price=1.234')).status).toBe(400);
  });

  it('searches every word in either language and sorts when asked', async () => {
    expect(await slugs('?search=CARD%20play')).toEqual(['play-card']);
    expect(await slugs(`?search=${encodeURIComponent('কার্ড')}`)).toEqual(['play-card']);
    expect(await slugs('?search=card%20diamonds')).toEqual([]);
    expect(await slugs('?sort=-name')).toEqual(['recharge', 'play-card', 'diamonds']);
    expect(await slugs('?sort=price')).toEqual(['recharge', 'play-card', 'diamonds']);
    expect((await shop.get('/products?sort=colour')).body.errorCode).toBe('VALIDATION_ERROR');
  });
});

describe('GET /orders/fulfillment-fields/:variantId', () => {
  it('tells the identifier and the fields of a variant, to anybody', async () => {
    const { body } = await shop.get(`/orders/fulfillment-fields/${id.vTopUp}?lang=bn`);
    expect(body.data).toEqual({
      variant_id: id.vTopUp,
      identifier_field: 'player_id',
      identifier: { key: 'player_id', label: 'প্লেয়ার', required: true },
      fields: [
        { name: 'player_id', label: 'প্লেয়ার', type: 'text', required: true, pattern: '[0-9]+' },
        {
          name: 'zone',
          label: 'Zone',
          type: 'select',
          required: false,
          options: [
            { value: '1', label: '1' },
            { value: '2', label: '2' },
          ],
        },
      ],
      input_schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          player_id: { type: 'string', minLength: 1, maxLength: 255, allOf: [{ pattern: '^(?:[0-9]+)$' }] },
          zone: { type: 'string', minLength: 1, maxLength: 255, enum: ['1', '2'] },
          email: false,
          account_id: false,
          uid: false,
        },
        required: ['player_id'],
      },
    });
  });

  it('knows no variant that is not on sale', async () => {
    for (const hidden of [id.vHidden, 999_999]) {
      expect((await shop.get(`/orders/fulfillment-fields/${hidden}`)).status).toBe(404);
    }
  });
});
