import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { startIdentity } from '../../../../test/support/test-identity.ts';
import type { TestIdentity } from '../../../../test/support/test-identity.ts';

const customer = {
  msisdn: '+8801700000001',
  name: 'Demo Customer',
  email: 'demo@example.com',
  password: 'customer-demo-password',
};

let db: TestDatabase;
let service: TestIdentity;

beforeAll(async () => {
  db = await createTestDatabase();
  service = await startIdentity(db);
  await service.identity.ensureDemoCustomer(customer);
  await service.identity.ensureDemoCustomer(customer);
});
afterAll(async () => {
  await service.app.close();
  await db.drop();
});

const signIn = (body: unknown, ip = '203.0.113.7') =>
  service.call({ method: 'POST', path: '/auth/sign-in', body, ip });

describe('POST /auth/sign-in', () => {
  it('answers both tokens and the user, and the access token opens the profile', async () => {
    const { status, body } = await signIn({ msisdn: '01700000001', password: customer.password });
    expect(status).toBe(200);
    const data = body.data as { accessToken: string; refreshToken: string; user: { id: number } };
    expect(data).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      user: { id: expect.any(Number), msisdn: customer.msisdn, name: customer.name, email: customer.email },
    });
    const profile = await service.call({ method: 'GET', path: '/user/profile', token: data.accessToken });
    expect(profile.body.data).toMatchObject({
      id: data.user.id,
      msisdn: customer.msisdn,
      email_verified: false,
    });
    expect(await service.identity.findUserContact(db, data.user.id)).toEqual({
      email: customer.email,
      msisdn: customer.msisdn,
      name: customer.name,
    });
  });

  it('refuses a number of fewer than 10 characters with the words of the interface', async () => {
    const { status, body } = await signIn({ msisdn: '017000000', password: 'x' });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      success: false,
      data: null,
      errorCode: 'VALIDATION_ERROR',
      errors: [{ field: 'msisdn', message: 'msisdn must be at least 10 characters' }],
    });
  });

  it('answers an unknown number and a wrong password with the same words', async () => {
    const wrong = await signIn({ msisdn: customer.msisdn, password: 'not the password' });
    const unknown = await signIn({ msisdn: '+8801712345678', password: 'not the password' });
    expect(wrong.status).toBe(401);
    expect(unknown.status).toBe(401);
    expect(unknown.body).toEqual(wrong.body);
  });

  it('gives 429 with Retry-After to the eleventh try after ten failures, right or wrong, from any address', async () => {
    const msisdn = '+8801700000002';
    await service.identity.ensureDemoCustomer({ ...customer, msisdn });
    for (let n = 0; n < 10; n += 1) {
      expect((await signIn({ msisdn, password: `guess ${n}` }, `198.51.100.${n}`)).status).toBe(401);
    }
    const right = await signIn({ msisdn, password: customer.password }, '198.51.100.77');
    expect(right.status).toBe(429);
    expect(right.body.errorCode).toBe('TOO_MANY_REQUESTS');
    expect(Number(right.headers['retry-after'])).toBe(15 * 60);
    service.clock.advance(15 * 60);
    expect((await signIn({ msisdn, password: customer.password })).status).toBe(200);
  });

  it('tells the outcome of at most ten of 40 parallel guesses, over many addresses', async () => {
    const msisdn = '+8801700000003';
    await service.identity.ensureDemoCustomer({ ...customer, msisdn });
    const tries: Promise<number>[] = [];
    for (let n = 0; n < 40; n += 1) {
      const password = n === 39 ? customer.password : `guess ${n}`;
      tries.push(signIn({ msisdn, password }, `198.51.101.${n}`).then((answer) => answer.status));
    }
    const statuses = await Promise.all(tries);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0);
  });

  it('ends an address after 50 failures whatever numbers it tried, an IPv6 one by its /64', async () => {
    for (let n = 0; n < 50; n += 1) {
      const msisdn = `+88018${String(n).padStart(8, '0')}`;
      const answer = await signIn({ msisdn, password: 'password' }, `2001:db8:0:7::${n + 1}`);
      expect(answer.status).toBe(401);
    }
    expect(
      (await signIn({ msisdn: '01911111111', password: 'password' }, '2001:db8:0:7:ffff::1')).status,
    ).toBe(429);
    expect((await signIn({ msisdn: '01911111111', password: 'password' }, '2001:db8:0:8::1')).status).toBe(
      401,
    );
  });

  it('does not sign a blocked customer in, and says so only after the right password', async () => {
    const msisdn = '+8801700000004';
    await service.identity.ensureDemoCustomer({ ...customer, msisdn });
    await db.query("UPDATE users SET status = 'blocked' WHERE msisdn = $1", [msisdn]);
    expect((await signIn({ msisdn, password: 'wrong password' })).status).toBe(401);
    expect((await signIn({ msisdn, password: customer.password })).status).toBe(403);
  });
});

describe('the first admin', () => {
  it('is created once, signs in with everything permitted, and is nobody on the client API', async () => {
    const admin = { email: 'Admin@Example.com', password: 'admin-demo-password' };
    expect(await service.identity.ensureFirstAdmin(admin)).toBe('created');
    expect(await service.identity.ensureFirstAdmin({ ...admin, email: 'second@example.com' })).toBe('exists');
    const login = await service.call({
      method: 'POST',
      path: '/admin/auth/login',
      body: { ...admin, email: 'admin@example.com' },
    });
    expect(login.status).toBe(200);
    const data = login.body.data as {
      accessToken: string;
      refreshToken: string;
      admin: { permissions: string[] };
    };
    expect(data.admin).toMatchObject({ email: 'admin@example.com', roles: ['super_admin'] });
    expect(data.admin.permissions).toContain('vouchers:reveal');
    const me = await service.call({ method: 'GET', path: '/admin/me', token: data.accessToken });
    expect(me.body.data).toEqual(data.admin);
    expect(
      (await service.call({ method: 'GET', path: '/user/profile', token: data.accessToken })).status,
    ).toBe(401);
  });

  it('loses everything within two seconds of a suspension made anywhere', async () => {
    const body = { email: 'admin@example.com', password: 'admin-demo-password' };
    const login = await service.call({ method: 'POST', path: '/admin/auth/login', body });
    const token = (login.body.data as { accessToken: string }).accessToken;
    const me = () => service.call({ method: 'GET', path: '/admin/me', token });
    expect((await me()).status).toBe(200);
    await db.query("UPDATE admins SET status = 'suspended'");
    service.clock.advance(2);
    expect((await me()).status).toBe(401);
    expect((await service.call({ method: 'POST', path: '/admin/auth/login', body })).status).toBe(403);
  });
});
