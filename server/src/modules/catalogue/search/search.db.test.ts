import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestCatalogue } from '../test-catalogue.ts';
import type { TestCatalogue } from '../test-catalogue.ts';

let shop: TestCatalogue;
/** A second process on the same database. */
let beside: TestCatalogue;

beforeAll(async () => {
  shop = await createTestCatalogue();
  beside = await createTestCatalogue({ beside: shop });
  await shop.change(`INSERT INTO brands (name, name_bn, slug) VALUES
    ('Google Play', 'গুগল প্লে', 'google'), ('Netflix', 'নেটফ্লিক্স', 'netflix'), ('Mythic Games', NULL, 'mythic')`);
  await shop.change(`INSERT INTO categories (name, name_bn, slug) VALUES
    ('Gift cards', 'গিফট কার্ড', 'gift-cards'), ('Games', 'গেম', 'games')`);
  await shop.change(`INSERT INTO product_types (name, slug) VALUES ('Code', 'code'), ('Top-up', 'top-up')`);
  await shop.change(`INSERT INTO tags (name, name_bn, slug) VALUES ('Popular', 'জনপ্রিয়', 'popular')`);
  await shop.change(`INSERT INTO products
      (brand_id, category_id, product_type_id, name, name_bn, slug, description, status, sort_order) VALUES
    (1, 1, 1, 'Google Play Card', 'গুগল প্লে কার্ড', 'play-card', 'For apps and games', 'active', 1),
    (2, 1, 1, 'Netflix Card', 'নেটফ্লিক্স কার্ড', 'netflix-card', 'Films', 'active', 2),
    (3, 2, 2, 'Diamonds PS4/PS5', NULL, 'diamonds', '100% instant', 'active', 3),
    (3, 2, 2, 'Café Pass ৫০', NULL, 'cafe-pass', NULL, 'active', 4),
    (3, 2, 2, 'Netflix Draft', NULL, 'draft', NULL, 'draft', 0)`);
  await shop.change(`INSERT INTO product_variants (product_id, name, name_bn, sku, price_minor) VALUES
    (1, '500 Taka', '৫০০ টাকা', 'G500', 50000), (3, '86 Diamonds', NULL, 'D86', 9000)`);
  await shop.change('INSERT INTO product_tags VALUES (3, 1)');
});
afterAll(async () => {
  await beside.close();
  await shop.close();
});

async function find(typed: string, at: TestCatalogue = shop): Promise<string[]> {
  const { body } = await at.get(`/search?q=${encodeURIComponent(typed)}`);
  return (body.data['items'] as unknown as { slug: string }[]).map(({ slug }) => slug);
}

async function suggest(typed: string, query = ''): Promise<string[]> {
  const { body } = await shop.get(`/search/suggest?q=${encodeURIComponent(typed)}${query}`);
  return (body.data['items'] as unknown as { type: string; name: string }[]).map(
    ({ type, name }) => `${type} ${name}`,
  );
}

describe('GET /search (PostgreSQL full text and trigrams)', () => {
  it.each([
    ['netflix', ['netflix-card']],
    ['NETFLIX card', ['netflix-card']],
    ['card', ['play-card', 'netflix-card']],
    ['card netflix', ['netflix-card']],
    ['নেটফ্লিক্স', ['netflix-card']],
    ['কার্ড', ['play-card', 'netflix-card']],
    ['গুগল card', ['play-card']],
  ])('finds every word of %j, in either language', async (typed, slugs) => {
    expect(await find(typed)).toEqual(slugs);
  });

  it.each([
    ['net', ['netflix-card']],
    ['নেট', ['netflix-card']],
    ['dia', ['diamonds']],
    ['ps5', ['diamonds']],
    ['500', ['play-card']],
    ['৫০০ টাকা', ['play-card']],
    ['cafe', ['cafe-pass']],
    ['CAFÉ 50', ['cafe-pass']],
    ['jon', []],
    ['জনপ্রিয়', ['diamonds']],
  ])(
    'finds %j by the beginning of a word, a digit or letter written another way, or a label',
    async (typed, slugs) => {
      expect(await find(typed)).toEqual(slugs);
    },
  );

  it.each([
    ['netflx', ['netflix-card']],
    ['neftlix', ['netflix-card']],
    ['nteflix card', ['netflix-card']],
    ['daimonds', ['diamonds']],
    ['নেটফিক্স', ['netflix-card']],
  ])('forgives %j', async (typed, slugs) => {
    expect(await find(typed)).toEqual(slugs);
  });

  it('guesses only where nothing was meant literally, and never at short words', async () => {
    expect(await find('games')).toEqual(['diamonds', 'cafe-pass', 'play-card']);
    expect(await find('gmes')).toEqual(['diamonds', 'cafe-pass']);
    expect(await find('nfx')).toEqual([]);
  });

  it('puts names before brands, brands before labels and labels before descriptions', async () => {
    const [id] = await shop.change(`INSERT INTO products
        (brand_id, category_id, product_type_id, name, slug, status, sort_order)
      VALUES (1, 1, 1, 'Games Pass', 'games-pass', 'active', 99) RETURNING id`);
    expect(await find('games')).toEqual(['games-pass', 'diamonds', 'cafe-pass', 'play-card']);
    await shop.change('DELETE FROM products WHERE id = $1', [id]);
  });

  it.each(['%', '_', '&', "' OR 1=1 --", '!!!', ':*', '\\', 'x\u0000y', '🙂', '(a|b)&!c', 'x'.repeat(200)])(
    'takes %j for text and nothing else',
    async (typed) => {
      const { status, body } = await shop.get(`/search?q=${encodeURIComponent(typed)}`);
      expect([200, 400]).toContain(status);
      expect(body.success ? body.data['items'] : []).toEqual([]);
    },
  );

  it('has no drafts, and finds a product the moment it is published, here and on another process', async () => {
    expect(await find('draft')).toEqual([]);
    await shop.change(`UPDATE products SET status = 'active' WHERE slug = 'draft'`);
    expect(await find('draft')).toEqual(['draft']);
    beside.catalogue.noteChange();
    expect(await find('draft', beside)).toEqual(['draft']);
    await shop.change(`UPDATE products SET status = 'draft' WHERE slug = 'draft'`);
  });

  it.each([
    [`UPDATE products SET name = 'Renamed' WHERE slug = 'diamonds'`, ['renamed'], ['ps5']],
    [`UPDATE product_variants SET name = 'Sapphires' WHERE sku = 'D86'`, ['sapphires'], ['86']],
    [`DELETE FROM product_variants WHERE sku = 'D86'`, ['renamed'], ['sapphires']],
    [`UPDATE tags SET name = 'Trending', name_bn = NULL`, ['trending'], ['জনপ্রিয়']],
    ['DELETE FROM product_tags', ['renamed'], ['trending']],
    [`UPDATE categories SET name = 'Play time' WHERE slug = 'games'`, ['time'], []],
    [`UPDATE product_types SET is_active = false WHERE slug = 'top-up'`, ['time'], ['top']],
    [`UPDATE brands SET name = 'Sagacious' WHERE slug = 'mythic'`, ['sagacious'], ['mythic']],
  ])('follows %s', async (change, found, gone) => {
    await shop.change(change);
    for (const word of found) expect(await find(word)).toContain('diamonds');
    for (const word of gone) expect(await find(word)).not.toContain('diamonds');
  });

  it('loses no change when a label and a product are changed at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([
        shop.db.query(`UPDATE brands SET name = $1 WHERE slug = 'google'`, [`Brandnew${round}`]),
        shop.db.query(`UPDATE products SET description = $1 WHERE slug = 'play-card'`, [`Describe${round}`]),
        shop.db.query(`UPDATE product_variants SET name = $1 WHERE sku = 'G500'`, [`Variation${round}`]),
      ]);
      shop.catalogue.noteChange();
      expect(await find(`brandnew${round} describe${round} variation${round}`)).toEqual(['play-card']);
    }
  });
});

describe('GET /search/suggest', () => {
  it('names brands and categories of which a word begins so, then products', async () => {
    expect(await suggest('ne')).toEqual(['brand Netflix', 'product Netflix Card']);
    expect(await suggest('gift')).toEqual([
      'category Gift cards',
      'product Google Play Card',
      'product Netflix Card',
    ]);
    expect(await suggest('নেট')).toEqual(['brand Netflix', 'product Netflix Card']);
    expect(await suggest('গিফট', '&lang=bn&limit=2')).toEqual(['category গিফট কার্ড', 'product গুগল প্লে কার্ড']);
    expect(await suggest('%')).toEqual([]);
  });
});

describe('GET /products?search= and its filters', () => {
  it('finds by the same words, in the order of the list, and counts what they leave', async () => {
    const listed = await shop.get('/products?search=car&sort=-name');
    expect((listed.body.data['items'] as unknown as { slug: string }[]).map(({ slug }) => slug)).toEqual([
      'netflix-card',
      'play-card',
    ]);
    const filters = await shop.get('/products/filters?search=netflix');
    expect(filters.body.data).toMatchObject({ total: 1, brands: [{ slug: 'netflix', count: 1 }] });
    expect((await shop.get('/products?search=%20')).body.data['pagination']).toMatchObject({ total: 4 });
  });
});
