import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { startIdentity } from '../../../../test/support/test-identity.ts';
import type { TestIdentity, TestRequest } from '../../../../test/support/test-identity.ts';

let db: TestDatabase;
let service: TestIdentity;
const records = {
  unfinished: 0,
  listOrders: async () => [
    {
      id: 7,
      orderNumber: 'VC-261121-ABCDEFGH',
      status: 'SUCCEEDED',
      totalMinor: 9950,
      currency: 'BDT',
      createdAt: new Date('2026-11-21T10:00:00Z'),
    },
  ],
  listPayments: async () => [],
  countUnfinishedOrders: async () => records.unfinished,
  findCustomersByOrderNumber: async () => [],
};

beforeAll(async () => {
  db = await createTestDatabase();
  service = await startIdentity(db, { records });
});
afterAll(async () => {
  await service.app.close();
  await db.drop();
});

let count = 0;
const password = 'a long password';

interface Customer {
  readonly msisdn: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly id: number;
}

async function aCustomer(): Promise<Customer> {
  const msisdn = `+88019${String((count += 1)).padStart(4, '0')}3333`;
  await service.identity.ensureDemoCustomer({
    msisdn,
    name: 'Karim',
    email: `k${count}@example.com`,
    password,
  });
  return signIn(msisdn);
}

async function signIn(msisdn: string): Promise<Customer> {
  const answer = await service.call({ method: 'POST', path: '/auth/sign-in', body: { msisdn, password } });
  const data: { accessToken: string; refreshToken: string; user: { id: number } } = answer.body.data;
  return { msisdn, token: data.accessToken, refreshToken: data.refreshToken, id: data.user.id };
}

const as = (who: Customer, method: TestRequest['method'], path: string, body?: unknown) =>
  service.call({ method, path, token: who.token, ...(body === undefined ? {} : { body }) });

async function otpFor(msisdn: string): Promise<string> {
  await service.call({ method: 'POST', path: '/auth/send-otp', body: { msisdn, purpose: 'close_account' } });
  return service.phones.codeFor(msisdn);
}

describe('the profile', () => {
  it('changes what was sent and nothing else', async () => {
    const who = await aCustomer();
    const answer = await as(who, 'PATCH', '/user/profile', { name: ' Rahim ', language: 'bn' });
    expect(answer.body.data).toMatchObject({ name: 'Rahim', language: 'bn', email: `k${count}@example.com` });
    expect((await as(who, 'PATCH', '/user/profile', { email: 'not an address' })).status).toBe(400);
    expect((await as(who, 'PATCH', '/user/profile', { email: null })).body.data).toMatchObject({
      email: null,
    });
  });

  it('verifies an address by the link that was mailed to it, once, and only while it is the address', async () => {
    const who = await aCustomer();
    await as(who, 'PATCH', '/user/profile', { email: 'first@example.com' });
    const first = linkToken('first@example.com');
    await as(who, 'PATCH', '/user/profile', { email: 'second@example.com' });
    const second = linkToken('second@example.com');
    expect((await verify(first)).status).toBe(400);
    expect((await verify(second)).status).toBe(200);
    expect((await verify(second)).status).toBe(400);
    expect((await as(who, 'GET', '/user/profile')).body.data).toMatchObject({ email_verified: true });
    expect((await as(who, 'POST', '/user/email/send-verification')).status).toBe(409);
    await as(who, 'PATCH', '/user/profile', { email: 'third@example.com' });
    expect((await as(who, 'GET', '/user/profile')).body.data).toMatchObject({ email_verified: false });
  });

  it('mails a link again, five times an hour at most', async () => {
    const who = await aCustomer();
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1)
      statuses.push((await as(who, 'POST', '/user/email/send-verification')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  const verify = (token: string) =>
    service.call({ method: 'POST', path: '/user/email/verify', body: { token } });
  function linkToken(to: string): string {
    const letter = service.letters.findLast((one) => one.to === to);
    return /token=([\w-]+)/.exec(letter?.text ?? '')?.[1] ?? '';
  }
});

describe('preferences', () => {
  it('are kept', async () => {
    const who = await aCustomer();
    const wanted = { language: 'bn', channels: { email: false, sms: true }, marketing_consent: true };
    expect((await as(who, 'PUT', '/user/preferences', wanted)).body.data).toEqual(wanted);
    expect((await as(who, 'GET', '/user/preferences')).body.data).toEqual(wanted);
  });
});

describe('saved recipients', () => {
  const game = { label: 'My game', type: 'player_id', value: '123456' };

  it('are saved once, changed and deleted', async () => {
    const who = await aCustomer();
    const saved = await as(who, 'POST', '/user/recipients', game);
    expect(saved.status).toBe(201);
    const { id }: { id: number } = saved.body.data;
    expect((await as(who, 'POST', '/user/recipients', game)).status).toBe(409);
    const changed = await as(who, 'PUT', `/user/recipients/${id}`, { ...game, value: '654321' });
    expect(changed.body.data).toMatchObject({ id, value: '654321' });
    expect((await as(who, 'DELETE', `/user/recipients/${id}`)).status).toBe(200);
    expect((await as(who, 'GET', '/user/recipients')).body.data).toEqual({ items: [] });
  });

  it('of others do not exist', async () => {
    const [mine, other] = [await aCustomer(), await aCustomer()];
    const saved = await as(mine, 'POST', '/user/recipients', game);
    const { id }: { id: number } = saved.body.data;
    expect((await as(other, 'PUT', `/user/recipients/${id}`, game)).status).toBe(404);
    expect((await as(other, 'DELETE', `/user/recipients/${id}`)).status).toBe(404);
    expect((await as(other, 'GET', '/user/recipients')).body.data).toEqual({ items: [] });
  });

  it('are fifty at most', async () => {
    const who = await aCustomer();
    const statuses = [];
    for (let n = 0; n < 51; n += 1) {
      statuses.push((await as(who, 'POST', '/user/recipients', { ...game, value: `player ${n}` })).status);
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(statuses.at(-1)).toBe(409);
  });
});

describe('changing the number', () => {
  it('takes the password and a code sent to the new number, and ends other sessions', async () => {
    const who = await aCustomer();
    const elsewhere = await signIn(who.msisdn);
    const next = '+8801600009999';
    const start = (given: string) =>
      as(who, 'POST', '/user/msisdn/change', { msisdn: next, password: given });
    expect((await start('wrong password')).body.errors).toEqual([
      { field: 'password', message: expect.any(String) },
    ]);
    expect((await start(password)).status).toBe(200);
    const code = service.phones.codeFor(next);
    const confirm = (otp_code: string) => as(who, 'POST', '/user/msisdn/confirm', { msisdn: next, otp_code });
    expect((await confirm(code === '000000' ? '111111' : '000000')).status).toBe(400);
    expect((await confirm(code)).body.data).toMatchObject({ msisdn: next });
    expect((await as(elsewhere, 'GET', '/user/profile')).status).toBe(401);
    expect((await as(who, 'GET', '/user/profile')).status).toBe(200);
    expect((await signIn(next)).id).toBe(who.id);
  });

  it('refuses a number that has an account', async () => {
    const [who, other] = [await aCustomer(), await aCustomer()];
    const answer = await as(who, 'POST', '/user/msisdn/change', { msisdn: other.msisdn, password });
    expect(answer.status).toBe(409);
  });
});

describe('leaving', () => {
  it('exports everything that is kept', async () => {
    const who = await aCustomer();
    await as(who, 'POST', '/user/recipients', { label: 'Game', type: 'uid', value: '9' });
    const answer = await as(who, 'POST', '/user/data-export');
    expect(answer.body.data).toMatchObject({
      profile: { msisdn: who.msisdn },
      preferences: { language: 'en' },
      recipients: [{ value: '9' }],
      sessions: [{ device: 'test-browser' }],
      orders: [{ order_number: 'VC-261121-ABCDEFGH', total: 99.5 }],
      payments: [],
    });
  });

  it('closes the account with a code: nothing says any more who it was, and the number is free', async () => {
    const who = await aCustomer();
    await as(who, 'POST', '/user/recipients', { label: 'Game', type: 'uid', value: '9' });
    const otp_code = await otpFor(who.msisdn);
    expect((await as(who, 'DELETE', '/user/account', { otp_code: 'wrong' })).status).toBe(400);
    expect((await as(who, 'DELETE', '/user/account', { otp_code })).status).toBe(200);
    expect((await as(who, 'GET', '/user/profile')).status).toBe(401);
    const refreshed = await service.call({
      method: 'POST',
      path: '/auth/refresh-token',
      body: { refreshToken: who.refreshToken },
    });
    expect(refreshed.status).toBe(401);
    const { rows } = await db.query<{ row: string }>(
      `SELECT u::text || coalesce((SELECT array_agg(s.ip || s.user_agent)::text FROM sessions s WHERE s.user_id = u.id), '')
         || (SELECT count(*) FROM saved_recipients r WHERE r.user_id = u.id) AS row
       FROM users u WHERE u.id = $1`,
      [who.id],
    );
    for (const trace of [who.msisdn, 'Karim', '@example.com', 'test-browser', '203.0.113']) {
      expect(rows[0]?.row).not.toContain(trace);
    }
    expect(await service.identity.findUserContact(db, who.id)).toBeUndefined();
    await service.identity.ensureDemoCustomer({
      msisdn: who.msisdn,
      name: 'New',
      email: 'n@example.com',
      password,
    });
    expect((await signIn(who.msisdn)).id).not.toBe(who.id);
  });

  it('waits while an order is under way, and leaves the code unused', async () => {
    const who = await aCustomer();
    const otp_code = await otpFor(who.msisdn);
    records.unfinished = 1;
    expect((await as(who, 'DELETE', '/user/account', { otp_code })).status).toBe(409);
    records.unfinished = 0;
    expect((await as(who, 'DELETE', '/user/account', { otp_code })).status).toBe(200);
  });
});
