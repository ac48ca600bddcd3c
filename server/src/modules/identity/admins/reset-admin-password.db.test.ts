import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { startIdentity } from '../../../../test/support/test-identity.ts';
import type { TestIdentity } from '../../../../test/support/test-identity.ts';

let db: TestDatabase;
let service: TestIdentity;
const root = { email: 'root@example.com', password: 'root password' };

beforeAll(async () => {
  db = await createTestDatabase();
  service = await startIdentity(db);
  await service.identity.ensureFirstAdmin(root);
});
afterAll(async () => {
  await service.app.close();
  await db.drop();
});

const post = (path: string, body: unknown, token?: string) =>
  service.call({ method: 'POST', path: `/admin${path}`, body, ...(token ? { token } : {}) });

async function linkFor(email: string): Promise<string> {
  const before = service.letters.length;
  await post('/auth/forgot-password', { email });
  await vi.waitFor(() => expect(service.letters.length).toBe(before + 1));
  return /token=([\w-]+)/.exec(service.letters.at(-1)?.text ?? '')?.[1] ?? '';
}

describe('an admin who forgot the password', () => {
  it('sets another by the link in a letter, once, and every session ends', async () => {
    const login = await post('/auth/login', root);
    const { accessToken, refreshToken }: { accessToken: string; refreshToken: string } = login.body.data;
    const token = await linkFor('Root@Example.com');
    const reset = { token, new_password: 'another password' };
    expect((await post('/auth/reset-password', reset)).status).toBe(200);
    expect((await post('/auth/reset-password', reset)).status).toBe(400);
    expect((await post('/auth/login', root)).status).toBe(401);
    expect((await post('/auth/login', { ...root, password: 'another password' })).status).toBe(200);
    expect((await post('/auth/refresh-token', { refreshToken })).status).toBe(401);
    service.clock.advance(2);
    expect((await service.call({ method: 'GET', path: '/admin/me', token: accessToken })).status).toBe(401);
  });

  it('has 30 minutes, and at most five letters an hour', async () => {
    service.clock.advance(3600);
    const token = await linkFor(root.email);
    service.clock.advance(30 * 60);
    expect((await post('/auth/reset-password', { token, new_password: 'late password' })).status).toBe(400);
    for (let n = 0; n < 4; n += 1) await linkFor(root.email);
    const letters = service.letters.length;
    expect((await post('/auth/forgot-password', { email: root.email })).status).toBe(200);
    expect(service.letters.length).toBe(letters);
  });

  it('gets the same answer as somebody who is no admin', async () => {
    const [known, unknown] = [
      await post('/auth/forgot-password', { email: root.email }),
      await post('/auth/forgot-password', { email: 'nobody@example.com' }),
    ];
    expect(unknown.body).toEqual(known.body);
    expect(unknown.status).toBe(known.status);
  });
});

describe('the sessions of an admin', () => {
  it('are refreshed, listed, ended one by one, and by logging out', async () => {
    const body = { email: root.email, password: 'another password' };
    type Pair = { accessToken: string; refreshToken: string };
    const first: Pair = (await post('/auth/login', body)).body.data;
    const second: Pair = (await post('/auth/login', body)).body.data;
    const renewed = await post('/auth/refresh-token', { refreshToken: first.refreshToken });
    expect(renewed.body.data).toEqual({ accessToken: expect.any(String), refreshToken: expect.any(String) });
    const get = (path: string, token: string) =>
      service.call({ method: 'GET', path: `/admin${path}`, token });
    const list = await get('/me/sessions', second.accessToken);
    const { items }: { items: { id: string; current: boolean }[] } = list.body.data;
    expect(items.filter((session) => session.current)).toHaveLength(1);
    for (const { id, current } of items) {
      if (current) continue;
      await service.call({ method: 'DELETE', path: `/admin/me/sessions/${id}`, token: second.accessToken });
    }
    expect((await get('/me', first.accessToken)).status).toBe(401);
    expect((await post('/auth/logout', undefined, second.accessToken)).status).toBe(200);
    expect((await get('/me', second.accessToken)).status).toBe(401);
  });

  it('end with a change of the password, all but the one that asked', async () => {
    const body = { email: root.email, password: 'another password' };
    type Pair = { accessToken: string };
    const first: Pair = (await post('/auth/login', body)).body.data;
    const second: Pair = (await post('/auth/login', body)).body.data;
    const change = { current_password: 'another password', new_password: root.password };
    expect((await post('/me/change-password', change, second.accessToken)).status).toBe(200);
    const me = (token: string) => service.call({ method: 'GET', path: '/admin/me', token });
    expect([(await me(first.accessToken)).status, (await me(second.accessToken)).status]).toEqual([401, 200]);
  });
});
