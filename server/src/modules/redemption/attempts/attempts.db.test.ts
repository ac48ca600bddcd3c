import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aCampaign, someCodes, sql, startRedemption } from '../test-redemption.ts';
import type { TestCampaign, TestCode, TestRedemption } from '../test-redemption.ts';

let test: TestRedemption;
let campaign: TestCampaign;
let codes: TestCode[];

interface Attempt {
  readonly action: string;
  readonly outcome: string;
  readonly ip: string;
  readonly phone: string | null;
  readonly email: string | null;
  readonly code: string;
  readonly user_agent: string;
  readonly redemption_code_id: number | null;
}

beforeAll(async () => {
  test = await startRedemption();
  campaign = await aCampaign(test);
  codes = await someCodes(test, campaign, 3);
  const [first, second, third] = codes.map(({ code }) => code);
  await test.call({ path: `/redemption/lookup/${first}`, ip: '192.0.2.1' });
  const redeem = (code: string | undefined, phone: string, ip: string, email?: string) =>
    test.call({ path: '/redemption/redeem', body: { code, phone, ...(email ? { email } : {}) }, ip });
  await redeem(first, '+880 1712-345678', '192.0.2.1', 'me@example.com');
  await redeem(first, '01899999999', '192.0.2.2');
  await redeem(second, '01712345678', '2001:db8:0:1::5');
  await redeem(third, '', '192.0.2.1');
  await redeem('NOSUCHCDE', '01712345678', '192.0.2.1');
});
afterAll(() => test.close());

const list = async (query: string, path = `/campaigns/${campaign.id}/attempts`) =>
  (await test.admin<{ items: Attempt[]; pagination: { total: number } }>({ path: `${path}?${query}` })).body
    .data;

describe('the attempt log', () => {
  it('holds every lookup and redeem of a campaign, the newest first', async () => {
    const { items, pagination } = await list('');
    expect(pagination.total).toBe(5);
    expect(items.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'redeem phone_required',
      'redeem redeemed',
      'redeem already_redeemed',
      'redeem redeemed',
      'lookup available',
    ]);
    expect(items[3]).toMatchObject({
      ip: '192.0.2.1',
      phone: '+880 1712-345678',
      email: 'me@example.com',
      code: codes[0]?.code,
      redemption_code_id: codes[0]?.id,
      user_agent: 'test-browser',
    });
  });

  it.each([
    ['action=lookup', 1],
    ['outcome=redeemed', 2],
    ['outcome=already_redeemed', 1],
    ['ip=192.0.2.1', 3],
    ['ip=2001:db8:0:1:ffff::1', 1],
    ['ip=192.0.2.9', 0],
    ['phone=01712345678', 2],
    [`phone=${encodeURIComponent('+8801712345678')}`, 2],
    ['phone=01712345678&outcome=redeemed&ip=192.0.2.1', 1],
    ['limit=2&page=3', 5],
  ])('is filtered: %s', async (query, total) => {
    const { items, pagination } = await list(query);
    expect(pagination.total).toBe(total);
    if (!query.includes('page')) expect(items).toHaveLength(total);
  });

  it('is filtered by code, as typed by anyone', async () => {
    expect((await list(`code=${codes[0]?.code.toLowerCase()}`)).pagination.total).toBe(3);
    expect((await list(`redemption_code_id=${codes[0]?.id}`)).pagination.total).toBe(3);
  });

  it('holds unknown codes too, which belong to no campaign', async () => {
    const { items } = await list('outcome=unknown_code', '/attempts');
    expect(items).toMatchObject([{ code: 'NOSUCHCDE', redemption_code_id: null, phone: '01712345678' }]);
  });

  it('has the tokens sealed', async () => {
    const [row] = await sql<{ text: string }>(
      test,
      `SELECT string_agg(encode(token_sealed, 'escape'), ' ') AS text FROM redemption_attempts`,
    );
    for (const { code } of codes) expect(row?.text).not.toContain(code);
  });

  it('refuses filters that are none', async () => {
    const answer = await test.admin({ path: `/campaigns/${campaign.id}/attempts?outcome=lost` });
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, 'outcome']);
  });
});
