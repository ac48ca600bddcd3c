import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { aCode, sql, startRedemption } from '../test-redemption.ts';
import type { TestRedemption } from '../test-redemption.ts';
import { defaultMissLimits } from './miss-limits.ts';

let db: TestDatabase;
let test: TestRedemption;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(async () => {
  test = await startRedemption({ db, missLimits: defaultMissLimits });
  return () => test.close();
});
afterAll(() => db.drop());

const lookup = (code: string, ip: string) => test.call({ path: `/redemption/lookup/${code}`, ip });
const redeem = (code: string, ip: string) =>
  test.call({ path: '/redemption/redeem', body: { code, phone: '1' }, ip });

/** Misses a second apart, which the limit for everybody together never minds. */
async function miss(times: number, ipOf: (n: number) => string): Promise<number[]> {
  const statuses = [];
  for (let n = 0; n < times; n += 1) {
    test.clock.advance(1);
    const ask = n % 2 === 0 ? lookup : redeem;
    statuses.push((await ask('ZZZZZZZZZ', ipOf(n))).status);
  }
  return statuses;
}

describe('limits on guessing', () => {
  it('stop an address after ten unknown codes an hour, on both endpoints, and say for how long', async () => {
    expect(await miss(10, () => '192.0.2.1')).toEqual(Array.from({ length: 10 }, () => 404));
    const { code } = await aCode(test);
    const stopped = await lookup(code, '192.0.2.1');
    expect([stopped.status, stopped.body.errorCode]).toEqual([429, 'TOO_MANY_REQUESTS']);
    const waitSeconds = Number(stopped.headers['retry-after']);
    expect(waitSeconds).toBeGreaterThan(3500);
    expect((await redeem(code, '192.0.2.1')).status).toBe(429);
    expect((await lookup(code, '192.0.2.2')).status).toBe(200);
    test.clock.advance(waitSeconds);
    expect((await lookup(code, '192.0.2.1')).status).toBe(200);
  });

  it('never count valid scans, refusals with a known code, or a missing phone number', async () => {
    const { code } = await aCode(test);
    const { code: early } = await aCode(test, { starts_at: '2999-01-01T00:00:00Z' });
    for (let n = 0; n < 30; n += 1) {
      await lookup(code, '192.0.2.3');
      await lookup(early, '192.0.2.3');
      await test.call({ path: '/redemption/redeem', body: { code: 'ZZZZZZZZZ' }, ip: '192.0.2.3' });
    }
    expect((await redeem(code, '192.0.2.3')).status).toBe(200);
  });

  it('count an IPv6 neighbour of the same /64 as the same, and a /24 together', async () => {
    await miss(10, (n) => `2001:db8:5:5::${n + 1}`);
    expect(await miss(1, () => '2001:db8:5:5:ffff::1')).toEqual([429]);
    expect(await miss(100, (n) => `198.51.100.${n + 1}`)).not.toContain(429);
    expect(await miss(1, () => '198.51.100.250')).toEqual([429]);
    expect(await miss(1, () => '198.51.101.250')).toEqual([404]);
  });

  it('let five unknown codes a second through in all, whoever tries', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 40 }, (_, n) => lookup('ZZZZZZZZZ', `10.${n}.0.1`)),
    ).then((answers) => answers.map(({ status }) => status));
    expect(statuses.filter((status) => status === 404)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(35);
    const { code } = await aCode(test);
    const held = await lookup(code, '10.200.0.1');
    expect([held.status, held.headers['retry-after']]).toEqual([429, '1']);
    test.clock.advance(1);
    expect((await lookup(code, '10.200.0.1')).status).toBe(200);
  });

  it('write nothing for what they stop', async () => {
    await miss(10, () => '192.0.2.9');
    const count = () => sql(test, 'SELECT count(*) FROM redemption_attempts');
    const before = await count();
    await lookup('ZZZZZZZZZ', '192.0.2.9');
    expect(await count()).toEqual(before);
  });
});
