import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestCatalogue } from '../test-catalogue.ts';
import type { TestCatalogue, TestReply } from '../test-catalogue.ts';
import { settingKeys } from './setting-definitions.ts';

let shop: TestCatalogue;
/** A second process on the same database. */
let beside: TestCatalogue;

beforeAll(async () => {
  shop = await createTestCatalogue();
  beside = await createTestCatalogue({ beside: shop });
});
afterAll(async () => {
  await beside.close();
  await shop.close();
});

const put = (key: string, value: unknown, headers: Record<string, string> = {}): Promise<TestReply> =>
  shop.admin({ method: 'PUT', path: `/settings/${key}`, body: { value }, headers });
const read = async (): Promise<Record<string, { value: unknown; version: number }>> => {
  const { data } = (await shop.admin({ method: 'GET', path: '/settings' })).body;
  const items = data['items'] as unknown as { key: string; value: unknown; version: number }[];
  return Object.fromEntries(items.map((item) => [item.key, item]));
};

describe('GET /admin/settings', () => {
  it('lists every setting with its type, its default and its value', async () => {
    const all = await read();
    expect(Object.keys(all)).toEqual(settingKeys);
    expect(all['low_stock_units']).toEqual({
      key: 'low_stock_units',
      value: 5,
      default: 5,
      schema: { type: 'integer', minimum: 0, maximum: 1000 },
      description: expect.any(String),
      is_public: false,
      version: 0,
      updated_by: null,
      updated_at: null,
    });
  });
});

describe('PUT /admin/settings/:key', () => {
  it('changes one, audits it, and the shop shows it', async () => {
    const reply = await put('shop_name', 'কার্ড ঘর');
    expect([reply.status, reply.headers['etag'], reply.body.data]).toMatchObject([
      200,
      '"1"',
      { value: 'কার্ড ঘর', default: 'Voucher shop', version: 1, updated_by: shop.adminId },
    ]);
    expect(shop.audited.at(-1)).toMatchObject({
      action: 'settings:update',
      resource: 'setting:shop_name',
      before: { value: 'Voucher shop' },
      after: { value: 'কার্ড ঘর' },
    });
    expect((await shop.get('/settings/public')).body.data['shop_name']).toBe('কার্ড ঘর');
    expect((await beside.get('/settings/public')).body.data['shop_name']).toBe('কার্ড ঘর');
  });

  it.each([
    ['shop_name', 5],
    ['shop_name', '  '],
    ['shop_name', null],
    ['shop_name', 'x'.repeat(201)],
    ['shop_name', ['x']],
    ['support_email', 'nobody'],
    ['support_phone', 'call us'],
    ['show_registration', 'true'],
    ['show_registration', 1],
    ['low_stock_units', 1.5],
    ['low_stock_units', '5'],
    ['low_stock_units', -1],
    ['low_stock_units', 1001],
  ])('refuses for %s the value %j', async (key, value) => {
    const before = await read();
    const reply = await put(key, value);
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([400, 'value']);
    expect(await read()).toEqual(before);
  });

  it.each(['nothing', '__proto__', 'constructor', 'x'.repeat(100)])('knows no setting %s', async (key) => {
    const reply = await put(key, 1);
    expect([reply.status, reply.body.errorCode]).toEqual([404, 'NOT_FOUND']);
  });

  it('refuses a body without a value, and a text that cannot be stored', async () => {
    const reply = await shop.admin({ method: 'PUT', path: '/settings/notice', body: {} });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([400, 'value']);
    expect((await put('notice', 'a\u0000b')).status).toBe(400);
  });

  it('takes If-Match at the default too, and lets one of many at once through', async () => {
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, at) => put('notice', `n${at}`, { 'if-match': '"0"' })),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 409, 409, 409, 409, 409,
    ]);
    const late = await put('notice', null, { 'if-match': '"0"' });
    expect([late.status, late.body.data]).toEqual([409, { type: 'StaleResource' }]);
    expect((await put('notice', null, { 'if-match': '"1"' })).headers['etag']).toBe('"2"');
  });

  it('counts every change, however many come at once', async () => {
    const before = (await read())['support_hours']?.version ?? 0;
    await Promise.all(Array.from({ length: 8 }, (_, at) => put('support_hours', `${at}`)));
    expect((await read())['support_hours']?.version).toBe(before + 8);
  });
});
