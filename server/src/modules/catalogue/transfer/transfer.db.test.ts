import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestCatalogue } from '../test-catalogue.ts';
import type { TestCatalogue, TestReply } from '../test-catalogue.ts';

let shop: TestCatalogue;

beforeAll(async () => {
  shop = await createTestCatalogue();
  await shop.change(`INSERT INTO brands (name, slug) VALUES ('Play', 'play')`);
  await shop.change(`INSERT INTO categories (name, slug) VALUES ('Games', 'games')`);
  await shop.change(`INSERT INTO product_types (name, slug) VALUES ('Card', 'card')`);
  await shop.change(`INSERT INTO tags (name, slug) VALUES ('Hot', 'hot'), ('New', 'new')`);
});
afterAll(() => shop.close());

function upload(content: string | Buffer, query = ''): Promise<TestReply> {
  const body = Buffer.concat([
    Buffer.from('--edge\r\ncontent-disposition: form-data; name="file"; filename="c.csv"\r\n\r\n'),
    Buffer.from(content as string),
    Buffer.from('\r\n--edge--\r\n'),
  ]);
  const headers = { 'content-type': 'multipart/form-data; boundary=edge' };
  return shop.admin({ method: 'POST', path: `/products/import${query}`, body, headers });
}

const importRows = (rows: unknown): Promise<TestReply> =>
  shop.admin({ method: 'POST', path: '/products/import', body: { rows } });

const HEADER = 'product_slug,product_name,brand,category,product_type,status,sku,variant_name,price\r\n';
const line = (slug: string, name: string, sku: string, price = '10'): string =>
  `${slug},${name},play,games,card,active,${sku},One,${price}\r\n`;
const aRow = (more: Record<string, unknown>) => ({
  product_name: 'Named',
  brand: 'play',
  category: 'games',
  product_type: 'card',
  variant_name: 'One',
  price: 10,
  ...more,
});

const countProducts = async (): Promise<number | undefined> =>
  (await shop.db.query<{ n: number }>('SELECT count(*) AS n FROM products')).rows[0]?.n;
const version = async () => (await shop.db.query('SELECT version FROM catalogue_version')).rows;

describe('POST /admin/products/import', () => {
  const file = `\uFEFF${HEADER}${line('card', '"Card, ""big"""', 'C1', '10.50')}${line('card', '"Card, ""big"""', 'C2')}`;

  it('tells in a dry run what it would do, and does nothing', async () => {
    const before = await version();
    const reply = await upload(file, '?dry_run=true');
    expect([reply.status, reply.body.data]).toEqual([
      200,
      {
        dry_run: true,
        created: 2,
        updated: 0,
        unchanged: 0,
        failed: 0,
        ignored_columns: [],
        results: [
          { row: 1, product_slug: 'card', sku: 'C1', outcome: 'created' },
          { row: 2, product_slug: 'card', sku: 'C2', outcome: 'created' },
        ],
      },
    ]);
    expect([await countProducts(), await version()]).toEqual([0, before]);
  });

  it('takes a file as a spreadsheet writes it, and audits what it wrote', async () => {
    expect((await upload(file)).body.data).toMatchObject({ dry_run: false, created: 2, failed: 0 });
    const { data } = (await shop.get('/products/slug/card')).body;
    expect(data).toMatchObject({
      name: 'Card, "big"',
      variants: [
        { sku: 'C2', price: 10 },
        { sku: 'C1', price: 10.5 },
      ],
    });
    expect(shop.audited.slice(-3)).toMatchObject([
      { action: 'products:create' },
      { action: 'product_variants:create', after: { sku: 'C1' } },
      { action: 'product_variants:create', after: { sku: 'C2' } },
    ]);
  });

  it('writes only what differs', async () => {
    const entries = shop.audited.length;
    const reply = await upload(HEADER + line('card', '"Card, ""big"""', 'C1', '11'));
    expect(reply.body.data).toMatchObject({ updated: 1, results: [{ outcome: 'updated' }] });
    expect(shop.audited.slice(entries)).toMatchObject([
      { action: 'product_variants:update', before: { price: 10.5 }, after: { price: 11 } },
    ]);
  });

  it.each([
    ['price', { price: 1.005 }, 'price must have at most two decimals'],
    ['price', { price: -1 }, 'price must be >= 0'],
    ['price', { price: '1,000' }, 'price must be number'],
    ['name', { product_name: 'x'.repeat(201) }, 'product_name must NOT have more than 200 characters'],
    ['variant name', { variant_name: ' ' }, 'variant_name must match pattern "\\S"'],
    ['missing name', { product_name: undefined }, 'product_name is required'],
    ['brand', { brand: 'nobody' }, 'There is no brand nobody'],
    ['slug', { product_slug: '' }, 'product_slug says which product it is: it must be there'],
    ['status', { status: 'sold' }, 'status must be equal to one of the allowed values'],
    ['SKU of another product', { sku: 'C1' }, 'sku C1 belongs to another product'],
    ['zero byte', { product_name: 'a\u0000b' }, 'The request holds a text or number that cannot be stored'],
    [
      'second identifier',
      { fulfillment_fields: [{ name: 'email' }, { name: 'uid' }] },
      'fulfillment_config.fields.1.name is a second recipient identifier: only one recipient identifier is allowed',
    ],
  ])('fails a row with a wrong %s by itself, and says why', async (_what, wrong, message) => {
    const before = await countProducts();
    const reply = await importRows([
      aRow({ product_slug: 'wrong', sku: 'W1', ...wrong }),
      aRow({ product_slug: 'card', product_name: 'Card, "big"', sku: 'C2' }),
    ]);
    expect([reply.status, reply.body.data['results']]).toMatchObject([
      200,
      [{ outcome: 'failed', message }, { outcome: 'unchanged' }],
    ]);
    expect(await countProducts()).toBe(before);
  });

  it('fails the row that repeats a SKU or contradicts a row before it', async () => {
    const reply = await upload(
      HEADER +
        line('card', 'Bigger', 'C1', '12') +
        line('card', 'Bigger', 'C1', '13') +
        line('card', 'Big', 'C2'),
    );
    expect(reply.body.data).toMatchObject({
      updated: 1,
      results: [
        { outcome: 'updated' },
        { outcome: 'failed', message: 'sku C1 is in row 1 already' },
        { outcome: 'failed', message: 'product_name differs from row 1: rows of one product must agree' },
      ],
    });
    expect((await shop.get('/products/slug/card')).body.data).toMatchObject({
      name: 'Bigger',
      variants: [{ sku: 'C2' }, { sku: 'C1', price: 12 }],
    });
  });

  it('commits product by product: nobody waits for the end of a long file', async () => {
    const rows = ['t1', 't2', 't1', 't3'].map((slug, at) => aRow({ product_slug: slug, sku: `T${at}` }));
    expect((await importRows(rows)).body.data).toMatchObject({
      created: 4,
      results: [{ row: 1 }, { row: 2 }, { row: 3 }, { row: 4 }],
    });
    const { rows: written } = await shop.db.query<{ n: number }>(
      `SELECT count(DISTINCT xmin::text) AS n FROM products WHERE slug LIKE 't_'`,
    );
    expect(written[0]?.n).toBe(3);
  });

  it('names the columns it does not know', async () => {
    const reply = await upload(`product_slug,Prise,,prise 2\r\nt1,5,,6\r\n`);
    expect(reply.body.data).toMatchObject({ unchanged: 1, ignored_columns: ['prise', 'prise 2'] });
    expect((await importRows([{ product_slug: 't1', prise: 5 }])).body.data).toMatchObject({
      ignored_columns: ['prise'],
    });
  });

  it.each([
    ['nothing', '', 'The first line must name the columns; product_slug is missing'],
    ['no rows', HEADER, 'There are no rows'],
    ['no product_slug', 'sku\r\nC1\r\n', 'The first line must name the columns; product_slug is missing'],
    ['a column twice', 'product_slug,sku,sku\r\na,b,c\r\n', 'The first line names the column sku twice'],
    ['an open quote', `${HEADER}"card`, 'The file cannot be read at line 2'],
    ['half a JSON', '{"rows": [', 'The file begins like JSON and cannot be read as such'],
    ['JSON without rows', '{"a": 1}', 'JSON must be {"rows": [{…}]} or [{…}]'],
    ['Latin-1', Buffer.from(`${HEADER}card,Café\r\n`, 'latin1'), 'The file must be UTF-8'],
    ['UTF-16', Buffer.from(`\uFEFF${HEADER}card,Card\r\n`, 'utf16le'), 'The file must be UTF-8'],
    ['10,001 rows', `product_slug\n${'card\n'.repeat(10_001)}`, 'At most 10000 rows at once'],
  ])('refuses a file with %s', async (_what, content, message) => {
    const reply = await upload(content);
    expect([reply.status, reply.body.errorCode, reply.body.errors?.[0]?.field]).toEqual([
      400,
      'VALIDATION_ERROR',
      'file',
    ]);
    expect(reply.body.message).toContain(message);
  });

  it('refuses more than 10 MiB, and a form without a file', async () => {
    expect((await upload(Buffer.alloc(10 * 1024 * 1024 + 1, 'a'))).status).toBe(413);
    const empty = await shop.admin({
      method: 'POST',
      path: '/products/import',
      body: Buffer.from('--edge--\r\n'),
      headers: { 'content-type': 'multipart/form-data; boundary=edge' },
    });
    expect([empty.status, empty.body.success]).toEqual([400, false]);
  });
});

describe('GET /admin/products/export', () => {
  it('comes back through import without leaving a trace, as CSV and as JSON', async () => {
    const fulfillment_fields = [
      {
        name: 'player_id',
        label: 'Player, "ID"',
        label_bn: 'আইডি',
        type: 'text',
        required: true,
        pattern: '[0-9]{3,9}',
      },
      { name: 'zone', label: 'Zone', type: 'text', required: false, options: [{ value: 'bd', label: 'BD' }] },
    ];
    const odd = ['=1+1', "'=1+1", "''-x", '-5', '@x', 'Line\none', '"quoted", twice', 'ডায়মন্ড', ';', '|'];
    const made = await importRows(
      odd.map((name, at) =>
        aRow({
          product_slug: `odd-${at}`,
          product_name: name,
          product_name_bn: 'নাম',
          description: name,
          tags: ['new', 'hot'],
          fulfillment_fields,
          sku: name,
          compare_at_price: 12.05,
          is_active: at % 2 === 0,
        }),
      ),
    );
    // A SKU has no line break.
    expect(made.body.data).toMatchObject({ created: odd.length - 1, failed: 1 });
    await importRows([aRow({ product_slug: 'bare' })]);
    const [entries, before] = [shop.audited.length, await version()];

    const csv = await shop.admin({ method: 'GET', path: '/products/export' });
    expect(csv.text).not.toMatch(/(^|,|\n)"?[=@]/);
    expect((await upload(csv.text)).body.data).toMatchObject({ created: 0, updated: 0, failed: 0 });
    const json = await shop.admin({ method: 'GET', path: '/products/export?format=json' });
    expect((await importRows(json.body.data['rows'])).body.data).toMatchObject({
      created: 0,
      updated: 0,
      failed: 0,
      ignored_columns: [],
    });
    expect([shop.audited.length, await version()]).toEqual([entries, before]);
  });
});
