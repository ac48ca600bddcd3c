import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestCatalogue } from '../test-catalogue.ts';
import type { TestCatalogue, TestReply } from '../test-catalogue.ts';

let shop: TestCatalogue;

beforeAll(async () => {
  shop = await createTestCatalogue();
  await shop.change(
    `INSERT INTO brands (name, slug) SELECT 'B' || n, 'b' || n FROM generate_series(1, 600) n`,
  );
  for (const table of ['categories', 'tags', 'product_types'])
    await shop.change(
      `INSERT INTO ${table} (name, slug) SELECT 'X' || n, 'x' || n FROM generate_series(1, 4) n`,
    );
  await shop.change(`INSERT INTO products (brand_id, category_id, product_type_id, name, slug)
    SELECT 1, 1, 1, 'P' || n, 'p' || n FROM generate_series(1, 4) n`);
  await shop.change(`INSERT INTO product_variants (product_id, name, sku, price_minor)
    SELECT 1 + n / 4, 'V' || n, 'v' || n, 100 FROM generate_series(0, 7) n`);
  await shop.change(`INSERT INTO payment_methods (method, name) VALUES ('dcb', 'D'), ('gw_aggregator', 'A'),
    ('gw_multi_wallet', 'M'), ('gw_wallet_direct', 'W')`);
  await shop.change(`INSERT INTO faqs (question, answer) SELECT 'Q' || n, 'A' FROM generate_series(1, 4) n`);
  for (const table of ['homepage_banners', 'homepage_sections'])
    await shop.change(`INSERT INTO ${table} (title) SELECT 'T' || n FROM generate_series(1, 4) n`);
  await shop.change(`INSERT INTO homepage_section_items (section_id, product_id)
    SELECT s, p FROM generate_series(1, 2) s, generate_series(1, 4) p ORDER BY s, p`);
});
afterAll(() => shop.close());

/** The ten of interface part 4, and FAQs. Ids 1 to 4 can be moved. */
const endpoints = [
  { method: 'PATCH', path: '/brands/reorder', table: 'brands' },
  { method: 'PATCH', path: '/categories/reorder', table: 'categories' },
  { method: 'PATCH', path: '/tags/reorder', table: 'tags' },
  { method: 'PATCH', path: '/product-types/reorder', table: 'product_types' },
  { method: 'PATCH', path: '/payment-methods/reorder', table: 'payment_methods' },
  { method: 'PATCH', path: '/products/reorder', table: 'products' },
  { method: 'PATCH', path: '/products/1/variants/reorder', table: 'product_variants' },
  { method: 'POST', path: '/homepage/banners/reorder', table: 'homepage_banners' },
  { method: 'POST', path: '/homepage/sections/reorder', table: 'homepage_sections' },
  { method: 'POST', path: '/homepage/sections/1/items/reorder', table: 'homepage_section_items' },
  { method: 'PATCH', path: '/faqs/reorder', table: 'faqs' },
] as const;

type Place = readonly [id: number, sortOrder: number];
const placed = (places: readonly Place[]) => ({
  items: places.map(([id, sort_order]) => ({ id, sort_order })),
});
const stored = async (table: string, ids: readonly number[] = [1, 2, 3, 4]): Promise<number[]> => {
  const { rows } = await shop.db.query<{ sort_order: number }>(
    `SELECT sort_order FROM ${table} WHERE id = ANY($1::bigint[]) ORDER BY id`,
    [ids],
  );
  return rows.map((row) => row.sort_order);
};

describe.each(endpoints)('$method /admin$path', ({ method, path, table }) => {
  const reorder = (body: unknown): Promise<TestReply> => shop.admin({ method, path, body });

  it('gives each row its place, answers them in order and writes it down', async () => {
    const reply = await reorder(
      placed([
        [1, 40],
        [2, 30],
        [3, 20],
        [4, 20],
      ]),
    );
    expect([reply.status, reply.body.data]).toEqual([
      200,
      placed([
        [3, 20],
        [4, 20],
        [2, 30],
        [1, 40],
      ]),
    ]);
    expect(await stored(table)).toEqual([40, 30, 20, 20]);
    expect(shop.audited.at(-1)).toMatchObject({ action: `${table}:reorder`, adminId: shop.adminId });
  });

  it('refuses an id that is there twice with 400, and moves nothing', async () => {
    const before = await stored(table);
    const reply = await reorder(
      placed([
        [1, 1],
        [2, 2],
        [1, 3],
      ]),
    );
    expect([reply.status, reply.body.errorCode]).toEqual([400, 'VALIDATION_ERROR']);
    expect(await stored(table)).toEqual(before);
  });

  it.each([
    ['an empty list', { items: [] }],
    ['501 items', placed(Array.from({ length: 501 }, (_, at) => [at + 1, at] as const))],
    ['no list', {}],
    ['a place that is no integer', { items: [{ id: 1, sort_order: 1.5 }] }],
    ['a place beyond all integers', { items: [{ id: 1, sort_order: 2 ** 31 }] }],
    ['text for an id', { items: [{ id: '1', sort_order: 1 }] }],
  ])('refuses %s with 400', async (_what, body) => {
    expect((await reorder(body)).status).toBe(400);
  });

  it.each([999_999, 0, -1, Number.MAX_SAFE_INTEGER])(
    'answers 404 for the unknown id %d, and moves nothing',
    async (id) => {
      const before = await stored(table);
      const reply = await reorder(
        placed([
          [1, 77],
          [id, 1],
        ]),
      );
      expect([reply.status, reply.body.errorCode, reply.body.data]).toEqual([
        404,
        'NOT_FOUND',
        { type: 'UnknownIds', ids: [id] },
      ]);
      expect(await stored(table)).toEqual(before);
    },
  );

  it('never mixes two reorders that run at once, whatever order they name the rows in', async () => {
    const ids = [1, 2, 3, 4];
    for (let round = 0; round < 15; round += 1) {
      const replies = await Promise.all(
        Array.from({ length: 6 }, (_, at) =>
          reorder(placed((at % 2 ? ids : ids.toReversed()).map((id) => [id, at * 10 + id] as const))),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      const tens = (await stored(table)).map((place) => Math.floor(place / 10));
      expect(new Set(tens).size).toBe(1);
    }
  });
});

describe('reorder', () => {
  it('takes 500 rows at once', async () => {
    const places = Array.from({ length: 500 }, (_, at) => [at + 1, 500 - at] as const);
    const reply = await shop.admin({ method: 'PATCH', path: '/brands/reorder', body: placed(places) });
    expect(reply.status).toBe(200);
    expect(await stored('brands', [1, 250, 500])).toEqual([500, 251, 1]);
  });

  it('moves variants within their product only', async () => {
    const path = '/products/1/variants/reorder';
    const reply = await shop.admin({
      method: 'PATCH',
      path,
      body: placed([
        [1, 9],
        [5, 9],
      ]),
    });
    expect([reply.status, reply.body.data]).toEqual([404, { type: 'UnknownIds', ids: [5] }]);
    const nowhere = {
      method: 'PATCH',
      path: '/products/999/variants/reorder',
      body: placed([[1, 9]]),
    } as const;
    expect((await shop.admin(nowhere)).status).toBe(404);
  });

  it('moves items within their section only', async () => {
    const path = '/homepage/sections/1/items/reorder';
    const reply = await shop.admin({
      method: 'POST',
      path,
      body: placed([
        [1, 9],
        [5, 9],
      ]),
    });
    expect([reply.status, reply.body.data]).toEqual([404, { type: 'UnknownIds', ids: [5] }]);
    const nowhere = {
      method: 'POST',
      path: '/homepage/sections/999/items/reorder',
      body: placed([[1, 9]]),
    } as const;
    expect((await shop.admin(nowhere)).status).toBe(404);
  });

  it('shows on the next client read of this process', async () => {
    await shop.admin({
      method: 'PATCH',
      path: '/tags/reorder',
      body: placed([
        [1, 4],
        [2, 3],
        [3, 2],
        [4, 1],
      ]),
    });
    const { body } = await shop.get('/tags');
    expect((body.data['items'] as unknown as { id: number }[]).map(({ id }) => id)).toEqual([4, 3, 2, 1]);
  });
});
