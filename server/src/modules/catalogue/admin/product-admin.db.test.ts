import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestCatalogue } from '../test-catalogue.ts';
import type { Json, TestCatalogue, TestReply } from '../test-catalogue.ts';

let shop: TestCatalogue;
let brandId = 0;
let categoryId = 0;
let typeId = 0;

beforeAll(async () => {
  shop = await createTestCatalogue();
  [brandId = 0] = await shop.change(`INSERT INTO brands (name, slug) VALUES ('Play', 'play') RETURNING id`);
  [categoryId = 0] = await shop.change(
    `INSERT INTO categories (name, slug) VALUES ('Games', 'games') RETURNING id`,
  );
  [typeId = 0] = await shop.change(
    `INSERT INTO product_types (name, slug) VALUES ('Card', 'card') RETURNING id`,
  );
  await shop.change(`INSERT INTO tags (name, slug) VALUES ('Hot', 'hot'), ('New', 'new')`);
});
afterAll(() => shop.close());

let made = 0;
const aProduct = (more: Record<string, unknown> = {}): Record<string, unknown> => {
  made += 1;
  return {
    name: `Card ${made}`,
    slug: `card-${made}`,
    brand_id: brandId,
    category_id: categoryId,
    product_type_id: typeId,
    ...more,
  };
};
const create = (more?: Record<string, unknown>): Promise<TestReply> =>
  shop.admin({ method: 'POST', path: '/products', body: aProduct(more) });
const put = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<TestReply> =>
  shop.admin({ method: 'PUT', path, body, headers });
const idOf = (reply: TestReply): number => Number(reply.body.data['id']);

describe('POST /admin/products', () => {
  it('creates a product with its tags, configuration and variants in one go, and audits it', async () => {
    const reply = await create({
      name: ' Diamonds ',
      name_bn: 'ডায়মন্ড',
      slug: 'diamonds',
      status: 'active',
      mode: 'TOPUP',
      tag_ids: [2, 1, 2],
      sort_order: 3,
      fulfillment_config: {
        fields: [
          { name: 'player_id', label: 'Player ID', label_bn: 'আইডি', pattern: '\\d{6,12}' },
          { name: 'zone', type: 'select', options: [{ value: 'bd', label: 'Bangladesh' }] },
        ],
      },
      variants: [
        { name: '100', sku: 'D100', price: 99.5, compare_at_price: 120, max_quantity: 3 },
        { name: '500', sku: 'D500', price: 450, engine: 'PARTNER', sort_order: 2, is_active: false },
      ],
    });
    expect(reply.status).toBe(201);
    expect(reply.headers['etag']).toMatch(/^"[\w-]+"$/);
    expect(reply.body.data).toMatchObject({
      name: 'Diamonds',
      name_bn: 'ডায়মন্ড',
      brand: { id: brandId, name: 'Play', slug: 'play' },
      tag_ids: [1, 2],
      status: 'active',
      mode: 'TOPUP',
      available_units: 0,
      fulfillment_config: {
        fields: [
          {
            name: 'player_id',
            label: 'Player ID',
            label_bn: 'আইডি',
            type: 'text',
            required: true,
            pattern: '\\d{6,12}',
          },
          {
            name: 'zone',
            label: 'Zone',
            type: 'select',
            required: false,
            options: [{ value: 'bd', label: 'Bangladesh' }],
          },
        ],
      },
      variants: [
        {
          sku: 'D100',
          price: 99.5,
          compare_at_price: 120,
          engine: 'PRELOADED',
          max_quantity: 3,
          is_active: true,
        },
        { sku: 'D500', price: 450, compare_at_price: null, engine: 'PARTNER', is_active: false },
      ],
    });
    const [entry] = shop.audited.slice(-1);
    expect(entry).toMatchObject({
      adminId: shop.adminId,
      action: 'products:create',
      resource: `product:${idOf(reply)}`,
      after: { slug: 'diamonds' },
    });
    const shown = await shop.get('/products/slug/diamonds');
    expect(shown.body.data['fulfillment_input']).toMatchObject({
      mode: 'TOPUP',
      identifier_field: 'player_id',
    });
    expect((shown.body.data['variants'] as unknown as Json[]).map((each) => each['sku'])).toEqual(['D100']);
  });

  it.each([
    ['a field that is missing', { name: undefined }, 'name'],
    ['a name of spaces', { name: '  ' }, 'name'],
    ['an unknown brand', { brand_id: 999 }, 'brand_id'],
    ['an unknown tag', { tag_ids: [1, 77] }, 'tag_ids'],
    ['an address that is none', { image_url: 'javascript:alert(1)' }, 'image_url'],
    ['another host in disguise', { image_url: '//evil.example/x.png' }, 'image_url'],
    ['a status that is none', { status: 'gone' }, 'status'],
    ['half a poisha', { variants: [{ name: 'x', sku: 'X1', price: 1.005 }] }, 'variants.0.price'],
    [
      'a bargain that is none',
      {
        variants: [
          { name: 'x', sku: 'X1', price: 1 },
          { name: 'y', sku: 'X2', price: 5, compare_at_price: 5 },
        ],
      },
      'variants.1.compare_at_price',
    ],
    ['text for a number', { sort_order: '1' }, 'sort_order'],
    ['a slug with a space', { slug: 'a b' }, 'slug'],
    ['a Bangla name without a slug', { name: 'কার্ড', slug: undefined }, 'slug'],
    ['an end in the past', { status: 'active', unpublish_at: '2020-01-01T00:00:00Z' }, 'unpublish_at'],
    [
      'a schedule to publish what is active',
      { status: 'active', publish_at: '2999-01-01T00:00:00Z' },
      'publish_at',
    ],
  ])('refuses %s with 400 about the field, and writes nothing', async (_what, more, field) => {
    const before = (await shop.db.query<{ n: number }>('SELECT count(*) AS n FROM products')).rows[0];
    const reply = await create(more);
    expect([reply.status, reply.body.errorCode]).toEqual([400, 'VALIDATION_ERROR']);
    expect(reply.body.errors?.[0]?.field).toContain(field);
    expect((await shop.db.query<{ n: number }>('SELECT count(*) AS n FROM products')).rows[0]).toEqual(
      before,
    );
  });

  it('makes the slug from the name when there is none, and answers 409 when one is taken', async () => {
    const reply = await create({ name: 'Café Gift Card 100%', slug: undefined });
    expect(reply.body.data['slug']).toBe('cafe-gift-card-100');
    const again = await create({ slug: 'cafe-gift-card-100' });
    expect([again.status, again.body.errorCode, again.body.data]).toEqual([
      409,
      'CONFLICT',
      { type: 'AlreadyExists', field: 'slug' },
    ]);
    const sku = await create({ variants: [{ name: 'a', sku: 'D100', price: 1 }] });
    expect([sku.status, sku.body.data, sku.body.message]).toEqual([
      409,
      { type: 'AlreadyExists' },
      'Another variant has this sku already',
    ]);
  });
});

describe('PUT /admin/products/:id', () => {
  it('changes what is sent and keeps the rest, tags and order of fields included', async () => {
    const id = idOf(await create({ tag_ids: [1], description: 'Old', sort_order: 7 }));
    const reply = await put(`/products/${id}`, { description: 'New', tag_ids: [2] });
    expect(reply.body.data).toMatchObject({ description: 'New', tag_ids: [2], sort_order: 7 });
    expect(shop.audited.at(-1)).toMatchObject({
      action: 'products:update',
      before: { description: 'Old', tag_ids: [1] },
      after: { description: 'New', tag_ids: [2] },
    });
    expect((await put(`/products/${id}`, { description: '' })).body.data['description']).toBeNull();
    expect((await put('/products/999999', { name: 'x' })).status).toBe(404);
  });

  it('refuses a change on top of one that the caller has not seen, and takes it when nobody came between', async () => {
    const id = idOf(await create());
    const read = await shop.admin({ method: 'GET', path: `/products/${id}` });
    const mine = { 'if-match': String(read.headers['etag']) };
    const theirs = await put(`/products/${id}`, { tag_ids: [1] });
    const stale = await put(`/products/${id}`, { name: 'Mine' }, mine);
    expect([stale.status, stale.body.data]).toEqual([409, { type: 'StaleResource' }]);
    const fresh = await put(
      `/products/${id}`,
      { name: 'Mine' },
      { 'if-match': String(theirs.headers['etag']) },
    );
    expect([fresh.status, fresh.body.data['name']]).toEqual([200, 'Mine']);
    expect((await put(`/products/${id}`, { name: 'Any' }, { 'if-match': '*' })).status).toBe(200);
  });

  it('translates a row with the old arrays, and never shows them again', async () => {
    const id = idOf(await create());
    await shop.change(`UPDATE products SET fulfillment_config = '{"required_fields": ["uid"], "optional_fields": ["zone"],
      "field_labels": {"uid": "Number"}, "field_types": {"zone": "select"}}' WHERE id = ${id} RETURNING id`);
    const read = await shop.admin({ method: 'GET', path: `/products/${id}` });
    expect(read.body.data['fulfillment_config']).toEqual({
      fields: [
        { name: 'uid', label: 'Number', type: 'text', required: true },
        { name: 'zone', label: 'Zone', type: 'select', required: false },
      ],
    });
  });

  it('takes fields[] only: the old arrays alone are a 400', async () => {
    const id = idOf(await create());
    const reply = await put(`/products/${id}`, { fulfillment_config: { required_fields: ['email'] } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([400, 'fulfillment_config.fields']);
  });

  it('names every wrong entry of a configuration', async () => {
    const id = idOf(await create());
    const fields = [
      { name: 'email' },
      { name: 'uid' },
      { name: 'zone', pattern: '(a+)+' },
      { name: 'zone', options: [{ value: 'a' }, { value: 'a' }] },
    ];
    const reply = await put(`/products/${id}`, { fulfillment_config: { fields } });
    expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([
      400,
      [
        'fulfillment_config.fields.1.name',
        'fulfillment_config.fields.2.pattern',
        'fulfillment_config.fields.3.name',
        'fulfillment_config.fields.3.options',
      ],
    ]);
    expect(reply.body.errors?.[0]?.message).toContain('only one recipient identifier is allowed');
  });
});

describe('DELETE /admin/products/:id', () => {
  it('takes a product with its variants, as long as none was sold or stocked', async () => {
    const id = idOf(await create({ tag_ids: [1], variants: [{ name: 'a', sku: 'GONE', price: 1 }] }));
    const reply = await shop.admin({ method: 'DELETE', path: `/products/${id}` });
    expect([reply.status, reply.body.data]).toEqual([200, { id, deleted: true }]);
    expect((await shop.admin({ method: 'GET', path: `/products/${id}` })).status).toBe(404);
    expect(shop.audited.at(-1)).toMatchObject({ action: 'products:delete', before: { id } });
  });

  it('answers 409 with the reason when stock refers to it, and leaves it whole', async () => {
    const kept = await create({ variants: [{ name: 'a', sku: 'KEPT', price: 1 }] });
    const [variant] = kept.body.data['variants'] as unknown as { id: number }[];
    await shop.change(`INSERT INTO voucher_batches (variant_id) VALUES ($1) RETURNING id`, [variant?.id]);
    const reply = await shop.admin({ method: 'DELETE', path: `/products/${idOf(kept)}` });
    expect([reply.status, reply.body.data]).toEqual([
      409,
      { type: 'StillReferenced', referenced_by: 'voucher_batches' },
    ]);
    const brand = await shop.admin({ method: 'DELETE', path: `/brands/${brandId}` });
    expect([brand.status, brand.body.message]).toEqual([
      409,
      'This brand is still used by products: change those first, or switch it off',
    ]);
    const read = await shop.admin({ method: 'GET', path: `/products/${idOf(kept)}` });
    expect(read.body.data['variants']).toHaveLength(1);
  });
});

describe('PATCH /admin/products/:id/status', () => {
  const patch = (id: number, body: unknown): Promise<TestReply> =>
    shop.admin({ method: 'PATCH', path: `/products/${id}/status`, body });

  it('puts a product on the shelf and takes it off, at once for this process', async () => {
    const id = idOf(await create());
    expect((await shop.get(`/products/${id}`)).status).toBe(404);
    expect((await patch(id, { status: 'active' })).body.data['status']).toBe('active');
    expect((await shop.get(`/products/${id}`)).status).toBe(200);
    await patch(id, { status: 'archived' });
    expect((await shop.get(`/products/${id}`)).status).toBe(404);
  });

  it('needs something to change, and changes nothing else', async () => {
    const id = idOf(await create({ name: 'Same' }));
    expect((await patch(id, {})).status).toBe(400);
    const reply = await patch(id, { status: 'active', name: 'Other' });
    expect(reply.body.data['name']).toBe('Same');
  });

  it('forgets the schedule of a product that is published by hand', async () => {
    const id = idOf(await create({ publish_at: '2999-01-01T00:00:00Z' }));
    const reply = await patch(id, { status: 'active' });
    expect(reply.body.data).toMatchObject({ status: 'active', publish_at: null });
  });
});
