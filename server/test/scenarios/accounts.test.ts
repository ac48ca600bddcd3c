import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { call, control, fault } from '../support/shop.ts';
import type { Answered } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

/** Interface part 5, over HTTP with the sandbox's SMS gateway; limits of decisions parts 2 and 8 at their real size. */

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    environment: { THROTTLE_SCALE: '1', TRUST_PROXY: '127.0.0.1/32', CORS_ORIGINS: 'https://shop.example' },
  });
});
afterAll(() => service.close());

let addresses = 0;
/** Every test comes from an address of its own. */
const anAddress = () => `198.51.${Math.floor((addresses += 1) / 250)}.${(addresses % 250) + 1}`;

const post = <Data>(path: string, body: unknown, ip = anAddress()): Promise<Answered<Data>> =>
  call<Data>(service, { path, body, headers: { 'x-forwarded-for': ip } });

async function codeSentTo(msisdn: string): Promise<string> {
  const { items } = await control<{ items: { text: string }[] }>(
    service,
    `/sms?to=${encodeURIComponent(msisdn)}`,
  );
  return /\b\d{6}\b/.exec(items.at(-1)?.text ?? '')?.[0] ?? '';
}

describe('an account', () => {
  it('is made in the four steps of the interface, signs in, and gets a new password by code', async () => {
    const msisdn = '+8801812000001';
    const ip = anAddress();
    expect((await post('/auth/user-exist', { msisdn: '01812000001' }, ip)).data).toEqual({ exists: false });
    expect((await post('/auth/send-otp', { msisdn }, ip)).status).toBe(200);
    const otpCode = await codeSentTo(msisdn);
    const verified = await post<{ otpToken: string }>('/auth/verify-otp', { msisdn, otpCode }, ip);
    const registration = {
      msisdn,
      otp_code: verified.data.otpToken,
      name: 'Rahima',
      password: 'first password',
    };
    const registered = await post<{ user: { id: number } }>('/auth/register', registration, ip);
    expect(registered.status).toBe(201);
    expect(registered.data.user).toEqual({ id: expect.any(Number), msisdn, name: 'Rahima', email: null });
    expect(registered.headers.get('cache-control')).toBe('no-store');
    expect((await post('/auth/user-exist', { msisdn }, ip)).data).toEqual({ exists: true });

    expect((await post('/auth/forgot-password', { msisdn }, ip)).status).toBe(200);
    const reset = await vi.waitFor(async () => {
      const code = await codeSentTo(msisdn);
      expect(code).not.toBe(otpCode);
      return code;
    });
    const renewed = { msisdn, otp_code: reset, new_password: 'second password' };
    expect((await post('/auth/reset-password', renewed, ip)).status).toBe(200);
    expect((await post('/auth/sign-in', { msisdn, password: 'first password' }, ip)).status).toBe(401);
    expect((await post('/auth/sign-in', { msisdn, password: 'second password' }, ip)).status).toBe(200);
  });

  it('is told when the SMS gateway refuses, and may ask again at once', async () => {
    const msisdn = '+8801812000002';
    await fault(service, { target: 'sms', fault: 'reject' });
    const refused = await post('/auth/send-otp', { msisdn });
    expect([refused.status, refused.errorCode]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await post('/auth/send-otp', { msisdn })).status).toBe(200);
  });
});

describe('limits', () => {
  async function statuses(times: number, path: string, body: unknown): Promise<number[]> {
    const ip = anAddress();
    const found: number[] = [];
    for (let n = 0; n < times; n += 1) found.push((await post(path, body, ip)).status);
    return found;
  }

  it('let an address ask five times in 10 minutes whether a number exists', async () => {
    const asked = await statuses(6, '/auth/user-exist', { msisdn: '+8801812000003' });
    expect(asked).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('let an address sign in ten times a minute', async () => {
    const msisdn = '+8801812000004';
    await service.app.identity.ensureDemoCustomer({
      msisdn,
      name: 'K',
      email: 'k@example.com',
      password: 'password',
    });
    const tries = await statuses(11, '/auth/sign-in', { msisdn, password: 'password' });
    expect(tries).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  });

  it('answer 429 in the envelope, with the fields a client needs to wait', async () => {
    const ip = anAddress();
    const body = { msisdn: '+8801812000005' };
    for (let n = 0; n < 5; n += 1) await post('/auth/user-exist', body, ip);
    const refused = await post('/auth/user-exist', body, ip);
    expect(refused).toMatchObject({ success: false, data: null, errorCode: 'TOO_MANY_REQUESTS' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(590);
    expect(refused.headers.get('ratelimit')).toMatch(/"user-exist";r=0;t=\d+/);
    expect(refused.headers.get('ratelimit-policy')).toContain('"user-exist";q=5;w=600');
  });

  it('never hold up the callbacks of gateways, nor health', async () => {
    const ip = anAddress();
    const headers = { 'x-forwarded-for': ip };
    const found = new Set<number>();
    for (let n = 0; n < 310; n += 1) {
      found.add((await call(service, { path: '/payments/dcb/callback', headers })).status);
    }
    expect(found.has(429)).toBe(false);
    const health = await fetch(`${service.url}/healthz`, { headers });
    expect(health.status).toBe(200);
  });

  it('stop a range of numbers that never enters its codes, and open one alert for the operators', async () => {
    const found: number[] = [];
    for (let n = 0; n < 55; n += 1) {
      const msisdn = `+880197777${String(n).padStart(4, '0')}`;
      found.push((await post('/auth/send-otp', { msisdn })).status);
    }
    expect(found.filter((status) => status === 200)).toHaveLength(50);
    expect(found.slice(50)).toEqual([429, 429, 429, 429, 429]);
    const { rows } = await service.db.query<{ cause: string; severity: string }>(
      "SELECT cause, severity FROM admin_alerts WHERE type = 'sms_abuse' AND status = 'open'",
    );
    expect(rows).toEqual([{ cause: 'sms_range:+880197777', severity: 'critical' }]);
  });
});

describe('browsers', () => {
  it('of the listed origin may call, and every answer carries the security headers', async () => {
    const answer = await fetch(`${service.url}/api/v1/payment-methods`, {
      headers: { origin: 'https://shop.example', 'x-forwarded-for': anAddress() },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const other = await fetch(`${service.url}/api/v1/payment-methods`, {
      headers: { origin: 'https://evil.example' },
    });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});
