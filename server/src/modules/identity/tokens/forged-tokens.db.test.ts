import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { aTokenKeySet, startIdentity } from '../../../../test/support/test-identity.ts';
import type { TestIdentity } from '../../../../test/support/test-identity.ts';
import type { TokenKeys } from './token-keys.ts';
import { generateTokenKey } from './token-keys.ts';
import { forgeTokens, sign } from './test-forged-tokens.ts';
import type { Genuine } from './test-forged-tokens.ts';

let db: TestDatabase;
let service: TestIdentity;
let tokenKeys: TokenKeys;
const genuine = { client: '', admin: '', refreshToken: '' };

const customer = {
  msisdn: '+8801700000001',
  name: 'Demo',
  email: 'demo@example.com',
  password: 'demo password',
};
const admin = { email: 'admin@example.com', password: 'admin password' };

beforeAll(async () => {
  db = await createTestDatabase();
  tokenKeys = await aTokenKeySet();
  service = await startIdentity(db, { tokenKeys });
  await service.identity.ensureDemoCustomer(customer);
  await service.identity.ensureFirstAdmin(admin);
  const { msisdn, password } = customer;
  const signIn = await service.call({ method: 'POST', path: '/auth/sign-in', body: { msisdn, password } });
  const login = await service.call({ method: 'POST', path: '/admin/auth/login', body: admin });
  const client: { accessToken: string; refreshToken: string } = signIn.body.data;
  const operator: { accessToken: string } = login.body.data;
  Object.assign(genuine, {
    client: client.accessToken,
    admin: operator.accessToken,
    refreshToken: client.refreshToken,
  });
});
afterAll(async () => {
  await service.app.close();
  await db.drop();
});

const guards = { client: '/user/profile', admin: '/admin/me' } as const;
type Guard = keyof typeof guards;
const knock = (guard: Guard, token: string) => service.call({ method: 'GET', path: guards[guard], token });

function genuineFor(guard: Guard): Genuine {
  const other = guard === 'client' ? 'admin' : 'client';
  const [key, otherKey] = [tokenKeys[guard][0], tokenKeys[other][0]];
  if (!key || !otherKey) throw new Error('no keys');
  const { refreshToken } = genuine;
  return { audience: guard, key, otherKey, token: genuine[guard], otherToken: genuine[other], refreshToken };
}

describe.each<Guard>(['client', 'admin'])('the %s guard', (guard) => {
  it('takes the genuine token, which every forgery below is made from', async () => {
    expect((await knock(guard, genuine[guard])).status).toBe(200);
    expect((await knock(guard, await sign(genuineFor(guard)))).status).toBe(200);
  });

  it('refuses more than 60 forged tokens with the same 401', async () => {
    const forged = await forgeTokens(genuineFor(guard));
    expect(forged.length).toBeGreaterThanOrEqual(60);
    const taken: string[] = [];
    for (const { why, token } of forged) {
      const { status, body } = await knock(guard, token);
      if (status !== 401 || body.errorCode !== 'UNAUTHORIZED') taken.push(`${why}: ${status}`);
    }
    expect(taken).toEqual([]);
  });

  it('refuses 1,000 tokens in which one bit is flipped', async () => {
    const token = genuine[guard];
    let taken = 0;
    for (let n = 0; n < 1000; n += 1) {
      const at = Math.floor((n * token.length) / 1000);
      const flipped = String.fromCharCode(token.charCodeAt(at) ^ (1 << (n % 5)));
      const forged = token.slice(0, at) + flipped + token.slice(at + 1);
      // The last character of the signature carries bits that mean nothing; decoders ignore them.
      if (at === token.length - 1 || flipped === token[at]) continue;
      const caller = await service.identity.authenticator[guard](forged).catch(() => undefined);
      if (caller) taken += 1;
    }
    expect(taken).toBe(0);
  });
});

describe('token keys', () => {
  it('rotate: a new key signs, the old one still verifies, a removed one does not', async () => {
    const fresh = { client: [await generateTokenKey()], admin: [await generateTokenKey()] };
    const rotated = {
      client: [...fresh.client, ...tokenKeys.client],
      admin: [...fresh.admin, ...tokenKeys.admin],
    };
    const both = await startIdentity(db, { tokenKeys: rotated, clock: service.clock });
    const only = await startIdentity(db, { tokenKeys: fresh, clock: service.clock });
    const profile = (at: TestIdentity, token: string) =>
      at.call({ method: 'GET', path: '/user/profile', token }).then((answer) => answer.status);
    expect(await profile(both, genuine.client)).toBe(200);
    expect(await profile(only, genuine.client)).toBe(401);
    const { msisdn, password } = customer;
    const signIn = await both.call({ method: 'POST', path: '/auth/sign-in', body: { msisdn, password } });
    const { accessToken }: { accessToken: string } = signIn.body.data;
    expect(await profile(only, accessToken)).toBe(200);
    expect(await profile(service, accessToken)).toBe(401);
    await both.app.close();
    await only.app.close();
  });

  it('expire after 15 minutes and not before, seen tokens too', async () => {
    service.clock.advance(899);
    expect((await knock('client', genuine.client)).status).toBe(200);
    service.clock.advance(6);
    expect((await knock('client', genuine.client)).status).toBe(401);
  });
});
