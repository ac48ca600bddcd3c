import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import type { FastifyInstance } from 'fastify';

import { AppError } from '../../errors.ts';
import { createLog } from '../../log.ts';
import { endpoint } from '../endpoint.ts';
import type { Access, Endpoint, RequestLimit } from '../endpoint.ts';
import { mountEndpoints } from '../mount.ts';
import { createHttpServer } from '../server.ts';
import { createMemoryStore } from './throttle-store.ts';
import { createRequestLimiter, throttleRequests } from './throttle.ts';

const log = createLog({ level: 'silent' });
const open: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

const anEndpoint = (path: string, access: Access, limits: RequestLimit[] = []): Endpoint =>
  endpoint({
    method: 'GET',
    path,
    access,
    limits,
    tag: 'T',
    summary: 'S',
    data: Type.Null(),
    handle: async () => null,
  });

async function aServer(scale = 1) {
  let now = Date.parse('2026-11-21T10:00:00Z');
  const clock = { now: () => new Date(now) };
  const store = createMemoryStore(clock);
  const app = createHttpServer({ log, trustProxy: ['127.0.0.1/32'] });
  throttleRequests(app, {
    limiter: createRequestLimiter({ store, scale }),
    perAddress: { name: 'address', requests: 3, windowSeconds: 60 },
    perCaller: { name: 'caller', requests: 5, windowSeconds: 60 },
    exempt: ['/healthz'],
  });
  app.get('/healthz', async () => 'alive');
  const authenticator = {
    async client(token: string) {
      const userId = Number(/^user-(\d)/.exec(token)?.[1]);
      if (!userId) throw new AppError('UNAUTHORIZED', 'no');
      return { kind: 'client', userId, sessionId: token } as const;
    },
    admin: () => Promise.reject(new AppError('UNAUTHORIZED', 'no')),
  };
  const slow: RequestLimit = { name: 'slow', per: 'caller', requests: 2, windowSeconds: 600 };
  const endpoints = [
    anEndpoint('/open', 'anonymous'),
    anEndpoint('/mine', 'client'),
    anEndpoint('/slow', 'client', [slow]),
    anEndpoint('/callback', 'callback'),
  ];
  const idempotency = {
    claim: async () => ({ claimed: true }) as const,
    complete: async () => undefined,
    forget: async () => undefined,
  };
  app.register(async (scope) => mountEndpoints(scope, endpoints, { authenticator, idempotency }), {
    prefix: '/api',
  });
  await app.ready();
  open.push(app);
  return {
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
    get: (url: string, options: { ip?: string; token?: string } = {}) =>
      app.inject({
        url,
        headers: {
          'x-forwarded-for': options.ip ?? '203.0.113.1',
          ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
        },
      }),
  };
}

type Server = Awaited<ReturnType<typeof aServer>>;
async function statuses(
  server: Server,
  times: number,
  ...call: Parameters<Server['get']>
): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < times; n += 1) found.push((await server.get(...call)).statusCode);
  return found;
}

describe('the general limit', () => {
  it('refuses what is over it with 429 in the envelope and says when to come back', async () => {
    const server = await aServer();
    expect(await statuses(server, 3, '/api/open')).toEqual([200, 200, 200]);
    server.pass(18);
    const refused = await server.get('/api/open');
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ success: false, data: null, errorCode: 'TOO_MANY_REQUESTS' });
    expect(refused.headers).toMatchObject({
      'retry-after': '42',
      'ratelimit-policy': '"address";q=3;w=60',
      ratelimit: '"address";r=0;t=42',
      'cache-control': 'no-store',
    });
    server.pass(42);
    expect((await server.get('/api/open')).statusCode).toBe(200);
  });

  it('counts an address for itself, an IPv6 one with its /64', async () => {
    const server = await aServer();
    expect(await statuses(server, 4, '/api/open', { ip: '2001:db8::1' })).toEqual([200, 200, 200, 429]);
    expect((await server.get('/api/open', { ip: '2001:db8::ffff:2' })).statusCode).toBe(429);
    expect((await server.get('/api/open', { ip: '2001:db8:0:1::1' })).statusCode).toBe(200);
    expect((await server.get('/api/open', { ip: '203.0.113.9' })).statusCode).toBe(200);
    expect(await statuses(server, 3, '/api/open', { ip: '::ffff:203.0.113.9' })).toEqual([200, 200, 429]);
  });

  it('believes no address that a stranger wrote', async () => {
    const server = await aServer();
    const found: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      found.push((await server.get('/api/open', { ip: `10.9.9.${n}, 203.0.113.1` })).statusCode);
    }
    expect(found).toEqual([200, 200, 200, 429]);
  });

  it('counts a caller by the token, from whatever address, and not for the address', async () => {
    const server = await aServer();
    const found: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      found.push((await server.get('/api/mine', { token: 'user-1', ip: `203.0.113.${n}` })).statusCode);
    }
    expect(found).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await server.get('/api/mine', { token: 'user-2' })).statusCode).toBe(200);
    expect(await statuses(server, 3, '/api/open')).toEqual([200, 200, 200]);
  });

  it('gives nobody a fresh count for a made-up token', async () => {
    const server = await aServer();
    const found: number[] = [];
    for (let n = 0; n < 4; n += 1)
      found.push((await server.get('/api/open', { token: `made-up-${n}` })).statusCode);
    expect(found).toEqual([200, 200, 200, 429]);
  });

  it('stops an address that keeps sending tokens which are refused, and only there', async () => {
    const server = await aServer();
    expect(await statuses(server, 4, '/api/mine', { token: 'bad' })).toEqual([401, 401, 401, 429]);
    expect((await server.get('/api/mine', { token: 'user-1', ip: '203.0.113.2' })).statusCode).toBe(200);
    expect((await server.get('/api/open')).statusCode).toBe(200);
  });

  it('counts addresses that do not exist too', async () => {
    const server = await aServer();
    expect(await statuses(server, 4, '/nowhere')).toEqual([404, 404, 404, 429]);
  });

  it('never touches callbacks and health', async () => {
    const server = await aServer();
    expect(new Set(await statuses(server, 20, '/api/callback'))).toEqual(new Set([200]));
    expect(new Set(await statuses(server, 20, '/healthz'))).toEqual(new Set([200]));
    expect((await server.get('/api/callback')).headers).not.toHaveProperty('ratelimit');
  });

  it('grows with the scale', async () => {
    const server = await aServer(2);
    expect(await statuses(server, 7, '/api/open')).toEqual([200, 200, 200, 200, 200, 200, 429]);
  });
});

describe('a limit of one operation', () => {
  it('counts besides the general one, for the caller', async () => {
    const server = await aServer();
    expect(await statuses(server, 3, '/api/slow', { token: 'user-1' })).toEqual([200, 200, 429]);
    // Another session of the same customer shares it; another customer does not.
    expect((await server.get('/api/slow', { token: 'user-1-again' })).statusCode).toBe(429);
    const other = await server.get('/api/slow', { token: 'user-2' });
    expect(other.statusCode).toBe(200);
    expect(other.headers).toMatchObject({
      'ratelimit-policy': '"caller";q=5;w=60, "slow";q=2;w=600',
      ratelimit: '"caller";r=4;t=60, "slow";r=1;t=600',
    });
  });
});

describe('the counts of one process', () => {
  it('stay within bounds when a million addresses come by', async () => {
    const store = createMemoryStore({ now: () => new Date(0) });
    for (let n = 0; n < 250_000; n += 1) await store.take(`address ${n}`, 60);
    expect((await store.peek('address 0')).count).toBe(0);
    expect((await store.peek('address 249999')).count).toBe(1);
  });
});
