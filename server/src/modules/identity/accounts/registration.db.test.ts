import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { startIdentity } from '../../../../test/support/test-identity.ts';
import type { TestIdentity } from '../../../../test/support/test-identity.ts';

let db: TestDatabase;
let service: TestIdentity;

beforeAll(async () => {
  db = await createTestDatabase();
  service = await startIdentity(db);
});
afterAll(async () => {
  await service.app.close();
  await db.drop();
});
beforeEach(() => {
  service.phones.reachable = true;
  service.clock.advance(3600 * 25);
});

let numbers = 0;
const aNumber = () => `+88013${String((numbers += 1)).padStart(4, '0')}7777`;
const post = (path: string, body: unknown, ip?: string) =>
  service.call({ method: 'POST', path, body, ...(ip ? { ip } : {}) });
const sendOtp = (msisdn: string, ip?: string) => post('/auth/send-otp', { msisdn }, ip);

async function verifiedToken(msisdn: string): Promise<string> {
  await sendOtp(msisdn);
  const answer = await post('/auth/verify-otp', { msisdn, otpCode: service.phones.codeFor(msisdn) });
  const { otpToken }: { otpToken: string } = answer.body.data;
  return otpToken;
}

const registration = (msisdn: string, otp: string) => ({
  msisdn,
  otp_code: otp,
  name: 'Rahima Khatun',
  password: 'a long password',
});

async function registered(msisdn: string): Promise<{ accessToken: string; refreshToken: string }> {
  const answer = await post('/auth/register', registration(msisdn, await verifiedToken(msisdn)));
  return answer.body.data;
}

describe('registering', () => {
  it('takes four steps and signs in', async () => {
    const msisdn = aNumber();
    expect((await post('/auth/user-exist', { msisdn })).body.data).toEqual({ exists: false });
    expect((await sendOtp(msisdn)).status).toBe(200);
    const verified = await post('/auth/verify-otp', { msisdn, otpCode: service.phones.codeFor(msisdn) });
    expect(verified.status).toBe(200);
    const { otpToken }: { otpToken: string } = verified.body.data;
    const answer = await post('/auth/register', registration(msisdn, otpToken));
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      user: { id: expect.any(Number), msisdn, name: 'Rahima Khatun', email: null },
    });
    expect((await post('/auth/user-exist', { msisdn })).body.data).toEqual({ exists: true });
  });

  it('takes the code itself instead of the token, even after it was verified', async () => {
    const msisdn = aNumber();
    await verifiedToken(msisdn);
    const answer = await post('/auth/register', registration(msisdn, service.phones.codeFor(msisdn)));
    expect(answer.status).toBe(201);
  });

  it('uses a token once', async () => {
    const msisdn = aNumber();
    const token = await verifiedToken(msisdn);
    expect((await post('/auth/register', registration(msisdn, token))).status).toBe(201);
    const again = await post('/auth/register', registration(msisdn, token));
    expect(again.status).toBe(400);
    expect(again.body).toMatchObject({ errorCode: 'VALIDATION_ERROR', errors: [{ field: 'otp_code' }] });
  });

  it('creates one account when the same registration comes 10 times at once', async () => {
    const msisdn = aNumber();
    const token = await verifiedToken(msisdn);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post('/auth/register', registration(msisdn, token))),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.every((answer) => [201, 400, 409].includes(answer.status))).toBe(true);
  });

  it('answers 409 to a number that has an account, and leaves the code unused', async () => {
    const msisdn = aNumber();
    await registered(msisdn);
    service.clock.advance(61);
    const token = await verifiedToken(msisdn);
    expect((await post('/auth/register', registration(msisdn, token))).status).toBe(409);
    const { rows } = await db.query('SELECT 1 FROM otps WHERE msisdn = $1 AND used_at IS NULL', [msisdn]);
    expect(rows).toHaveLength(1);
  });

  it.each([
    ['expired', 301],
    ['not of this number', 0],
  ])('refuses a code that is %s', async (why, seconds) => {
    const msisdn = aNumber();
    await sendOtp(msisdn);
    service.clock.advance(seconds);
    const other = why === 'expired' ? msisdn : aNumber();
    const answer = await post('/auth/register', registration(other, service.phones.codeFor(msisdn)));
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ field: 'otp_code', message: expect.any(String) }]);
  });

  it('keeps a token for 10 minutes, longer than the code', async () => {
    const early = aNumber();
    const late = aNumber();
    const [earlyToken, lateToken] = [await verifiedToken(early), await verifiedToken(late)];
    service.clock.advance(599);
    expect((await post('/auth/register', registration(early, earlyToken))).status).toBe(201);
    service.clock.advance(1);
    expect((await post('/auth/register', registration(late, lateToken))).status).toBe(400);
  });

  it.each([
    ['otp_code', { otp_code: '' }],
    ['password', { password: '1234567' }],
    ['password', { password: 'x'.repeat(129) }],
    ['name', { name: '   ' }],
    ['msisdn', { msisdn: 'not a number at all' }],
    ['msisdn', { msisdn: '12345' }],
  ])('names the field %s when it is wrong', async (field, wrong) => {
    const answer = await post('/auth/register', { ...registration(aNumber(), '123456'), ...wrong });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ field, message: expect.any(String) }]);
  });
});

describe('one-time passwords', () => {
  it('keeps 60 seconds between sends, and a newer code ends the older', async () => {
    const msisdn = aNumber();
    await sendOtp(msisdn);
    const first = service.phones.codeFor(msisdn);
    const early = await sendOtp(msisdn);
    expect(early.status).toBe(429);
    expect(early.headers['retry-after']).toBe('60');
    service.clock.advance(60);
    expect((await sendOtp(msisdn)).status).toBe(200);
    const second = service.phones.codeFor(msisdn);
    expect((await post('/auth/verify-otp', { msisdn, otpCode: first })).status).toBe(400);
    expect((await post('/auth/verify-otp', { msisdn, otpCode: second })).status).toBe(200);
  });

  it('sends at most five an hour to a number, however many ask at once', async () => {
    const msisdn = aNumber();
    const sent = service.phones.texts.length;
    for (let round = 0; round < 8; round += 1) {
      await Promise.all(Array.from({ length: 4 }, (_, n) => sendOtp(msisdn, `198.51.100.${round * 4 + n}`)));
      service.clock.advance(61);
    }
    expect(service.phones.texts.length - sent).toBe(5);
  });

  it('sends at most 20 an hour for an address', async () => {
    const sent = service.phones.texts.length;
    for (let n = 0; n < 24; n += 1) await sendOtp(aNumber(), '2001:db8:9::1');
    expect(service.phones.texts.length - sent).toBe(20);
    expect((await sendOtp(aNumber(), '2001:db8:9::2')).status).toBe(429);
    expect((await sendOtp(aNumber(), '2001:db8:a::2')).status).toBe(200);
  });

  it('stops a range of numbers that never enters its codes, and tells the operators once it does', async () => {
    const before = service.abuse.length;
    const sent = service.phones.texts.length;
    const answers: number[] = [];
    for (let n = 0; n < 60; n += 1) {
      const msisdn = `+880155555${String(n).padStart(4, '0')}`;
      answers.push((await sendOtp(msisdn, `198.18.${n}.1`)).status);
    }
    expect(service.phones.texts.length - sent).toBe(50);
    expect(answers.slice(50)).toEqual(Array(10).fill(429));
    expect(service.abuse[before]).toMatchObject({ cause: 'sms_range:+880155555' });
    expect((await sendOtp(aNumber(), '198.18.99.1')).status).toBe(200);
  });

  it('sends to no other country', async () => {
    const answer = await sendOtp('+447911123456');
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ field: 'msisdn', message: expect.any(String) }]);
  });

  it('lets a number ask again at once when its text could not be sent', async () => {
    const msisdn = aNumber();
    service.phones.reachable = false;
    const failed = await sendOtp(msisdn);
    expect(failed.status).toBe(503);
    expect(Number(failed.headers['retry-after'])).toBeGreaterThan(0);
    service.phones.reachable = true;
    expect((await sendOtp(msisdn)).status).toBe(200);
  });

  it('stores no code that can be read', async () => {
    const msisdn = aNumber();
    await sendOtp(msisdn);
    const { rows } = await db.query<{ row: string }>('SELECT otps::text AS row FROM otps WHERE msisdn = $1', [
      msisdn,
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(service.phones.codeFor(msisdn));
  });

  it('evaluates at most five and accepts at most one of 1,000 parallel verifications', async () => {
    const wrongNumber = aNumber();
    const rightNumber = aNumber();
    for (const msisdn of [wrongNumber, rightNumber]) await sendOtp(msisdn);
    const right = service.phones.codeFor(rightNumber);
    const wrong = service.phones.codeFor(wrongNumber) === '000000' ? '000001' : '000000';
    const verifications = Array.from({ length: 1000 }, (_, n) =>
      n % 2 === 0
        ? post('/auth/verify-otp', { msisdn: rightNumber, otpCode: right })
        : post('/auth/verify-otp', { msisdn: wrongNumber, otpCode: wrong }),
    );
    const statuses = (await Promise.all(verifications)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(999);
    const { rows } = await db.query<{ attempts: number }>(
      'SELECT attempts FROM otps WHERE msisdn = ANY ($1)',
      [[wrongNumber, rightNumber]],
    );
    expect(rows.map((row) => row.attempts)).toEqual([5, 5]);
    const sixth = await post('/auth/verify-otp', {
      msisdn: wrongNumber,
      otpCode: service.phones.codeFor(wrongNumber),
    });
    expect(sixth.status).toBe(400);
  });
});

describe('a forgotten password', () => {
  it('is replaced with a code of its own purpose, which ends every session', async () => {
    const msisdn = aNumber();
    const { accessToken } = await registered(msisdn);
    service.clock.advance(61);
    expect((await post('/auth/forgot-password', { msisdn })).status).toBe(200);
    const code = service.phones.codeFor(msisdn);
    expect((await post('/auth/register', registration(msisdn, code))).status).toBe(400);
    const reset = { msisdn, otp_code: code, new_password: 'another password' };
    expect((await post('/auth/reset-password', reset)).status).toBe(200);
    expect((await post('/auth/reset-password', reset)).status).toBe(400);
    expect((await service.call({ method: 'GET', path: '/user/profile', token: accessToken })).status).toBe(
      401,
    );
    expect((await post('/auth/sign-in', { msisdn, password: 'a long password' })).status).toBe(401);
    expect((await post('/auth/sign-in', { msisdn, password: 'another password' })).status).toBe(200);
  });

  it('answers a number without an account word for word the same, and texts nobody', async () => {
    const known = aNumber();
    await registered(known);
    service.clock.advance(61);
    const unknown = aNumber();
    const sent = service.phones.texts.length;
    const [first, second] = [
      await post('/auth/forgot-password', { msisdn: known }),
      await post('/auth/forgot-password', { msisdn: unknown }),
    ];
    expect(second.body).toEqual(first.body);
    expect(second.status).toBe(first.status);
    expect(service.phones.texts.slice(sent).map((text) => text.to)).toEqual([known]);
    expect((await post('/auth/forgot-password', { msisdn: unknown })).status).toBe(429);
    const guess = { msisdn: unknown, otp_code: '123456', new_password: 'another password' };
    expect((await post('/auth/reset-password', guess)).status).toBe(400);
  });
});

describe('changing the password', () => {
  it('needs the current one and ends every other session', async () => {
    const msisdn = aNumber();
    const first = await registered(msisdn);
    const second: { accessToken: string } = (
      await post('/auth/sign-in', { msisdn, password: 'a long password' })
    ).body.data;
    const change = (body: unknown) =>
      service.call({ method: 'POST', path: '/auth/change-password', body, token: second.accessToken });
    const wrong = await change({ current_password: 'guess guess', new_password: 'a new password' });
    expect(wrong.body).toMatchObject({
      errorCode: 'VALIDATION_ERROR',
      errors: [{ field: 'current_password' }],
    });
    expect(
      (await change({ current_password: 'a long password', new_password: 'a new password' })).status,
    ).toBe(200);
    const profile = (token: string) => service.call({ method: 'GET', path: '/user/profile', token });
    expect((await profile(first.accessToken)).status).toBe(401);
    expect((await profile(second.accessToken)).status).toBe(200);
    expect((await post('/auth/refresh-token', { refreshToken: first.refreshToken })).status).toBe(401);
  });
});
