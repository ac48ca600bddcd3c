import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestCatalogue } from '../test-catalogue.ts';
import type { TestCatalogue } from '../test-catalogue.ts';

let shop: TestCatalogue;

beforeAll(async () => {
  shop = await createTestCatalogue();
  await shop.change(`INSERT INTO brands (name, slug) VALUES ('Play', 'play')`);
  await shop.change(`INSERT INTO categories (name, slug) VALUES ('Games', 'games')`);
  await shop.change(`INSERT INTO product_types (name, slug) VALUES ('Card', 'card')`);
  await shop.change(`INSERT INTO products (brand_id, category_id, product_type_id, name, slug) VALUES
    (1, 1, 1, 'One', 'one'), (1, 1, 1, 'Two', 'two')`);
  await shop.change(`INSERT INTO homepage_sections (title) VALUES ('First')`);
});
afterAll(() => shop.close());

const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET', path: string, body?: unknown) =>
  shop.admin({ method, path, body });

/** What a new row of each resource needs, one field to change, and where its rows are. */
const resources = [
  { path: '/brands', table: 'brands', body: { name: 'New brand' }, field: 'description', can: 'get' },
  {
    path: '/categories',
    table: 'categories',
    body: { name: 'New', parent_id: 1 },
    field: 'name',
    can: 'get',
  },
  { path: '/tags', table: 'tags', body: { name: 'New tag' }, field: 'name_bn' },
  { path: '/product-types', table: 'product_types', body: { name: 'New type' }, field: 'name', can: 'get' },
  {
    path: '/products/1/variants',
    item: '/variants',
    table: 'product_variants',
    body: { name: 'New', sku: 'NEW', price: 10 },
    field: 'name',
    can: 'get',
  },
  { path: '/faqs', table: 'faqs', body: { question: 'Why?', answer: 'So.' }, field: 'category' },
  {
    path: '/homepage/banners',
    table: 'homepage_banners',
    body: { title: 'Sale' },
    field: 'link_url',
    value: '/sale',
  },
  { path: '/homepage/sections', table: 'homepage_sections', body: { title: 'New' }, field: 'title' },
  {
    path: '/homepage/sections/1/items',
    table: 'homepage_section_items',
    body: { product_id: 1 },
    field: 'sort_order',
    value: 5,
  },
  { path: '/pages', table: 'pages', body: { title: 'Terms', body: '# Terms' }, field: 'body_bn', can: 'get' },
] as const;

describe.each(resources)('$path', (resource) => {
  const { path, table, body, field } = resource;
  const item = 'item' in resource ? resource.item : path;
  const value = 'value' in resource ? resource.value : 'Changed';

  it('creates, changes and deletes, each with its entry in the audit log', async () => {
    const created = await send('POST', path, body);
    expect([created.status, created.body.data]).toEqual([201, expect.objectContaining(body)]);
    const id = Number(created.body.data['id']);
    const changed = await send('PUT', `${item}/${id}`, { [field]: value });
    expect([changed.status, changed.body.data]).toEqual([
      200,
      expect.objectContaining({ ...body, [field]: value }),
    ]);
    if ('can' in resource) {
      const read = await send('GET', `${item}/${id}`);
      expect([read.headers['etag'], read.body.data]).toEqual([changed.headers['etag'], changed.body.data]);
    }
    const deleted = await send('DELETE', `${item}/${id}`);
    expect([deleted.status, deleted.body.data]).toEqual([200, { id, deleted: true }]);
    expect((await send('PUT', `${item}/${id}`, {})).status).toBe(404);
    expect((await send('DELETE', `${item}/${id}`)).status).toBe(404);
    expect(shop.audited.slice(-3)).toMatchObject([
      { action: `${table}:create`, adminId: shop.adminId, after: { id } },
      { action: `${table}:update`, after: { [field]: value } },
      { action: `${table}:delete`, before: { id } },
    ]);
  });

  it('honours If-Match with what was read, in a list too, and refuses a change of what has moved since', async () => {
    const created = await send('POST', path, body);
    const id = Number(created.body.data['id']);
    const written = created.headers['etag'];
    if (!path.endsWith('/items')) {
      const { items } = (await send('GET', `${path}?sort=-id&limit=1`)).body.data;
      expect(items?.[0]).toMatchObject({ id, etag: written });
    }
    const withMatch = (method: 'PUT' | 'DELETE', match: unknown) =>
      shop.admin({
        method,
        path: `${item}/${id}`,
        headers: { 'if-match': String(match) },
        ...(method === 'PUT' ? { body: { [field]: value } } : {}),
      });
    expect((await withMatch('PUT', `"other", ${String(written)}`)).status).toBe(200);
    for (const method of ['PUT', 'DELETE'] as const) {
      const late = await withMatch(method, written);
      expect([late.status, late.body.data]).toEqual([409, { type: 'StaleResource' }]);
    }
    const changed = await withMatch('PUT', '*');
    expect((await withMatch('DELETE', changed.headers['etag'])).status).toBe(200);
    expect((await withMatch('PUT', '*')).status).toBe(404);
  });

  it('refuses a new row without what it needs, and drops what it does not know', async () => {
    const refused = await send('POST', path, {});
    expect([refused.status, refused.body.errorCode]).toEqual([400, 'VALIDATION_ERROR']);
    const reply = await send('POST', path, { ...body, id: 77, created_at: 'x', is_admin: true });
    expect(reply.status).toBe(201);
    expect(reply.body.data['id']).not.toBe(77);
    await send('DELETE', `${item}/${Number(reply.body.data['id'])}`);
  });
});

describe('payment methods', () => {
  it('are made once for each method, and rest by schedule', async () => {
    const made = await send('POST', '/payment-methods', {
      method: 'dcb',
      name: 'SIM',
      min_amount: 10,
      max_amount: 500.5,
    });
    expect([made.status, made.body.data['max_amount']]).toEqual([201, 500.5]);
    const again = await send('POST', '/payment-methods', { method: 'dcb', name: 'SIM' });
    expect([again.status, again.body.data['field']]).toEqual([409, 'method']);
    expect((await send('POST', '/payment-methods', { method: 'cash', name: 'Cash' })).status).toBe(400);
    const id = Number(made.body.data['id']);
    expect((await send('PUT', `/payment-methods/${id}`, { min_amount: 600 })).status).toBe(400);
    const kept = await send('PUT', `/payment-methods/${id}`, {
      method: 'gw_aggregator',
      name: 'SIM balance',
    });
    expect(kept.body.data).toMatchObject({ method: 'dcb', name: 'SIM balance' });

    shop.methods.add('dcb');
    const offered = async () => (await shop.get('/payment-methods')).body.data['pagination']?.['total'];
    expect(await offered()).toBe(1);
    const from = new Date(Date.now() - 60_000).toISOString();
    await send('PATCH', `/payment-methods/${id}/status`, { maintenance_from: from });
    expect(await offered()).toBe(0);
    await send('PATCH', `/payment-methods/${id}/status`, { maintenance_from: null });
    expect(await offered()).toBe(1);
    await send('PATCH', `/payment-methods/${id}/status`, { is_active: false });
    expect(await offered()).toBe(0);
    const turned = { maintenance_from: '2030-01-02T00:00:00Z', maintenance_until: '2030-01-01T00:00:00Z' };
    expect((await send('PATCH', `/payment-methods/${id}/status`, turned)).status).toBe(400);
  });
});

describe('categories', () => {
  const aCategory = async (name: string, parentId: number | null): Promise<number> =>
    Number((await send('POST', '/categories', { name, parent_id: parentId })).body.data['id']);

  it('never hang in a circle, also when two are moved at once', async () => {
    const top = await aCategory('Top', null);
    const middle = await aCategory('Middle', top);
    const low = await aCategory('Low', middle);
    for (const parent of [top, middle, low])
      expect((await send('PUT', `/categories/${top}`, { parent_id: parent })).status).toBe(400);
    for (let round = 0; round < 10; round += 1) {
      const left = await aCategory(`Left ${round}`, null);
      const right = await aCategory(`Right ${round}`, null);
      const replies = await Promise.all([
        send('PUT', `/categories/${left}`, { parent_id: right }),
        send('PUT', `/categories/${right}`, { parent_id: left }),
      ]);
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    }
  });

  it('stay while a category below or a product is in them', async () => {
    const parent = await aCategory('Parent', null);
    await aCategory('Child', parent);
    const reply = await send('DELETE', `/categories/${parent}`);
    expect([reply.status, reply.body.data]).toEqual([
      409,
      { type: 'StillReferenced', referenced_by: 'categories' },
    ]);
    expect((await send('DELETE', '/categories/1')).body.data['referenced_by']).toBe('products');
    expect((await send('POST', '/categories', { name: 'Lost', parent_id: 99_999 })).status).toBe(400);
  });
});

describe('the homepage', () => {
  it('holds a product once in a section', async () => {
    expect((await send('POST', '/homepage/sections/1/items', { product_id: 2 })).status).toBe(201);
    const again = await send('POST', '/homepage/sections/1/items', { product_id: 2 });
    expect([again.status, again.body.message]).toEqual([409, 'This product is in the section already']);
    expect((await send('POST', '/homepage/sections/77/items', { product_id: 2 })).status).toBe(404);
    expect((await send('POST', '/homepage/sections/1/items', { product_id: 777 })).status).toBe(400);
  });

  it('refuses a schedule that ends before it starts', async () => {
    const body = { title: 'Eid', starts_at: '2030-01-02T00:00:00Z', ends_at: '2030-01-01T00:00:00Z' };
    expect((await send('POST', '/homepage/banners', body)).body.errors?.[0]?.field).toBe('ends_at');
    const banner = await send('POST', '/homepage/banners', { ...body, ends_at: '2030-01-03T00:00:00Z' });
    const late = { starts_at: '2030-01-04T00:00:00Z' };
    expect((await send('PUT', `/homepage/banners/${Number(banner.body.data['id'])}`, late)).status).toBe(400);
  });
});
