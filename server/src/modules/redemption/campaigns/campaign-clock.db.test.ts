import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aCampaign, aCode, generate, someCodes, sql, startRedemption } from '../test-redemption.ts';
import type { TestRedemption } from '../test-redemption.ts';

let test: TestRedemption;
beforeAll(async () => {
  test = await startRedemption();
});
afterAll(() => test.close());

const START = '2026-11-21T10:00:00.000Z';
const END = '2026-11-21T20:00:00.000Z';

async function refusal(codeStatus: string, campaignStatus: string, moment: string) {
  const [row] = await sql<{ refusal: string | null }>(
    test,
    'SELECT redemption_refusal($1, $2, $3, $4, $5) AS refusal',
    [codeStatus, campaignStatus, START, END, moment],
  );
  return row?.refusal;
}

describe('the clock of a campaign', () => {
  it.each([
    ['2026-11-21T09:59:59.999Z', 'not_started'],
    ['2026-11-21T10:00:00.000Z', null],
    ['2026-11-21T20:00:00.000Z', null],
    ['2026-11-21T20:00:00.001Z', 'expired'],
  ])('is exact to the millisecond: at %s it says %s', async (moment, expected) => {
    expect(await refusal('unused', 'active', moment)).toBe(expected);
  });

  it('puts reasons in the order that is decided', async () => {
    const [before, within, after] = ['2026-11-21T09:00:00Z', '2026-11-21T12:00:00Z', '2026-11-22T09:00:00Z'];
    for (const moment of [before, within, after]) {
      for (const campaign of ['active', 'paused', 'expired']) {
        expect(await refusal('voided', campaign, moment)).toBe('voided');
        expect(await refusal('redeemed', campaign, moment)).toBe('already_redeemed');
        expect(await refusal('expired', campaign, moment)).toBe('expired');
      }
    }
    for (const code of ['unused', 'pending_stock']) {
      for (const campaign of ['active', 'paused', 'expired']) {
        expect(await refusal(code, campaign, before)).toBe('not_started');
        expect(await refusal(code, campaign, after)).toBe('expired');
      }
      expect(await refusal(code, 'paused', within)).toBe('campaign_inactive');
      expect(await refusal(code, 'expired', within)).toBe('campaign_inactive');
    }
    expect(await refusal('pending_stock', 'active', within)).toBe('temporarily_unavailable');
    expect(await refusal('unused', 'active', within)).toBe(null);
  });

  it('turns every process at one moment, without a job having run', async () => {
    const other = await startRedemption({ db: test.db, box: test.box });
    const ends = new Date(Date.now() + 1_500);
    const { code } = await aCode(test, { ends_at: ends.toISOString() });
    const seen: { at: TestRedemption; before: number; after: number; status: number }[] = [];
    while (Date.now() < ends.getTime() + 100) {
      for (const at of [test, other]) {
        const before = Date.now();
        const { status } = await at.call({ path: `/redemption/lookup/${code}` });
        seen.push({ at, before, after: Date.now(), status });
      }
    }
    for (const { before, after, status } of seen) {
      if (after < ends.getTime()) expect(status).toBe(200);
      if (before > ends.getTime()) expect(status).toBe(410);
    }
    expect(new Set(seen.filter(({ status }) => status === 410).map(({ at }) => at)).size).toBe(2);
    await other.close();
  });
});

describe('codes of a campaign that has ended', () => {
  const over = { starts_at: '2020-01-01T00:00:00Z', ends_at: '2020-01-02T00:00:00Z' };
  const stored = (campaignId: number) =>
    sql<{ status: string }>(test, 'SELECT status FROM redemption_codes WHERE campaign_id = $1 ORDER BY id', [
      campaignId,
    ]).then((rows) => rows.map(({ status }) => status));
  const sweep = () => test.redemption.sweeps.find(({ name }) => name === 'expire_redemption_codes')?.run();

  it('read as expired at once and are stored so by the sweep, redeemed and voided ones excepted', async () => {
    const campaign = await aCampaign(test);
    const codes = await someCodes(test, campaign, 3);
    await generate(test, campaign, { count: 1 });
    await test.call({ path: '/redemption/redeem', body: { code: codes[0]?.code, phone: '1' } });
    await test.admin({ path: `/campaigns/${campaign.id}/codes/void`, body: { ids: [codes[1]?.id] } });
    await test.admin({ path: `/campaigns/${campaign.id}`, method: 'PUT', body: over });

    const totals = { unused: 0, pending_stock: 0, redeemed: 1, voided: 1, expired: 2 };
    const stats = () => test.admin<{ totals: unknown }>({ path: `/campaigns/${campaign.id}/stats` });
    expect((await stats()).body.data.totals).toEqual(totals);
    expect(await stored(campaign.id)).toEqual(['redeemed', 'voided', 'unused', 'pending_stock']);
    const listed = await test.admin<{ items: { status: string }[] }>({
      path: `/campaigns/${campaign.id}/codes?status=expired`,
    });
    expect(listed.body.data.items).toHaveLength(2);

    await sweep();
    expect(await stored(campaign.id)).toEqual(['redeemed', 'voided', 'expired', 'expired']);
    expect((await stats()).body.data.totals).toEqual(totals);
  });

  it('are expired for ever, whether or not the sweep had come by when the end was moved', async () => {
    for (const isSwept of [true, false]) {
      const { code, campaign } = await aCode(test, over);
      if (isSwept) await sweep();
      const moved = { method: 'PUT' as const, body: { ends_at: '2999-01-01T00:00:00Z' } };
      expect((await test.admin({ path: `/campaigns/${campaign.id}`, ...moved })).status).toBe(200);
      expect((await test.call({ path: `/redemption/lookup/${code}` })).status).toBe(410);
      const [fresh] = await someCodes(test, campaign, 1);
      expect((await test.call({ path: `/redemption/lookup/${fresh?.code}` })).status).toBe(200);
    }
  });

  it('are found by the sweep also when they were added after it had passed', async () => {
    const campaign = await aCampaign(test, over);
    await someCodes(test, campaign, 1);
    await sweep();
    await someCodes(test, campaign, 1);
    await sweep();
    expect(await stored(campaign.id)).toEqual(['expired', 'expired']);
  });
});
