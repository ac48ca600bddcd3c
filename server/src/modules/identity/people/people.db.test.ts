import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { startIdentity } from '../../../../test/support/test-identity.ts';
import type { TestIdentity, TestRequest } from '../../../../test/support/test-identity.ts';

let db: TestDatabase;
let service: TestIdentity;
let elsewhere: TestIdentity;
let token: string;
const owners = new Map<string, number>();

const records = {
  listOrders: async () => [],
  listPayments: async () => [],
  countUnfinishedOrders: async () => 0,
  findCustomersByOrderNumber: async (_reader: unknown, number: string) => {
    const id = owners.get(number);
    return id === undefined ? [] : [id];
  },
};

beforeAll(async () => {
  db = await createTestDatabase();
  service = await startIdentity(db, { records });
  const { clock, tokenKeys } = service;
  elsewhere = await startIdentity(db, { records, clock, tokenKeys });
  const body = { email: 'root@example.com', password: 'root password' };
  await service.identity.ensureFirstAdmin(body);
  const login = await service.call({ method: 'POST', path: '/admin/auth/login', body });
  const { accessToken }: { accessToken: string } = login.body.data;
  token = accessToken;
});
afterAll(async () => {
  await service.app.close();
  await elsewhere.app.close();
  await db.drop();
});

const admin = (method: TestRequest['method'], path: string, body?: unknown) =>
  service.call({ method, path: `/admin${path}`, token, ...(body === undefined ? {} : { body }) });

let count = 0;
async function aCustomer(name: string) {
  const msisdn = `+88015${String((count += 1)).padStart(4, '0')}4444`;
  const password = 'a long password';
  await service.identity.ensureDemoCustomer({ msisdn, name, email: `${name}@example.com`, password });
  const answer = await service.call({ method: 'POST', path: '/auth/sign-in', body: { msisdn, password } });
  const data: { accessToken: string; user: { id: number } } = answer.body.data;
  return { msisdn, password, id: data.user.id, token: data.accessToken };
}

const found = async (query: string): Promise<number[]> => {
  const answer = await admin('GET', `/users?${query}`);
  const { items }: { items: { id: number }[] } = answer.body.data;
  return items.map((item) => item.id);
};

describe('customers', () => {
  it('are found by number, name, address, id, order number and status', async () => {
    const who = await aCustomer('shirin');
    owners.set('VC-261121-ABCDEFGH', who.id);
    for (const search of [who.msisdn.slice(-8), 'SHIR', 'shirin@', String(who.id), 'VC-261121-ABCDEFGH']) {
      expect(await found(`search=${encodeURIComponent(search)}`)).toContain(who.id);
    }
    expect(await found('search=%25')).toEqual([]);
    expect(await found('search=shirin&status=blocked')).toEqual([]);
  });

  it('show their sessions in the detail, and never a hash', async () => {
    const who = await aCustomer('detail');
    const answer = await admin('GET', `/users/${who.id}`);
    expect(answer.body.data).toMatchObject({
      id: who.id,
      orders: [],
      payments: [],
      sessions: [{ ip: '203.0.113.7' }],
    });
    expect(JSON.stringify(answer.body)).not.toContain('argon2');
    expect((await admin('GET', '/users/999999')).status).toBe(404);
  });

  it('are blocked on every process within 5 seconds, and let in again', async () => {
    const who = await aCustomer('blocked');
    const profile = (at: TestIdentity) => at.call({ method: 'GET', path: '/user/profile', token: who.token });
    expect((await profile(elsewhere)).status).toBe(200);
    const answer = await admin('POST', `/users/${who.id}/block`, { reason: 'charge-backs' });
    expect(answer.body.data).toMatchObject({ status: 'blocked', status_reason: 'charge-backs' });
    expect((await profile(service)).status).toBe(401);
    service.clock.advance(5);
    expect((await profile(elsewhere)).status).toBe(401);
    const { msisdn, password } = who;
    const signIn = { method: 'POST', path: '/auth/sign-in', body: { msisdn, password } } as const;
    expect((await service.call(signIn)).status).toBe(403);
    expect((await admin('POST', `/users/${who.id}/block`, { reason: 'again' })).status).toBe(409);
    expect((await admin('POST', `/users/${who.id}/unblock`)).status).toBe(200);
    expect((await service.call(signIn)).status).toBe(200);
  });

  it('are signed out everywhere, corrected, and each change is in the audit log', async () => {
    const who = await aCustomer('corrected');
    const corrected = await admin('PATCH', `/users/${who.id}`, { name: 'Right Name' });
    expect(corrected.body.data).toMatchObject({ name: 'Right Name', email: 'corrected@example.com' });
    expect((await admin('DELETE', `/users/${who.id}/sessions`)).status).toBe(200);
    expect((await service.call({ method: 'GET', path: '/user/profile', token: who.token })).status).toBe(401);
    const { rows } = await db.query<{ action: string }>(
      "SELECT action FROM audit_logs WHERE resource_type = 'user' AND resource_id = $1 ORDER BY id",
      [String(who.id)],
    );
    expect(rows.map((row) => row.action)).toEqual(['user.corrected', 'user.signed_out']);
  });

  it('are erased for good, and the log does not keep what was erased', async () => {
    const who = await aCustomer('erased');
    const answer = await admin('POST', `/users/${who.id}/anonymise`, { reason: 'asked for by letter' });
    expect(answer.body.data).toMatchObject({
      status: 'closed',
      msisdn: null,
      email: null,
      name: 'Closed account',
    });
    expect((await admin('POST', `/users/${who.id}/anonymise`, { reason: 'again' })).status).toBe(409);
    expect((await admin('PATCH', `/users/${who.id}`, { name: 'Back' })).status).toBe(409);
    const { rows } = await db.query<{ row: string }>(
      "SELECT l::text AS row FROM audit_logs l WHERE resource_type = 'user' AND resource_id = $1",
      [String(who.id)],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain('erased@example.com');
  });
});
