import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestCatalogue } from './test-catalogue.ts';
import type { Json, TestCatalogue } from './test-catalogue.ts';

let shop: TestCatalogue;
beforeAll(async () => {
  shop = await createTestCatalogue();
  await shop.change(`INSERT INTO brands (name, name_bn, slug, image_url, is_active, sort_order) VALUES
    ('Second', 'দ্বিতীয়', 'second', '/b.svg', true, 2), ('First', NULL, 'first', NULL, true, 1),
    ('Also second', NULL, 'also', NULL, true, 2), ('Off', NULL, 'off', NULL, false, 0)`);
  await shop.change(`INSERT INTO categories (parent_id, name, slug, is_active, sort_order) VALUES
    (NULL, 'Root', 'root', true, 1), (1, 'Late child', 'late', true, 9), (1, 'Early child', 'early', true, 1),
    (2, 'Grandchild', 'grand', true, 1), (4, 'Great-grandchild', 'great', true, 1), (5, 'Deepest', 'deepest', true, 1),
    (NULL, 'Off', 'off', false, 0), (7, 'Below off', 'below-off', true, 0)`);
  await shop.change(
    `INSERT INTO tags (name, slug, is_active) VALUES ('Hot', 'hot', true), ('Cold', 'cold', false)`,
  );
  await shop.change(`INSERT INTO product_types (name, slug) VALUES ('Gift card', 'gift-card')`);
  await shop.change(`INSERT INTO payment_methods (method, name, name_bn, min_minor, max_minor, is_active, sort_order) VALUES
    ('dcb', 'Mobile balance', NULL, NULL, NULL, true, 2), ('gw_aggregator', 'Cards', 'কার্ড', 1050, 50000000, true, 1),
    ('gw_wallet_direct', 'Wallet', NULL, NULL, NULL, false, 0)`);
});
afterAll(() => shop.close());

const names = async (path: string): Promise<unknown> =>
  ((await shop.get(path)).body.data['items'] as unknown as Json[]).map((item) => item['name']);

describe('the lists of the catalogue', () => {
  it('lists active brands by sort_order, then id, in pages', async () => {
    expect(await names('/brands')).toEqual(['First', 'Second', 'Also second']);
    const { body } = await shop.get('/brands?page=2&limit=1&lang=bn');
    expect(body.data).toEqual({
      items: [
        { id: 1, name: 'দ্বিতীয়', slug: 'second', sort_order: 2, description: null, image_url: '/b.svg' },
      ],
      pagination: { page: 2, limit: 1, total: 3, total_pages: 3 },
    });
    expect(await names('/brands?search=second')).toEqual(['Second', 'Also second']);
  });

  it('lists tags and product types', async () => {
    expect((await shop.get('/tags')).body.data['items']).toEqual([
      { id: 1, name: 'Hot', slug: 'hot', sort_order: 0 },
    ]);
    expect((await shop.get('/product-types')).body.data['items']).toEqual([
      { id: 1, name: 'Gift card', slug: 'gift-card', sort_order: 0 },
    ]);
  });

  it('lists categories flat, and as a tree to any depth without what hangs below an inactive one', async () => {
    expect((await shop.get('/categories?limit=1')).body.data['items']).toEqual([
      {
        id: 8,
        parent_id: 7,
        name: 'Below off',
        slug: 'below-off',
        sort_order: 0,
        description: null,
        image_url: null,
      },
    ]);
    const node = { description: null, image_url: null };
    const deepest = {
      ...node,
      id: 6,
      parent_id: 5,
      name: 'Deepest',
      slug: 'deepest',
      sort_order: 1,
      children: [],
    };
    const great = {
      ...node,
      id: 5,
      parent_id: 4,
      name: 'Great-grandchild',
      slug: 'great',
      sort_order: 1,
      children: [deepest],
    };
    const grand = {
      ...node,
      id: 4,
      parent_id: 2,
      name: 'Grandchild',
      slug: 'grand',
      sort_order: 1,
      children: [great],
    };
    const early = {
      ...node,
      id: 3,
      parent_id: 1,
      name: 'Early child',
      slug: 'early',
      sort_order: 1,
      children: [],
    };
    const late = {
      ...node,
      id: 2,
      parent_id: 1,
      name: 'Late child',
      slug: 'late',
      sort_order: 9,
      children: [grand],
    };
    const root = {
      ...node,
      id: 1,
      parent_id: null,
      name: 'Root',
      slug: 'root',
      sort_order: 1,
      children: [early, late],
    };
    expect((await shop.get('/categories?tree=true')).body.data).toEqual({
      items: [root],
      pagination: { page: 1, limit: 20, total: 1, total_pages: 1 },
    });
  });

  it('offers only active payment methods whose gateway is configured', async () => {
    expect(await names('/payment-methods')).toEqual([]);
    shop.methods.add('gw_aggregator').add('gw_wallet_direct');
    expect((await shop.get('/payment-methods?lang=bn')).body.data['items']).toEqual([
      {
        id: 2,
        method: 'gw_aggregator',
        name: 'কার্ড',
        description: null,
        image_url: null,
        min_amount: 10.5,
        max_amount: 500000,
        sort_order: 1,
      },
    ]);
    shop.methods.add('dcb');
    expect(await names('/payment-methods')).toEqual(['Cards', 'Mobile balance']);
  });
});
