import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aCampaign, aCode, someCodes, sql, startRedemption } from '../test-redemption.ts';
import type { TestAnswer, TestCode, TestRedemption } from '../test-redemption.ts';

let one: TestRedemption;
/** A second process on the same database. */
let two: TestRedemption;
beforeAll(async () => {
  one = await startRedemption();
  two = await startRedemption({ db: one.db, box: one.box });
});
afterAll(async () => {
  await two.close();
  await one.close();
});

interface Answered {
  readonly code: string;
  readonly voucher_code: string;
}

const redeem = (at: TestRedemption, code: string, ip: string) =>
  at.call<Answered>({ path: '/redemption/redeem', body: { code, phone: '01712345678' }, ip });

function tally(answers: readonly TestAnswer<Answered>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = status === 200 ? 'redeemed' : body.data.code;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

/** `n` of something at once, on both processes in turn. */
const atOnce = <Value>(n: number, ask: (at: TestRedemption, index: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: n }, (_, index) => ask(index % 2 === 0 ? one : two, index)));

describe('redeeming at once', () => {
  it('gives a code to one of two, and already_redeemed to the other, from one address and from two', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { code } = await aCode(one);
      const isOneAddress = round % 2 === 0;
      const answers = await Promise.all(
        [one, isOneAddress ? one : two].map((at, index) =>
          redeem(at, code, isOneAddress ? '192.0.2.1' : `192.0.2.${index + 1}`),
        ),
      );
      expect(tally(answers)).toEqual({ redeemed: 1, already_redeemed: 1 });
    }
  });

  it.each(['one address', 'a thousand addresses'])(
    'gives a code to one of a thousand from %s, and already_redeemed to 999',
    async (from) => {
      const { code, campaign } = await aCode(one);
      const ipOf = (n: number): string =>
        from === 'one address' ? '192.0.2.1' : `10.1.${n >> 8}.${n & 255}`;
      const answers = await atOnce(1000, (at, index) =>
        redeem(from === 'one address' ? one : at, code, ipOf(index)),
      );
      expect(tally(answers)).toEqual({ redeemed: 1, already_redeemed: 999 });
      const logged = await sql(
        one,
        'SELECT outcome, count(*)::int AS n FROM redemption_attempts WHERE campaign_id = $1 GROUP BY 1 ORDER BY 1',
        [campaign.id],
      );
      expect(logged).toEqual([
        { outcome: 'already_redeemed', n: 999 },
        { outcome: 'redeemed', n: 1 },
      ]);
      if (from === 'one address') expect((await redeem(two, code, '192.0.2.1')).status).toBe(200);
    },
  );

  it('gives one address no more than max_per_ip of 64 at once', async () => {
    const campaign = await aCampaign(one, { max_per_ip: 3 });
    const codes = await someCodes(one, campaign, 64);
    const answers = await atOnce(64, (at, index) => redeem(at, codes[index]?.code ?? '', '192.0.2.50'));
    expect(tally(answers)).toEqual({ redeemed: 3, ip_limit_reached: 61 });
  });

  it('counts what an address took before a limit was set, though it is set in the middle of redeeming', async () => {
    for (let round = 0; round < 5; round += 1) {
      const campaign = await aCampaign(one);
      const codes = await someCodes(one, campaign, 60);
      const setLimit = async () =>
        one.admin({ path: `/campaigns/${campaign.id}`, method: 'PUT', body: { max_per_ip: 10 } });
      const [answers] = await Promise.all([
        atOnce(60, (at, index) => redeem(at, codes[index]?.code ?? '', '192.0.2.60')),
        setLimit(),
      ]);
      const taken = tally(answers)['redeemed'] ?? 0;
      const [counter] = await sql<{ redeemed: number }>(
        one,
        'SELECT redeemed FROM redemption_ip_counters WHERE campaign_id = $1',
        [campaign.id],
      );
      expect(counter?.redeemed ?? 0).toBe(taken);
      expect(taken).toBeGreaterThanOrEqual(10);
    }
  });

  it('never leaves a redeemed code without its row when the campaign is deleted meanwhile', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 40; round += 1) {
      const { code, campaign } = await aCode(one);
      const [redeemed, deleted] = await Promise.all([
        redeem(two, code, '192.0.2.70'),
        one.admin({ path: `/campaigns/${campaign.id}`, method: 'DELETE' }),
      ]);
      outcomes.add(`${redeemed.status}/${deleted.status}`);
      const rows = await sql<{ status: string }>(
        one,
        'SELECT status FROM redemption_codes WHERE campaign_id = $1',
        [campaign.id],
      );
      expect(rows.length === 1).toBe(redeemed.status === 200);
    }
    expect([...outcomes].every((outcome) => outcome === '200/409' || outcome === '404/200')).toBe(true);
  });

  it('either redeems or voids a code, never both', async () => {
    for (let round = 0; round < 40; round += 1) {
      const { code, id, campaign } = await aCode(one);
      const voiding = { path: `/campaigns/${campaign.id}/codes/void`, body: { ids: [id] } };
      const [redeemed, voided] = await Promise.all([
        redeem(two, code, '192.0.2.80'),
        one.admin<{ voided: number }>(voiding),
      ]);
      expect([redeemed.status === 200, voided.body.data.voided === 1].filter(Boolean)).toHaveLength(1);
    }
  });
});

/** Four codes, one after the other, by whoever comes: none is given twice. */
describe('a crowd', () => {
  it('takes each code once', async () => {
    const campaign = await aCampaign(one);
    const codes: TestCode[] = await someCodes(one, campaign, 25);
    const answers = await atOnce(500, (at, index) =>
      redeem(at, codes[index % 25]?.code ?? '', `10.9.${index >> 8}.${index & 255}`),
    );
    const given = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.voucher_code);
    expect(given).toHaveLength(25);
    expect(new Set(given).size).toBe(25);
  });
});
