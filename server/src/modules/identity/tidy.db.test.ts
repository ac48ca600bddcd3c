import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import { startIdentity } from '../../../test/support/test-identity.ts';
import type { TestIdentity } from '../../../test/support/test-identity.ts';

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

const password = 'a long password';
const msisdn = '+8801711111111';
const signIn = async (given: string): Promise<{ refreshToken: string }> =>
  (await service.call({ method: 'POST', path: '/auth/sign-in', body: { msisdn, password: given } })).body
    .data;

async function counts(): Promise<Record<string, number>> {
  const { rows } = await db.query<Record<string, number>>(
    `SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM refresh_tokens) AS refresh_tokens,
       (SELECT count(*) FROM otps) AS otps, (SELECT count(*) FROM guess_counters) AS guess_counters`,
  );
  return rows[0] ?? {};
}
const tidy = () => Promise.all(service.identity.sweeps.map((sweep) => sweep.run()));

describe('tidying up', () => {
  it('deletes what has run out, and nothing that still counts', async () => {
    await service.identity.ensureDemoCustomer({ msisdn, name: 'K', email: 'k@example.com', password });
    const first = await signIn(password);
    await service.call({ method: 'POST', path: '/auth/sign-out', body: first });
    await signIn(password);
    await signIn('wrong password');
    await service.call({ method: 'POST', path: '/auth/send-otp', body: { msisdn } });
    const before = await counts();
    await tidy();
    expect(await counts()).toEqual(before);
    expect(before).toEqual({ sessions: 2, refresh_tokens: 2, otps: 1, guess_counters: 2 });

    service.clock.advance(15 * 60);
    await tidy();
    expect(await counts()).toMatchObject({ sessions: 2, otps: 1, guess_counters: 0 });

    service.clock.advance(8 * 86_400);
    await tidy();
    expect(await counts()).toMatchObject({ sessions: 2, otps: 0 });

    service.clock.advance(23 * 86_400);
    await tidy();
    expect(await counts()).toMatchObject({ sessions: 1, refresh_tokens: 1 });

    service.clock.advance(30 * 86_400);
    await tidy();
    expect(await counts()).toMatchObject({ sessions: 0, refresh_tokens: 0 });
  });
});
