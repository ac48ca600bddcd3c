import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { startIdentity } from '../../../../test/support/test-identity.ts';
import type { TestIdentity, TestRequest } from '../../../../test/support/test-identity.ts';

let db: TestDatabase;
let service: TestIdentity;
let token: string;

beforeAll(async () => {
  db = await createTestDatabase();
  service = await startIdentity(db);
  const body = { email: 'root@example.com', password: 'root password' };
  await service.identity.ensureFirstAdmin(body);
  const { data } = (await service.call({ method: 'POST', path: '/admin/auth/login', body })).body;
  const { accessToken }: { accessToken: string } = data;
  token = accessToken;
});
afterAll(async () => {
  await service.app.close();
  await db.drop();
});

const admin = (method: TestRequest['method'], path: string, options: Partial<TestRequest> = {}) =>
  service.call({ method, path: `/admin${path}`, token, ...options });

async function aKey(
  scopes: string[],
  expires_at: string | null = null,
): Promise<{ id: number; key: string }> {
  const answer = await admin('POST', '/api-keys', { body: { name: 'ERP', scopes, expires_at } });
  expect(answer.status).toBe(201);
  return answer.body.data;
}

describe('API keys', () => {
  it('open exactly what their scopes say, and no account of anybody', async () => {
    const { key } = await aKey(['admins:read']);
    expect((await admin('GET', '/admins', { token: key })).status).toBe(200);
    expect((await admin('GET', '/roles', { token: key })).status).toBe(403);
    expect((await admin('GET', '/me', { token: key })).status).toBe(403);
    expect((await service.call({ method: 'GET', path: '/user/profile', token: key })).status).toBe(401);
  });

  it('are shown once; a list has the beginning and the end', async () => {
    const { key, id } = await aKey(['admins:read']);
    const list = await admin('GET', '/api-keys');
    expect(JSON.stringify(list.body)).not.toContain(key);
    expect(list.body.data).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({
          id,
          prefix: key.slice(0, 8),
          last4: key.slice(-4),
          scopes: ['admins:read'],
        }),
      ]),
    });
    const { rows } = await db.query<{ row: string }>('SELECT api_keys::text AS row FROM api_keys');
    expect(rows.some(({ row }) => row.includes(key))).toBe(false);
  });

  it('stop when they are revoked, when they expire, and when they are not whole', async () => {
    const revoked = await aKey(['admins:read']);
    const soon = new Date(service.clock.now().getTime() + 10_000).toISOString();
    const expiring = await aKey(['admins:read'], soon);
    const use = async (key: string) => (await admin('GET', '/admins', { token: key })).status;
    expect([await use(revoked.key), await use(expiring.key)]).toEqual([200, 200]);
    expect((await admin('DELETE', `/api-keys/${revoked.id}`)).status).toBe(200);
    expect((await admin('DELETE', `/api-keys/${revoked.id}`)).status).toBe(404);
    service.clock.advance(10);
    expect([await use(revoked.key), await use(expiring.key), await use(expiring.key.slice(0, -1))]).toEqual([
      401, 401, 401,
    ]);
  });

  it('never do more than their maker can now', async () => {
    const made = {
      name: 'Maker',
      email: 'maker@example.com',
      password: 'a long password',
      roles: ['operations'],
    };
    const roleBody = { name: 'maker', permissions: ['api_keys:write', 'admins:read', 'roles:read'] };
    await admin('POST', '/roles', { body: roleBody });
    const created = await admin('POST', '/admins', { body: { ...made, roles: ['maker'] } });
    const { id }: { id: number } = created.body.data;
    const login = await admin('POST', '/auth/login', {
      body: { email: made.email, password: made.password },
    });
    const { accessToken }: { accessToken: string } = login.body.data;
    const answer = await admin('POST', '/api-keys', {
      token: accessToken,
      body: { name: 'k', scopes: ['admins:read', 'roles:read'] },
    });
    const { key }: { key: string } = answer.body.data;
    expect((await admin('GET', '/admins', { token: key })).status).toBe(200);
    await admin('PATCH', `/admins/${id}`, { body: { roles: ['auditor'] } });
    expect((await admin('GET', '/admins', { token: key })).status).toBe(200);
    await admin('PATCH', `/admins/${id}`, { body: { roles: ['marketing'] } });
    expect((await admin('GET', '/admins', { token: key })).status).toBe(403);
    await admin('POST', `/admins/${id}/suspend`);
    expect((await admin('GET', '/admins', { token: key })).status).toBe(401);
  });

  it('act in the audit log under their own name', async () => {
    const { key, id } = await aKey(['roles:write']);
    await admin('POST', '/roles', {
      token: key,
      body: { name: 'made_by_key', permissions: ['roles:write'] },
    });
    const logs = await admin('GET', '/audit-logs?action=role.created');
    expect(logs.body.data).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({
          actor: expect.objectContaining({ kind: 'api_key', session_id: `api_key:${id}`, ip: '203.0.113.7' }),
          after: expect.objectContaining({ name: 'made_by_key' }),
        }),
      ]),
    });
  });
});
