import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { startIdentity } from '../../../../test/support/test-identity.ts';
import type { TestIdentity } from '../../../../test/support/test-identity.ts';

let db: TestDatabase;
let service: TestIdentity;
let elsewhere: TestIdentity;

const customer = {
  msisdn: '+8801700000001',
  name: 'Demo',
  email: 'demo@example.com',
  password: 'demo password',
};

interface Pair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

beforeAll(async () => {
  db = await createTestDatabase();
  service = await startIdentity(db);
  const { clock, tokenKeys } = service;
  elsewhere = await startIdentity(db, { clock, tokenKeys });
  await service.identity.ensureDemoCustomer(customer);
});
afterAll(async () => {
  await service.app.close();
  await elsewhere.app.close();
  await db.drop();
});

async function signedIn(): Promise<Pair> {
  const { msisdn, password } = customer;
  const answer = await service.call({ method: 'POST', path: '/auth/sign-in', body: { msisdn, password } });
  return answer.body.data;
}

async function refresh(refreshToken: string): Promise<Pair | undefined> {
  const answer = await service.call({ method: 'POST', path: '/auth/refresh-token', body: { refreshToken } });
  return answer.status === 200 ? answer.body.data : undefined;
}

const profile = (token: string, at = service) => at.call({ method: 'GET', path: '/user/profile', token });

/** A session that was not signed in to: two hashes for each of 1,280 sessions would take a minute. */
async function copySession(from: string): Promise<string> {
  const token = crypto.randomUUID();
  await db.query(
    `WITH copy AS (
       INSERT INTO sessions (id, user_id, expires_at, secret)
       SELECT gen_random_uuid(), s.user_id, s.expires_at, s.secret
       FROM sessions s JOIN refresh_tokens t ON t.session_id = s.id WHERE t.digest = sha256($1::text::bytea)
       RETURNING id)
     INSERT INTO refresh_tokens (digest, session_id) SELECT sha256($2::text::bytea), id FROM copy`,
    [from, token],
  );
  return token;
}

/** All orders in which two holders can do three things each. */
function interleavings(a = 3, b = 3): ('a' | 'b')[][] {
  if (a === 0 && b === 0) return [[]];
  const withA = a > 0 ? interleavings(a - 1, b).map((rest) => ['a' as const, ...rest]) : [];
  const withB = b > 0 ? interleavings(a, b - 1).map((rest) => ['b' as const, ...rest]) : [];
  return [...withA, ...withB];
}

/** What should happen: tokens are generations, 1 the first. */
class Model {
  #confirmed = 1;
  #over = false;

  refresh(generation: number): number | undefined {
    if (generation < this.#confirmed) this.#over = true;
    if (this.#over) return undefined;
    this.#confirmed = generation;
    return generation + 1;
  }
}

async function play(order: readonly ('a' | 'b')[], lost: number): Promise<string | undefined> {
  const start = await copySession(first.refreshToken);
  const model = new Model();
  const tokens = new Map([[1, start]]);
  const holds = { a: 1, b: 1 };
  for (const [step, holder] of order.entries()) {
    const expected = model.refresh(holds[holder]);
    const pair = await refresh(tokens.get(holds[holder]) ?? '');
    const told = `order ${order.join('')}, lost ${lost.toString(2)}, step ${step}`;
    if ((pair !== undefined) !== (expected !== undefined)) return `${told}: ${String(pair !== undefined)}`;
    if (!pair || expected === undefined) continue;
    if ((tokens.get(expected) ?? pair.refreshToken) !== pair.refreshToken)
      return `${told}: another successor`;
    tokens.set(expected, pair.refreshToken);
    // A lost answer: the holder never learns of its new token.
    if ((lost & (1 << step)) === 0) holds[holder] = expected;
  }
  return undefined;
}

let first: Pair;

describe('refresh tokens', () => {
  it('keep the promise in all interleavings of two holders over three refreshes, any answer lost', async () => {
    first = await signedIn();
    const games = interleavings().flatMap((order) =>
      Array.from({ length: 64 }, (_, lost) => ({ order, lost })),
    );
    expect(games).toHaveLength(20 * 64);
    const broken: string[] = [];
    const player = async (): Promise<void> => {
      for (let game = games.pop(); game; game = games.pop()) {
        const problem = await play(game.order, game.lost);
        if (problem) broken.push(problem);
      }
    };
    await Promise.all(Array.from({ length: 8 }, player));
    expect(broken).toEqual([]);
  }, 60_000);

  it('answer the same successor to 20 holders at once', async () => {
    const { refreshToken } = await signedIn();
    const pairs = await Promise.all(Array.from({ length: 20 }, () => refresh(refreshToken)));
    expect(new Set(pairs.map((pair) => pair?.refreshToken)).size).toBe(1);
    expect(pairs[0]?.refreshToken).not.toBe(refreshToken);
    expect((await profile(pairs[19]?.accessToken ?? '')).status).toBe(200);
  });

  it('end the whole session, access tokens included, on every process when an old one is shown', async () => {
    const thief = await signedIn();
    const second = await refresh(thief.refreshToken);
    const third = await refresh(second?.refreshToken ?? '');
    expect((await profile(third?.accessToken ?? '', elsewhere)).status).toBe(200);
    expect(await refresh(thief.refreshToken)).toBeUndefined();
    expect(await refresh(third?.refreshToken ?? '')).toBeUndefined();
    expect((await profile(third?.accessToken ?? '')).status).toBe(401);
    service.clock.advance(5);
    expect((await profile(third?.accessToken ?? '', elsewhere)).status).toBe(401);
  });

  it('work for 30 days', async () => {
    const { refreshToken } = await signedIn();
    service.clock.advance(30 * 86_400 - 1);
    expect(await refresh(refreshToken)).toBeDefined();
    service.clock.advance(1);
    expect(await refresh(refreshToken)).toBeUndefined();
  });

  it('are worth nothing to the other audience, or when unknown', async () => {
    const { refreshToken } = await signedIn();
    const body = { refreshToken };
    expect((await service.call({ method: 'POST', path: '/admin/auth/refresh-token', body })).status).toBe(
      401,
    );
    expect(await refresh('unknown')).toBeUndefined();
    expect(await refresh(refreshToken)).toBeDefined();
  });
});

describe('signing out', () => {
  it('ends the session of the refresh token, and is calm about one that is over', async () => {
    const { refreshToken, accessToken } = await signedIn();
    const out = () => service.call({ method: 'POST', path: '/auth/sign-out', body: { refreshToken } });
    expect((await out()).status).toBe(200);
    expect((await out()).status).toBe(200);
    expect((await profile(accessToken)).status).toBe(401);
    expect(await refresh(refreshToken)).toBeUndefined();
  });

  it('takes the access token alone, without a body', async () => {
    const { accessToken: token } = await signedIn();
    expect((await service.call({ method: 'POST', path: '/auth/sign-out', token })).status).toBe(200);
    expect((await profile(token)).status).toBe(401);
    expect((await service.call({ method: 'POST', path: '/auth/sign-out' })).status).toBe(401);
  });

  it('ends all sessions or one of them, and nobody else’s', async () => {
    const mine = await signedIn();
    const other = await signedIn();
    const list = async (token: string): Promise<{ id: string; current: boolean; device: string }[]> => {
      const answer = await service.call({ method: 'GET', path: '/auth/sessions?limit=100', token });
      const { items }: { items: { id: string; current: boolean; device: string }[] } = answer.body.data;
      return items;
    };
    const current = (await list(other.accessToken)).find((session) => session.current);
    expect(current).toMatchObject({ device: 'test-browser' });
    const end = (id: string) =>
      service.call({ method: 'DELETE', path: `/auth/sessions/${id}`, token: mine.accessToken });
    expect((await end(current?.id ?? '')).status).toBe(200);
    expect((await end(current?.id ?? '')).status).toBe(404);
    expect((await end('0b5be6c1-2d2c-4e77-b3a5-9c1d4a7f7b11')).status).toBe(404);
    expect((await profile(other.accessToken)).status).toBe(401);
    const all = await service.call({ method: 'POST', path: '/auth/sign-out-all', token: mine.accessToken });
    expect(all.status).toBe(200);
    expect((await profile(mine.accessToken)).status).toBe(401);
  });
});
