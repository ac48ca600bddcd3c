import { afterEach, describe, expect, it } from 'vitest';
import type { FastifyInstance } from 'fastify';

import { createLog } from '../log.ts';
import { isDeeperThan, limitBodyDepth } from './body-depth.ts';
import { secureAnswers } from './security-headers.ts';
import { createHttpServer } from './server.ts';

let app: FastifyInstance;
afterEach(() => app.close());

async function aServer(corsOrigins: string[] = [], isHttps = false): Promise<FastifyInstance> {
  app = createHttpServer({ log: createLog({ level: 'silent' }), trustProxy: [] });
  secureAnswers(app, { corsOrigins, isHttps, formTargets: ['http://127.0.0.1:3001'] });
  limitBodyDepth(app);
  app.get('/page', async (_request, reply) => reply.type('text/html').send('<p>hello</p>'));
  app.post('/body', async (request) => ({ got: typeof request.body }));
  await app.ready();
  return app;
}

describe('every answer', () => {
  it.each(['/page', '/nowhere'])('at %s keeps browsers from running, framing and guessing', async (url) => {
    const { headers } = await (await aServer()).inject({ url });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("script-src 'self';"),
    });
    expect(headers['content-security-policy']).toContain("form-action 'self' https: http://127.0.0.1:3001");
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  it('behind TLS tells browsers to stay there', async () => {
    const { headers } = await (await aServer([], true)).inject({ url: '/page' });
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });
});

describe('other origins', () => {
  const preflight = (origin: string) =>
    app.inject({
      method: 'OPTIONS',
      url: '/body',
      headers: { origin, 'access-control-request-method': 'POST' },
    });

  it('may call when they are on the list', async () => {
    await aServer(['https://shop.example']);
    const allowed = await preflight('https://shop.example');
    expect(allowed.headers['access-control-allow-origin']).toBe('https://shop.example');
    expect(allowed.headers).not.toHaveProperty('access-control-allow-credentials');
    const answer = await app.inject({ url: '/page', headers: { origin: 'https://shop.example' } });
    expect(answer.headers['access-control-expose-headers']).toContain('retry-after');
  });

  it.each(['https://evil.example', 'https://shop.example.evil.example', 'null'])(
    'may not: %s',
    async (origin) => {
      await aServer(['https://shop.example']);
      expect((await preflight(origin)).headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  it('may not at all when there is no list', async () => {
    await aServer();
    const answer = await app.inject({ url: '/page', headers: { origin: 'https://shop.example' } });
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('nested bodies', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const post = (payload: string) =>
    app.inject({ method: 'POST', url: '/body', payload, headers: { 'content-type': 'application/json' } });

  it('pass at 20 levels and are refused with 400 at 21 and at 100,000', async () => {
    await aServer();
    expect((await post(nested(20))).statusCode).toBe(200);
    const refused = await post(nested(21));
    expect([refused.statusCode, refused.json().errorCode]).toEqual([400, 'BAD_REQUEST']);
    expect((await post(nested(100_000))).statusCode).toBe(400);
  });

  it('count objects and lists alike', () => {
    expect(isDeeperThan({ a: [{ b: 1 }] }, 3)).toBe(false);
    expect(isDeeperThan({ a: [{ b: {} }] }, 3)).toBe(true);
    expect(isDeeperThan([[], [[]], 'text'], 3)).toBe(false);
    expect(isDeeperThan(null, 0)).toBe(false);
  });
});
