import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestCatalogue } from '../test-catalogue.ts';
import type { TestCatalogue, TestReply } from '../test-catalogue.ts';
import { anImage } from './test-images.ts';

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

function upload(content: Buffer, name = 'picture.png', field = 'file'): Promise<TestReply> {
  const head = `--edge\r\ncontent-disposition: form-data; name="${field}"; filename="${name}"\r\ncontent-type: image/png\r\n\r\n`;
  return shop.admin({
    method: 'POST',
    path: '/media',
    body: Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--edge--\r\n')]),
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
  });
}

const urlOf = ({ body }: TestReply): string => (body.data as unknown as { url: string }).url;
const file = (start: string, bytes = 64): Buffer => {
  const made = Buffer.alloc(bytes);
  made.write(start, 'latin1');
  return made;
};

describe('POST /admin/media', () => {
  it.each([
    ['image/png', 'png'],
    ['image/jpeg', 'jpg'],
    ['image/gif', 'gif'],
    ['image/webp', 'webp'],
    ['image/avif', 'avif'],
  ] as const)('knows %s by its content, whatever it is called', async (type, extension) => {
    const reply = await upload(anImage(extension), '../../etc/passwd.svg');
    expect([reply.status, reply.body.data]).toMatchObject([
      201,
      {
        content_type: type,
        size_bytes: 64,
        url: expect.stringMatching(`^/media/[0-9a-f]{40}[.]${extension}$`),
      },
    ]);
    expect(shop.audited.at(-1)).toMatchObject({ action: 'media:upload', after: { content_type: type } });
    const served = await beside.app.inject({ method: 'GET', url: urlOf(reply) });
    expect([served.statusCode, served.headers['content-type'], served.rawPayload]).toEqual([
      200,
      type,
      anImage(extension),
    ]);
  });

  it.each([
    ['a drawing with a script', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['a page', '<!doctype html><script>alert(1)</script>                               '],
    ['a sound', 'RIFF\0\0\0\0WAVEfmt '],
    ['a film', '\0\0\0\x20ftypisom'],
    ['white space before a picture', ' \x89PNG\r\n\x1a\n'],
    ['a script that begins like a picture', '\xff\xd8\xff<script>alert(1)</script>'],
    ['a picture without a dot', 'GIF89a\0\0\0\0'],
  ])('refuses %s', async (_what, start) => {
    const entries = shop.audited.length;
    const reply = await upload(file(start, 128));
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([400, 'file']);
    expect(shop.audited).toHaveLength(entries);
  });

  it('refuses nothing at all, the mere beginning of a picture, and a form that is cut', async () => {
    expect((await upload(Buffer.alloc(0))).status).toBe(400);
    expect((await upload(anImage('png').subarray(0, 8))).status).toBe(400);
    const cut = await shop.admin({
      method: 'POST',
      path: '/media',
      body: Buffer.from('--edge\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc'),
      headers: { 'content-type': 'multipart/form-data; boundary=edge' },
    });
    expect([cut.status, cut.body.success]).toEqual([400, false]);
    expect((await shop.admin({ method: 'POST', path: '/media', body: { file: 'x' } })).status).toBe(415);
  });

  it('takes 5 MiB and not a byte more', async () => {
    const most = 5 * 1024 * 1024;
    expect((await upload(anImage('png', { bytes: most }))).status).toBe(201);
    const reply = await upload(anImage('png', { bytes: most + 1 }));
    expect([reply.status, reply.body.errorCode]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('refuses a small file that unpacks to a huge picture', async () => {
    expect((await upload(anImage('png', { width: 8_000, height: 5_000 }))).status).toBe(201);
    const reply = await upload(anImage('png', { width: 60_000, height: 60_000 }));
    expect([reply.status, reply.body.message]).toEqual([
      400,
      'file must be a picture of at most 40 million dots',
    ]);
  });

  it('keeps the same picture once', async () => {
    const [first, second] = [await upload(anImage('gif')), await upload(anImage('gif'), 'other.gif')];
    expect(second.body.data).toEqual(first.body.data);
  });
});

describe('GET /media/:name', () => {
  it('may be kept for ever, is asked for again with its tag, and runs nothing', async () => {
    const url = urlOf(await upload(anImage('png', { bytes: 99 })));
    const read = await shop.app.inject({ method: 'GET', url });
    expect(read.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': '99',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    const again = { 'if-none-match': String(read.headers['etag']) };
    const second = await shop.app.inject({ method: 'GET', url, headers: again });
    expect([second.statusCode, second.body]).toEqual([304, '']);
    const head = await shop.app.inject({ method: 'HEAD', url });
    expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, '99', '']);
  });

  it.each([
    '/media/..%2f..%2fetc%2fpasswd',
    '/media/..%5cx.png',
    '/media/%00.png',
    `/media/${'a'.repeat(40)}.png`,
    `/media/${'a'.repeat(40)}.svg`,
    `/media/${'a'.repeat(40)}.png%00`,
    '/media/',
  ])('knows nothing at %s', async (url) => {
    const reply = await shop.app.inject({ method: 'GET', url });
    expect([reply.statusCode, reply.json<{ errorCode: string }>().errorCode]).toEqual([404, 'NOT_FOUND']);
  });
});
