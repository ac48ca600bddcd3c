import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { systemRandom } from '../../../platform/random.ts';
import { aCampaign, generate, sql, startRedemption } from '../test-redemption.ts';
import type { TestRedemption } from '../test-redemption.ts';

let test: TestRedemption;
/** Draws these tokens first. */
const planned: string[] = [];
beforeAll(async () => {
  const random = {
    ...systemRandom,
    text: (alphabet: string, length: number) => planned.shift() ?? systemRandom.text(alphabet, length),
  };
  test = await startRedemption({ random });
});
afterAll(() => test.close());

interface Generated {
  readonly generation_id: number;
  readonly created: number;
  readonly status: string;
  readonly code_length: number;
  readonly codes: readonly { id: number; code: string }[];
}

const ask = (campaignId: number, body: object) =>
  test.admin<Generated>({ path: `/campaigns/${campaignId}/codes/generate`, body });
const countCodes = async (campaignId: number) =>
  (await test.admin<{ code_count: number }>({ path: `/campaigns/${campaignId}` })).body.data.code_count;

describe('generating codes', () => {
  it('makes `unused` codes of entries, in their order, and `pending_stock` ones of a count', async () => {
    const campaign = await aCampaign(test);
    const entries = [{ actual_voucher_code: ' A-1 ' }, { actual_voucher_code: 'A-2', instructions: 'own' }];
    const made = await ask(campaign.id, { entries });
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({ created: 2, status: 'unused', code_length: 9 });
    for (const { code } of made.body.data.codes) expect(code).toMatch(/^[ABCDEFGHJKMNPQRSTUVWXYZ2-9]{9}$/);
    const first = await test.call<{ voucher_code: string }>({
      path: '/redemption/redeem',
      body: { code: made.body.data.codes[0]?.code, phone: '1' },
    });
    expect(first.body.data.voucher_code).toBe('A-1');
    const pending = await ask(campaign.id, { count: 3, code_length: 12 });
    expect(pending.body.data).toMatchObject({ created: 3, status: 'pending_stock', code_length: 12 });
    expect(pending.body.data.codes[0]?.code).toHaveLength(12);
    expect((await test.call({ path: `/redemption/lookup/${pending.body.data.codes[0]?.code}` })).status).toBe(
      503,
    );
  });

  it('uses the campaign’s own length when none is asked for', async () => {
    const campaign = await aCampaign(test, { code_length: 14 });
    const [code] = await generate(test, campaign, { count: 1 });
    expect(code?.code).toHaveLength(14);
  });

  it('stores tokens and voucher codes sealed only', async () => {
    const campaign = await aCampaign(test);
    const [code] = await generate(test, campaign, { entries: [{ actual_voucher_code: 'PLAIN-SECRET' }] });
    const [dump] = await sql<{ text: string }>(
      test,
      `SELECT string_agg(encode(token_digest, 'escape') || encode(token_sealed, 'escape')
         || encode(voucher_code_sealed, 'escape') || encode(voucher_code_digest, 'escape'), '') AS text
       FROM redemption_codes WHERE campaign_id = $1`,
      [campaign.id],
    );
    expect(dump?.text).not.toContain('PLAIN-SECRET');
    expect(dump?.text).not.toContain(code?.code ?? '-');
    expect(JSON.stringify(test.audit)).not.toContain('PLAIN-SECRET');
  });

  it('draws again when a token is taken, within a run, within a campaign and elsewhere', async () => {
    const [one, two] = [await aCampaign(test), await aCampaign(test)];
    planned.push('AAAAAAAA2');
    await generate(test, one, { count: 1 });
    planned.push('AAAAAAAA2', 'AAAAAAAA3', 'AAAAAAAA3', 'AAAAAAAA4');
    const codes = await generate(test, two, { count: 3 });
    expect(codes.map(({ code }) => code).slice(1)).toEqual(['AAAAAAAA3', 'AAAAAAAA4']);
    expect(new Set(codes.map(({ code }) => code)).size).toBe(3);
  });

  it('gives up after count × 10 tries with 409, and nothing is left of it', async () => {
    const campaign = await aCampaign(test);
    const all = await ask(campaign.id, { count: 25, code_length: 1 });
    const before = await countCodes(campaign.id);
    const refused = await ask(campaign.id, { count: 32, code_length: 1 });
    expect([all.status, refused.status, refused.body.errorCode]).toEqual([201, 409, 'CONFLICT']);
    expect(refused.body.data).toEqual({ type: 'TokensExhaustedError', requested: 32, tries: 320 });
    expect(await countCodes(campaign.id)).toBe(before);
    const runs = await test.admin<{ items: object[] }>({ path: `/campaigns/${campaign.id}/generations` });
    expect(runs.body.data.items).toMatchObject([
      { state: 'failed', requested: 32, created: 0 },
      { state: 'done', requested: 25, created: 25 },
    ]);
  });

  it('makes exactly the last free tokens when there are just enough', async () => {
    const campaign = await aCampaign(test);
    const [free] = await sql<{ n: number }>(
      test,
      'SELECT 31 - count(*)::int AS n FROM redemption_codes WHERE octet_length(token_sealed) = 1 + 4 + 12 + 16 + 1',
    );
    const missing = free?.n ?? 0;
    planned.push(...'ABCDEFGHJKMNPQRSTUVWXYZ23456789'.split(''));
    expect((await ask(campaign.id, { count: missing, code_length: 1 })).body.data.created).toBe(missing);
    expect((await ask(campaign.id, { count: 1, code_length: 1 })).status).toBe(409);
  });

  it(
    'makes 50,000 at once, all different, and shows how far it is meanwhile',
    { timeout: 120_000 },
    async () => {
      const campaign = await aCampaign(test);
      const seen: number[] = [];
      const progress = { isDone: false };
      const running = ask(campaign.id, { count: 50_000 }).finally(() => {
        progress.isDone = true;
      });
      while (!progress.isDone) {
        const runs = await test.admin<{ items: { state: string; created: number }[] }>({
          path: `/campaigns/${campaign.id}/generations`,
        });
        const [run] = runs.body.data.items;
        if (run?.state === 'running') seen.push(run.created);
      }
      const made = await running;
      expect(made.body.data.created).toBe(50_000);
      expect(new Set(made.body.data.codes.map(({ code }) => code)).size).toBe(50_000);
      expect(seen.some((created) => created > 0 && created < 50_000)).toBe(true);
      expect(seen).toEqual(seen.toSorted((left, right) => left - right));
    },
  );

  it.each([
    [{}],
    [{ count: 0 }],
    [{ count: 50_001 }],
    [{ count: 1, entries: [{ actual_voucher_code: 'x' }] }],
    [{ entries: [] }],
    [{ entries: [{ actual_voucher_code: '  ' }] }],
    [{ entries: [{ instructions: 'x' }] }],
    [{ count: 1, code_length: 0 }],
    [{ count: 1, code_length: 33 }],
  ])('refuses %j', async (body) => {
    const campaign = await aCampaign(test);
    const answer = await ask(campaign.id, body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it(
    'takes bodies larger than others, and answers 404 for an unknown campaign',
    { timeout: 60_000 },
    async () => {
      const campaign = await aCampaign(test);
      const entries = Array.from({ length: 15_000 }, (_, n) => ({
        actual_voucher_code: `V-${n}`,
        instructions: 'x'.repeat(60),
      }));
      expect((await ask(campaign.id, { entries })).body.data.created).toBe(15_000);
      expect((await ask(999_999, { count: 1 })).status).toBe(404);
    },
  );
});
