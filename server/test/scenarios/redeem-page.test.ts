import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aCampaign } from '../support/campaigns.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { mailsTo } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;
beforeAll(async () => {
  service = await startTestService({ environment: { TRUST_PROXY: '127.0.0.1/32' } });
  operator = await anOperator(service);
});
afterAll(() => service.close());

interface Visit {
  readonly ip?: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

async function visit(path: string, { ip = '192.0.2.1', form, headers = {} }: Visit = {}) {
  const response = await fetch(`${service.url}${path}`, {
    redirect: 'manual',
    headers: { 'x-forwarded-for': ip, ...headers },
    ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, bytes: Buffer.byteLength(text) };
}

const phone = '01712345678';

/** Where a printed QR code leads: decisions parts 1 and 7, interface part 4. */
describe('the redeem page', () => {
  it('leads from the scanned link to the code and to the letter with it, without a script', async () => {
    const { id, tokens } = await aCampaign(service, operator, {
      codes: 1,
      headline: 'Free data <today>',
      cta_text: 'Give me my data',
      instruction_template: 'Dial *121#',
    });
    const path = `/redeem/${tokens[0]?.toLowerCase()}`;

    const offered = await visit(path);
    expect(offered.status).toBe(200);
    expect(offered.text).toContain('<h1>Free data &lt;today></h1>');
    expect(offered.text).toMatch(/<button[^>]*>Give me my data<\/button>/);
    expect(offered.text).not.toMatch(/<script|GIFT-1/);
    expect(offered.bytes).toBeLessThan(8_000);
    expect(offered.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(offered.headers.get('cache-control')).toBe('no-store');

    const redeemed = await visit(path, { form: { phone, email: 'paper@example.com' } });
    expect(redeemed.status).toBe(200);
    expect(redeemed.text).toContain('>GIFT-1</output>');
    expect(redeemed.text).toContain('Dial *121#');
    expect(redeemed.text).toContain('paper@example.com');
    await service.drain();
    expect((await mailsTo(service, 'paper@example.com')).map(({ text }) => text.includes('GIFT-1'))).toEqual([
      true,
    ]);

    // Reloading asks again, as the API does.
    expect((await visit(path)).text).toContain('Show it again');
    expect((await visit(path, { form: { phone } })).text).toContain('GIFT-1');
    const stranger = await visit(path, { ip: '192.0.2.2', form: { phone } });
    expect([stranger.status, stranger.text.includes('GIFT-1')]).toEqual([410, false]);
    expect(stranger.text).toContain('redeemed already');

    const attempts = await operate<{ items: { action: string; outcome: string }[] }>(service, operator, {
      path: `/redemption/campaigns/${id}/attempts`,
    });
    expect(attempts.data.items.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'redeem already_redeemed',
      'redeem revealed_again',
      'lookup redeemed',
      'redeem redeemed',
      'lookup available',
    ]);
  });

  it('asks again for what the form lacks, keeping what was typed', async () => {
    const { tokens } = await aCampaign(service, operator, { codes: 1 });
    const path = `/redeem/${tokens[0]}`;
    const nameless = await visit(path, { form: { email: 'kept@example.com' } });
    expect([nameless.status, nameless.text.includes('value="kept@example.com"')]).toEqual([400, true]);
    expect(nameless.text).toContain('role="alert"');
    const wrong = await visit(path, { form: { phone, email: 'nobody' } });
    expect([wrong.status, wrong.text.includes(`value="${phone}"`)]).toEqual([400, true]);
    expect((await visit(path, { form: { phone } })).text).toContain('GIFT-1');
  });

  it('takes a typed code to its page, and says what is wrong with one, in Bangla too', async () => {
    const typed = await visit('/redeem?code=%20abc-def%20');
    expect([typed.status, typed.headers.get('location')]).toEqual([303, '/redeem/abc-def']);
    expect((await visit('/redeem')).text).toContain('<form action="/redeem" method="get">');

    const unknown = await visit('/redeem/ABCDEFGHJ');
    expect([unknown.status, unknown.text.includes('cannot find this code')]).toEqual([404, true]);
    const bangla = await visit('/redeem/ABCDEFGHJ', { headers: { 'accept-language': 'bn-BD' } });
    expect(bangla.text).toContain('<html lang="bn">');
    expect(bangla.text).toContain('কোডটি পাওয়া যায়নি');
    const asked = await visit('/redeem?code=abc&lang=bn');
    expect(asked.headers.get('location')).toBe('/redeem/abc?lang=bn');
  });

  it.each([
    ['paused', 410, 'not active'],
    ['ends_at', 410, 'has ended'],
    ['starts_at', 410, 'not started'],
  ])('says why a code of a campaign cannot be used: %s', async (what, status, text) => {
    const moment = { ends_at: '2020-01-01T00:00:00Z', starts_at: '2099-01-01T00:00:00Z' };
    const change = what === 'paused' ? { status: 'paused' } : { [what]: moment[what as keyof typeof moment] };
    const { tokens } = await aCampaign(service, operator, { codes: 1, ...change });
    const shown = await visit(`/redeem/${tokens[0]}`);
    expect([shown.status, shown.text.includes(text)]).toEqual([status, true]);
  });

  it('takes no code for a form on somebody else’s page', async () => {
    const { tokens } = await aCampaign(service, operator, { codes: 1 });
    const path = `/redeem/${tokens[0]}`;
    const crossed = await visit(path, { form: { phone }, headers: { 'sec-fetch-site': 'cross-site' } });
    expect([crossed.status, crossed.text.includes('GIFT-1')]).toEqual([200, false]);
    expect(
      (await visit(path, { form: { phone }, headers: { 'sec-fetch-site': 'same-origin' } })).text,
    ).toContain('GIFT-1');
  });

  it('slows guessing down as the API does, and says when to come back', async () => {
    const guesses: number[] = [];
    for (let n = 0; n < 12; n += 1)
      guesses.push((await visit(`/redeem/WRNGCDE${n}`, { ip: '198.51.100.7' })).status);
    expect([...new Set(guesses)]).toEqual([404, 429]);
    const slowed = await visit('/redeem/WRNGCDEXX', { ip: '198.51.100.7' });
    expect([slowed.status, slowed.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
