import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { startIdentity } from '../../../../test/support/test-identity.ts';
import type { TestIdentity } from '../../../../test/support/test-identity.ts';

let db: TestDatabase;
let service: TestIdentity;
beforeAll(async () => {
  db = await createTestDatabase();
  service = await startIdentity(db, {});
});
// No test is refused for what others sent.
beforeEach(() => service.clock.advance(3600 * 25));
afterAll(async () => {
  await service.app.close();
  await db.drop();
});

const password = 'a long password';
let numbers = 0;
const aNumber = (): string => `+88014${String((numbers += 1)).padStart(4, '0')}7777`;

async function anAccount(): Promise<{ msisdn: string; token: string }> {
  const msisdn = aNumber();
  await service.call({ method: 'POST', path: '/auth/send-otp', body: { msisdn } });
  const answer = await service.call({
    method: 'POST',
    path: '/auth/register',
    body: { msisdn, otp_code: service.phones.codeFor(msisdn), name: 'Rahima', password },
  });
  const { accessToken }: { accessToken: string } = answer.body.data;
  // The next code to the same number may go out.
  service.clock.advance(61);
  return { msisdn, token: accessToken };
}

/** What asks for a text, and where the text goes. */
const askers = {
  'send-otp': async () => {
    const msisdn = aNumber();
    return { to: msisdn, path: '/auth/send-otp', body: { msisdn } };
  },
  'forgot-password': async () => {
    const { msisdn } = await anAccount();
    return { to: msisdn, path: '/auth/forgot-password', body: { msisdn } };
  },
  'the change of the number': async () => {
    const { token } = await anAccount();
    const msisdn = aNumber();
    return { to: msisdn, path: '/user/msisdn/change', body: { msisdn, password }, token };
  },
};

describe.each(Object.entries(askers))('the text that %s sends', (_name, ask) => {
  it.each([
    ['', undefined, 'English'],
    ['?lang=bn', undefined, 'Bangla'],
    ['', 'bn-BD,en;q=0.8', 'Bangla'],
    ['?lang=en', 'bn-BD', 'English'],
    ['?lang=fr', 'bn', 'English'],
    ['', 'en,bn', 'English'],
  ])('with the query "%s" and Accept-Language %s is in %s', async (query, acceptLanguage, language) => {
    const { to, path, ...request } = await ask();
    const asked = { method: 'POST' as const, path: `${path}${query}`, ...request };
    const answer = await service.call(acceptLanguage === undefined ? asked : { ...asked, acceptLanguage });
    expect(answer.status).toBe(200);
    const text = service.phones.texts.findLast((message) => message.to === to)?.text;
    const code = service.phones.codeFor(to);
    expect(text).toBe(
      language === 'Bangla'
        ? `আপনার কোড ${code}। এটি 5 মিনিট কাজ করবে। কাউকে দেবেন না।`
        : `Your code is ${code}. It works for 5 minutes. Give it to nobody.`,
    );
  });
});
