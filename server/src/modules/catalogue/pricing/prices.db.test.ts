import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { testClock } from '../../../../test/support/test-identity.ts';
import { createTestCatalogue } from '../test-catalogue.ts';
import type { TestCatalogue } from '../test-catalogue.ts';

const clock = testClock(new Date('2027-01-01T00:00:00Z'));
let shop: TestCatalogue;

beforeAll(async () => {
  shop = await createTestCatalogue({ clock });
  await shop.change(`INSERT INTO brands (name, slug) VALUES ('Play', 'play')`);
  await shop.change(`INSERT INTO categories (name, slug) VALUES ('Games', 'games')`);
  await shop.change(`INSERT INTO product_types (name, slug) VALUES ('Card', 'card')`);
  await shop.change(`INSERT INTO tags (name, slug) VALUES ('Hot', 'hot'), ('New', 'new')`);
  await shop.change(`INSERT INTO products (brand_id, category_id, product_type_id, name, slug, status)
    SELECT 1, 1, 1, 'P' || n, 'p' || n, 'active' FROM generate_series(1, 4) n`);
  await shop.change(`INSERT INTO product_variants (product_id, name, sku, price_minor, compare_at_price_minor)
    SELECT 1, 'V' || n, 'v' || n, n * 100, 1000 FROM generate_series(1, 4) n`);
});
afterAll(() => shop.close());

const prices = (items: unknown, more: object = {}) =>
  shop.admin({ method: 'PATCH', path: '/variants/bulk-price', body: { items, ...more } });
const history = async (id: number): Promise<unknown[]> => {
  const reply = await shop.admin({ method: 'GET', path: `/variants/${id}/price-history` });
  return reply.body.data['items'] as unknown as unknown[];
};
const shown = async (id: number) => {
  const { data } = (await shop.get(`/variants/${id}`)).body;
  return [data['price'], data['compare_at_price']];
};
const sweep = async (): Promise<void> => {
  for (const each of shop.catalogue.sweeps) await each.run();
};

describe('PATCH /admin/variants/bulk-price', () => {
  it('does the good rows and says what is wrong with the others', async () => {
    const reply = await prices([
      { id: 1, price: 1.5 },
      { id: 999, price: 2 },
      { id: 2, price: 2.005 },
      { id: 3, price: 3.25, compare_at_price: null },
    ]);
    expect([reply.status, reply.body.data]).toEqual([
      200,
      {
        changed: 2,
        failed: 2,
        results: [
          { id: 1, outcome: 'changed' },
          { id: 999, outcome: 'failed', errorCode: 'NOT_FOUND', message: 'There is no such variant' },
          {
            id: 2,
            outcome: 'failed',
            errorCode: 'VALIDATION_ERROR',
            message: 'price must have at most two decimals',
          },
          { id: 3, outcome: 'changed' },
        ],
      },
    ]);
    expect([await shown(1), await shown(2), await shown(3)]).toEqual([
      [1.5, 10],
      [2, 10],
      [3.25, null],
    ]);
    expect(shop.audited.at(-1)).toMatchObject({
      action: 'product_variants:update',
      resource: 'variant:3',
      before: { price: 3, compare_at_price: 10 },
      after: { price: 3.25, compare_at_price: null },
    });
  });

  it('refuses the same variant twice, no row and 501 rows', async () => {
    expect(
      (
        await prices([
          { id: 1, price: 1 },
          { id: 1, price: 2 },
        ])
      ).status,
    ).toBe(400);
    expect((await prices([])).status).toBe(400);
    const many = Array.from({ length: 501 }, (_, at) => ({ id: at + 1, price: 1 }));
    expect((await prices(many)).status).toBe(400);
    expect((await prices([{ id: 1, price: -1 }])).status).toBe(400);
  });

  it('takes no crossed-out price that is not above the price, now or later, and stops showing one that is reached', async () => {
    const low = { id: 3, price: 5, compare_at_price: 5 };
    const refusal = { outcome: 'failed', message: 'compare_at_price must be above price' };
    expect((await prices([low])).body.data['results']).toMatchObject([refusal]);
    const later = { effective_at: '2027-01-03T00:00:00Z' };
    expect((await prices([low], later)).body.data['results']).toMatchObject([refusal]);
    const put = (body: unknown) => shop.admin({ method: 'PUT', path: '/variants/3', body });
    expect((await put({ compare_at_price: 3.25 })).body.errors?.[0]?.field).toBe('compare_at_price');

    expect((await put({ compare_at_price: 6 })).status).toBe(200);
    expect(await shown(3)).toEqual([3.25, 6]);
    expect((await prices([{ id: 3, price: 6 }])).body.data['changed']).toBe(1);
    expect(await shown(3)).toEqual([6, null]);
    const kept = await shop.admin({ method: 'GET', path: '/variants/3' });
    expect(kept.body.data['compare_at_price']).toBe(6);
  });

  it('waits for the moment it shall take effect, then leaves who ordered it in the history', async () => {
    const at = '2027-01-02T00:00:00.000Z';
    const reply = await prices(
      [
        { id: 4, price: 7 },
        { id: 999, price: 7 },
      ],
      { effective_at: at },
    );
    expect(reply.body.data).toMatchObject({
      results: [
        { id: 4, outcome: 'scheduled' },
        { id: 999, outcome: 'failed' },
      ],
    });
    await prices([{ id: 4, price: 8, compare_at_price: 9 }], { effective_at: '2027-01-02T00:00:01Z' });
    await sweep();
    expect(await shown(4)).toEqual([4, 10]);
    const variant = await shop.admin({ method: 'GET', path: '/variants/4' });
    expect(variant.body.data['scheduled_prices']).toEqual([
      { effective_at: at, price: 7, compare_at_price: 10 },
      { effective_at: '2027-01-02T00:00:01.000Z', price: 8, compare_at_price: 9 },
    ]);
    clock.advance(2 * 86_400);
    await Promise.all([sweep(), sweep()]);
    expect(await shown(4)).toEqual([8, 9]);
    expect(await history(4)).toMatchObject([
      { old_price: 7, price: 8, compare_at_price: 9, changed_by: shop.adminId },
      { old_price: 4, price: 7, changed_by: shop.adminId },
      { old_price: null, price: 4, changed_by: null },
    ]);
  });
});

describe('a price that is scheduled', () => {
  it('can be taken back until its moment, and is then no more', async () => {
    const at = { effective_at: new Date(clock.now().getTime() + 3_600_000).toISOString() };
    await prices([{ id: 1, price: 99, compare_at_price: null }], at);
    const before = await shown(1);
    const items = [
      { id: 1, price: null },
      { id: 2, price: null },
    ];
    expect((await prices(items)).body.data['results']).toMatchObject([
      { outcome: 'failed', errorCode: 'VALIDATION_ERROR' },
      { outcome: 'failed', errorCode: 'VALIDATION_ERROR' },
    ]);
    expect((await prices(items, at)).body.data).toMatchObject({
      changed: 1,
      failed: 1,
      results: [
        { id: 1, outcome: 'withdrawn' },
        { id: 2, outcome: 'failed', message: 'No price is scheduled for that moment' },
      ],
    });
    expect(shop.audited.at(-1)).toMatchObject({
      action: 'product_variants:withdraw-price',
      resource: 'variant:1',
      before: { price: 99, ...at },
    });
    clock.advance(3_600);
    await sweep();
    expect(await shown(1)).toEqual(before);
  });
});

describe('GET /admin/variants/:id/price-history', () => {
  it('has every change, by whatever way it came, newest first', async () => {
    await shop.change('UPDATE product_variants SET price_minor = 5555 WHERE id = 2 RETURNING id');
    await shop.change(`UPDATE product_variants SET name = 'Renamed' WHERE id = 2 RETURNING id`);
    await shop.admin({ method: 'PUT', path: '/variants/2', body: { price: 66.66 } });
    expect(await history(2)).toMatchObject([
      { old_price: 55.55, price: 66.66, changed_by: shop.adminId },
      { old_price: 2, price: 55.55, changed_by: null },
      { old_price: null, price: 2 },
    ]);
    expect((await shop.admin({ method: 'GET', path: '/variants/999/price-history' })).status).toBe(404);
  });
});

describe('scheduled publishing', () => {
  const patch = (id: number, body: unknown) =>
    shop.admin({ method: 'PATCH', path: `/products/${id}/status`, body });
  const inHours = (hours: number): string =>
    new Date(clock.now().getTime() + hours * 3_600_000).toISOString();

  it('brings a draft on sale and takes it off again at its moments', async () => {
    const reply = await patch(2, { status: 'draft', publish_at: inHours(1), unpublish_at: inHours(2) });
    expect(reply.status).toBe(200);
    const isOnSale = async () => (await shop.get('/products/2')).status === 200;
    await sweep();
    expect(await isOnSale()).toBe(false);
    clock.advance(3_600);
    await sweep();
    expect(await isOnSale()).toBe(true);
    clock.advance(3_600);
    await sweep();
    expect(await isOnSale()).toBe(false);
    const read = await shop.admin({ method: 'GET', path: '/products/2' });
    expect(read.body.data).toMatchObject({ status: 'archived', publish_at: null, unpublish_at: null });
  });

  it('leaves the version of the catalogue alone while nothing is due', async () => {
    await patch(2, { status: 'draft', publish_at: inHours(1) });
    const version = async () => (await shop.db.query('SELECT version FROM catalogue_version')).rows;
    const before = await version();
    await sweep();
    expect(await version()).toEqual(before);
    clock.advance(3_600);
    await sweep();
    expect(await version()).not.toEqual(before);
  });
});

describe('POST /admin/products/bulk', () => {
  const bulk = (body: unknown) => shop.admin({ method: 'POST', path: '/products/bulk', body });

  it('changes status, category and tags of many, with a result for each', async () => {
    await bulk({ ids: [3, 4], add_tag_ids: [1] });
    const reply = await bulk({ ids: [3, 999, 4], status: 'active', add_tag_ids: [2], remove_tag_ids: [1] });
    expect([reply.status, reply.body.data]).toMatchObject([
      200,
      { changed: 2, failed: 1, results: [{ id: 3 }, { id: 999, outcome: 'failed' }, { id: 4 }] },
    ]);
    const read = await shop.admin({ method: 'GET', path: '/products/4' });
    expect(read.body.data).toMatchObject({ status: 'active', tag_ids: [2] });
    expect((await bulk({ ids: [3], category_id: 99 })).body.data).toMatchObject({
      changed: 0,
      results: [{ id: 3, outcome: 'failed', errorCode: 'VALIDATION_ERROR' }],
    });
  });

  it('needs something to do, and no product twice', async () => {
    expect((await bulk({ ids: [3] })).status).toBe(400);
    const twice = await bulk({ ids: [3, 3], status: 'draft' });
    expect([twice.status, twice.body.errors?.[0]?.field]).toEqual([400, 'ids']);
  });
});
