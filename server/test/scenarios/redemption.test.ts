import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aCampaign, redeem } from '../support/campaigns.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aVariant, call, mailsTo } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;
beforeAll(async () => {
  service = await startTestService({ environment: { TRUST_PROXY: '127.0.0.1/32' } });
  operator = await anOperator(service);
});
afterAll(() => service.close());

const download = async (path: string): Promise<Response> =>
  fetch(`${service.url}/admin${path}`, { headers: { authorization: `Bearer ${operator.token}` } });

/** Interface parts 3, 4 and 7 on redemption, with everything real. */
describe('a promotional campaign', () => {
  it('goes from the first code to the letter with what it gave', { timeout: 60_000 }, async () => {
    const { variantId } = await aVariant(service);
    const campaign = await aCampaign(service, operator, {
      codes: 2,
      variant_id: variantId,
      headline: 'Free data',
      instruction_template: 'Dial *121#',
    });
    const [token] = campaign.tokens;

    const found = await call<{ status: string; campaign: { product: { name: string } } }>(service, {
      path: `/redemption/lookup/${token?.toLowerCase()}`,
    });
    expect([found.status, found.data.status, found.data.campaign.product.name]).toEqual([
      200,
      'available',
      'Gift card',
    ]);

    const redeemed = await redeem(service, token, { ip: '192.0.2.1', email: 'lucky@example.com' });
    expect([redeemed.status, redeemed.data.voucher_code, redeemed.data.instructions]).toEqual([
      200,
      'GIFT-1',
      'Dial *121#',
    ]);
    expect((await redeem(service, token, { ip: '192.0.2.2' })).data.code).toBe('already_redeemed');

    await service.drain();
    const [mail, ...others] = await mailsTo(service, 'lucky@example.com');
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Your code from Summer gift');
    expect(mail?.text).toContain('GIFT-1');

    const attempts = await operate<{ items: { outcome: string; ip: string }[] }>(service, operator, {
      path: `/redemption/campaigns/${campaign.id}/attempts`,
    });
    expect(attempts.data.items.map(({ outcome, ip }) => [outcome, ip])).toEqual([
      ['already_redeemed', '192.0.2.2'],
      ['redeemed', '192.0.2.1'],
      ['available', '127.0.0.1'],
    ]);
    const stats = await operate(service, operator, { path: `/redemption/campaigns/${campaign.id}/stats` });
    expect(stats.data).toMatchObject({ total: 2, conversion_rate: 0.5 });
  });

  it('is exported and printed by those who may, and it is known who did', { timeout: 60_000 }, async () => {
    const campaign = await aCampaign(service, operator, { codes: 3 });
    const codes = `/redemption/campaigns/${campaign.id}/codes`;
    const csv = await (await download(`${codes}/export?base_url=https://promo.example`)).text();
    expect(csv.split('\r\n')[0]).toBe('code,url,status,actual_voucher_code,created_at');
    expect(csv).toContain(`https://promo.example/redeem/${campaign.tokens[0]}`);
    const pdf = Buffer.from(await (await download(`${codes}/sheet.pdf`)).arrayBuffer());
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    const zip = unzipSync(new Uint8Array(await (await download(`${codes}/qr.zip`)).arrayBuffer()));
    expect(Object.keys(zip).filter((name) => name.startsWith('qr/'))).toHaveLength(3);

    const { rows } = await service.db.query<{ action: string; entry: string }>(
      `SELECT action, audit_logs::text AS entry FROM audit_logs
       WHERE resource_type = 'redemption_campaign' AND resource_id = $1 ORDER BY id`,
      [String(campaign.id)],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'redemption:create-campaign',
      'redemption:generate-codes',
      'redemption:export-codes',
      'redemption:print-codes',
      'redemption:print-codes',
    ]);
    for (const { entry } of rows) expect(entry).not.toContain('GIFT');

    const reader = await anOperator(service, ['support']);
    for (const path of [`${codes}/export`, `${codes}/sheet.pdf`, `${codes}/qr.zip`]) {
      expect((await operate(service, reader, { path })).status).toBe(403);
    }
    expect((await operate(service, reader, { path: codes })).status).toBe(200);
  });

  it('ends by its clock, and the sweep puts that on record', async () => {
    const campaign = await aCampaign(service, operator, { codes: 1, ends_at: '2020-01-01T00:00:00Z' });
    const answer = await redeem(service, campaign.tokens[0]);
    expect([answer.status, answer.errorCode, answer.data.code]).toEqual([410, 'GONE', 'expired']);
    await service.sweep('expire_redemption_codes');
    const { rows } = await service.db.query('SELECT status FROM redemption_codes WHERE campaign_id = $1', [
      campaign.id,
    ]);
    expect(rows).toEqual([{ status: 'expired' }]);
  });
});

/** Decisions part 8. */
describe('limits on redemption', () => {
  it(
    'stop an address after 120 requests a minute, lookups and redeems together',
    { timeout: 60_000 },
    async () => {
      const strict = await startTestService({ beside: service, environment: { THROTTLE_SCALE: '1' } });
      try {
        const { tokens } = await aCampaign(service, operator, { codes: 1 });
        const statuses: number[] = [];
        for (let n = 0; n < 121; n += 1) {
          const answer =
            n % 2 === 0
              ? await redeem(strict, tokens[0])
              : await call(strict, { path: `/redemption/lookup/${tokens[0]}` });
          statuses.push(answer.status);
          if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        }
        expect(statuses.slice(0, 120)).not.toContain(429);
        expect(statuses.at(-1)).toBe(429);
      } finally {
        await strict.close();
      }
    },
  );

  it('stop guessing whatever THROTTLE_SCALE says', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const guess = {
        path: '/redemption/lookup/ZZZZZZZZZ',
        headers: { 'x-forwarded-for': '203.0.113.200' },
      };
      statuses.push((await call(service, guess)).status);
    }
    expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(10);
    expect(statuses.at(-1)).toBe(429);
  });
});
