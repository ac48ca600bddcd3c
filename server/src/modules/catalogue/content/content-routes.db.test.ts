import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { testClock } from '../../../../test/support/test-identity.ts';
import { createTestCatalogue } from '../test-catalogue.ts';
import type { TestCatalogue } from '../test-catalogue.ts';

const clock = testClock(new Date('2027-01-01T12:00:00Z'));
let shop: TestCatalogue;

beforeAll(async () => {
  shop = await createTestCatalogue({ clock });
  shop.methods.add('dcb');
  await shop.change(`INSERT INTO brands (name, slug) VALUES ('Play', 'play')`);
  await shop.change(`INSERT INTO categories (name, slug) VALUES ('Games', 'games')`);
  await shop.change(`INSERT INTO product_types (name, slug) VALUES ('Card', 'card')`);
  await shop.change(`INSERT INTO tags (name, slug) VALUES ('Hot', 'hot')`);
  await shop.change(`INSERT INTO products (brand_id, category_id, product_type_id, name, name_bn, slug, status)
    VALUES (1, 1, 1, 'One', 'এক', 'one', 'active'), (1, 1, 1, 'Two', NULL, 'two', 'active'),
      (1, 1, 1, 'Draft', NULL, 'draft', 'draft')`);
  await shop.change(
    `INSERT INTO product_variants (product_id, name, sku, price_minor) VALUES (1, 'V', 'V1', 100)`,
  );
  await shop.change(`INSERT INTO payment_methods (method, name) VALUES ('dcb', 'Mobile balance')`);
  await shop.change(`INSERT INTO homepage_banners (title, title_bn, sort_order, starts_at, ends_at, is_active) VALUES
    ('Always', 'সবসময়', 2, NULL, NULL, true), ('Tie', NULL, 2, NULL, NULL, true), ('Off', NULL, 0, NULL, NULL, false),
    ('Afternoon', NULL, 1, '2027-01-01T13:00:00Z', '2027-01-01T14:00:00Z', true)`);
  await shop.change(`INSERT INTO homepage_sections (title, layout, sort_order, ends_at) VALUES
    ('Later', 'list', 2, NULL), ('First', 'carousel', 1, NULL), ('Over', 'grid', 0, '2027-01-01T12:00:00Z')`);
  await shop.change(`INSERT INTO homepage_section_items (section_id, product_id, sort_order) VALUES
    (1, 2, 5), (1, 1, 5), (1, 3, 0), (2, 2, 0)`);
  await shop.change(`INSERT INTO faqs (category, question, question_bn, answer, sort_order) VALUES
    ('Orders', 'Where?', 'কোথায়?', 'Here.', 2), (NULL, 'Why?', NULL, 'So.', 1), ('Orders', 'When?', NULL, 'Now.', 2)`);
  await shop.change(`INSERT INTO pages (slug, title, title_bn, body, is_active) VALUES
    ('terms', 'Terms', 'শর্ত', '# Terms', true), ('hidden', 'Hidden', NULL, 'x', false)`);
});
afterAll(() => shop.close());

const titles = async (path: string, list: string): Promise<unknown[]> =>
  ((await shop.get(path)).body.data[list] as unknown as { title: string }[]).map(({ title }) => title);

describe('GET /homepage', () => {
  it('has banners and sections in their order, each section with the products on sale in theirs', async () => {
    const { data } = (await shop.get('/homepage')).body;
    expect(data).toMatchObject({
      banners: [{ title: 'Always' }, { title: 'Tie' }],
      sections: [
        { title: 'First', layout: 'carousel', items: [{ product: { slug: 'two' } }] },
        {
          title: 'Later',
          layout: 'list',
          items: [{ product: { slug: 'two' } }, { product: { slug: 'one', variants: [{ sku: 'V1' }] } }],
        },
      ],
    });
    expect(await titles('/homepage?lang=bn', 'banners')).toEqual(['সবসময়', 'Tie']);
  });

  it('shows and hides what is scheduled at its very moment, though nobody changed anything', async () => {
    expect(await titles('/homepage/banners', 'items')).toEqual(['Always', 'Tie']);
    clock.advance(3_600 - 1);
    expect(await titles('/homepage', 'banners')).toEqual(['Always', 'Tie']);
    clock.advance(1);
    expect(await titles('/homepage', 'banners')).toEqual(['Afternoon', 'Always', 'Tie']);
    clock.advance(3_600);
    expect(await titles('/homepage', 'banners')).toEqual(['Always', 'Tie']);
  });

  it('gives one section, and none that is over', async () => {
    expect((await shop.get('/homepage/sections/2')).body.data).toMatchObject({ title: 'First' });
    expect((await shop.get('/homepage/sections/3')).status).toBe(404);
    expect(await titles('/homepage/sections', 'items')).toEqual(['First', 'Later']);
  });
});

describe('questions, pages and settings', () => {
  it('answers questions in order, of one category when asked', async () => {
    const questions = async (query: string) =>
      ((await shop.get(`/faqs${query}`)).body.data['items'] as unknown as { question: string }[]).map(
        ({ question }) => question,
      );
    expect(await questions('')).toEqual(['Why?', 'Where?', 'When?']);
    expect(await questions('?category=Orders&lang=bn')).toEqual(['কোথায়?', 'When?']);
    expect(await questions('?category=%25')).toEqual([]);
  });

  it('gives a page that is active', async () => {
    expect((await shop.get('/pages/terms?lang=bn')).body.data).toMatchObject({
      slug: 'terms',
      title: 'শর্ত',
      body: '# Terms',
    });
    expect((await shop.get('/pages/hidden')).status).toBe(404);
  });

  it('tells what a storefront needs of the settings, and nothing that is not public', async () => {
    expect((await shop.get('/settings/public')).body.data).toEqual({
      currency: 'BDT',
      shop_name: 'Voucher shop',
      support_email: null,
      support_phone: null,
      support_hours: null,
      support_hours_bn: null,
      notice: null,
      notice_bn: null,
      show_discount_field: true,
      show_redemption_page: true,
      show_registration: true,
      languages: ['en', 'bn'],
      pages: [{ slug: 'terms', title: 'Terms' }],
    });
  });
});

describe.each([
  '/products',
  '/products/1',
  '/products/slug/one',
  '/products/1/related',
  '/products/1/variants',
  '/products/filters',
  '/variants/1',
  '/orders/fulfillment-fields/1',
  '/brands',
  '/brands/play',
  '/brands/play/products',
  '/categories',
  '/categories?tree=true',
  '/categories/games',
  '/categories/games/products',
  '/tags',
  '/tags/hot/products',
  '/product-types',
  '/product-types/card',
  '/product-types/card/products',
  '/search?q=one',
  '/search/suggest?q=o',
  '/homepage',
  '/homepage/banners',
  '/homepage/sections',
  '/homepage/sections/1',
  '/faqs',
  '/pages/terms',
  '/settings/public',
  '/payment-methods',
])('GET %s', (path) => {
  it('has a strong ETag that answers 304 until something changes, and is never kept without asking', async () => {
    const read = await shop.get(path);
    const tag = String(read.headers['etag']);
    expect([read.status, read.headers['cache-control'], read.headers['vary']]).toEqual([
      200,
      'public, max-age=0, must-revalidate',
      'accept-language',
    ]);
    expect(tag).toMatch(/^"[\w-]{27}"$/);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await shop.get(path, { 'if-none-match': known });
      expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', tag]);
    }
    for (const unknown of ['"other"', tag.slice(1, -1), ''])
      expect((await shop.get(path, { 'if-none-match': unknown })).status).toBe(200);
    const head = await shop.app.inject({ method: 'HEAD', url: `/api/v1${path}` });
    expect([head.statusCode, head.headers['etag'], head.body]).toEqual([200, tag, '']);
  });
});

it('answers another language and a changed row with another ETag', async () => {
  const tagOf = async (language: string) =>
    (await shop.get('/products/1', { 'accept-language': language })).headers['etag'];
  const english = await tagOf('en-GB');
  expect(await tagOf('fr')).toBe(english);
  expect(await tagOf('bn-BD,en;q=0.5')).not.toBe(english);
  await shop.admin({ method: 'PUT', path: '/products/1', body: { name: 'Changed' } });
  expect(await tagOf('en')).not.toBe(english);
  await shop.admin({ method: 'PUT', path: '/products/1', body: { name: 'One' } });
  expect(await tagOf('en')).toBe(english);
});
