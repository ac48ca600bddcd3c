import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  aCampaign,
  aCode,
  attemptsOf,
  generate,
  redeemedEarlier,
  sql,
  startRedemption,
} from '../test-redemption.ts';
import type { TestAnswer, TestRedemption } from '../test-redemption.ts';

let test: TestRedemption;
beforeAll(async () => {
  test = await startRedemption();
});
afterAll(() => test.close());

interface Redeemed {
  readonly status: string;
  readonly campaign: { id: number; product: unknown };
  readonly voucher_code: string;
  readonly instructions: string | null;
  readonly code: string;
}

const lookup = (code: string, ip?: string) =>
  test.call<Redeemed>({ path: `/redemption/lookup/${encodeURIComponent(code)}`, ...(ip ? { ip } : {}) });
const redeem = (body: Readonly<Record<string, unknown>>, ip?: string) =>
  test.call<Redeemed>({ path: '/redemption/redeem', body, ...(ip ? { ip } : {}) });
const refusal = ({ status, body }: TestAnswer<Redeemed>) => [status, body.errorCode, body.data?.code];
const HOUR = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR).toISOString();

describe('lookup', () => {
  it('answers the campaign, what is required, and never the voucher code', async () => {
    const { code, campaign } = await aCode(test, {
      headline: 'Free data',
      cta_text: 'Get it',
      description: 'One each',
    });
    const answer = await lookup(code);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      message: 'OK',
      data: {
        status: 'available',
        campaign: {
          id: campaign.id,
          name: 'Summer gift',
          slug: campaign.slug,
          headline: 'Free data',
          cta_text: 'Get it',
          description: 'One each',
          product: null,
        },
        requires: { phone: true, email: false },
      },
    });
    expect(answer.raw.toString()).not.toContain('GIFT');
  });

  it('shows the product of the campaign', async () => {
    const [variant] = await sql<{ id: number }>(
      test,
      `WITH b AS (INSERT INTO brands (name, slug) VALUES ('B', 'b') RETURNING id),
         c AS (INSERT INTO categories (name, slug) VALUES ('C', 'c') RETURNING id),
         t AS (INSERT INTO product_types (name, slug) VALUES ('T', 't') RETURNING id),
         p AS (INSERT INTO products (brand_id, category_id, product_type_id, name, slug, status)
               SELECT b.id, c.id, t.id, 'Data pack', 'data-pack', 'active' FROM b, c, t RETURNING id)
       INSERT INTO product_variants (product_id, name, sku, price_minor) SELECT id, '1 GB', 'SKU', 100 FROM p RETURNING id`,
    );
    const { code } = await aCode(test, { variant_id: variant?.id });
    expect((await lookup(code)).body.data.campaign.product).toMatchObject({
      name: 'Data pack',
      slug: 'data-pack',
      variant: { id: variant?.id, name: '1 GB' },
    });
  });

  it('changes nothing but the log, however often it is called', async () => {
    const { code, id, campaign } = await aCode(test, { max_per_ip: 1 });
    const snapshot = () =>
      sql(
        test,
        `SELECT code.*, code.xmin::text, campaign.xmin::text AS campaign_xmin,
           (SELECT count(*) FROM redemption_ip_counters) AS counters, (SELECT count(*) FROM outbox_events) AS events
         FROM redemption_codes code JOIN redemption_campaigns campaign ON campaign.id = campaign_id WHERE code.id = $1`,
        [id],
      );
    const before = await snapshot();
    const answers = await Promise.all(Array.from({ length: 50 }, () => lookup(code)));
    expect(new Set(answers.map((answer) => answer.body.data.status))).toEqual(new Set(['available']));
    expect(await snapshot()).toEqual(before);
    const [counted] = await sql<{ n: number }>(
      test,
      'SELECT count(*)::int AS n FROM redemption_attempts WHERE campaign_id = $1',
      [campaign.id],
    );
    expect(counted?.n).toBe(50);
  });

  it('answers `redeemed` without the code to the address that redeemed it, 410 to others', async () => {
    const { code, id } = await aCode(test);
    await redeem({ code, phone: '01712345678' }, '198.51.100.1');
    const own = await lookup(code, '198.51.100.1');
    expect([own.status, own.body.data.status]).toEqual([200, 'redeemed']);
    expect(own.raw.toString()).not.toContain('GIFT');
    expect(refusal(await lookup(code, '198.51.100.2'))).toEqual([410, 'GONE', 'already_redeemed']);
    await redeemedEarlier(test, id, '24 hours');
    expect(refusal(await lookup(code, '198.51.100.1'))).toEqual([410, 'GONE', 'already_redeemed']);
  });
});

describe('redeem', () => {
  it('answers the voucher code and the instructions, once', async () => {
    const { code, campaign } = await aCode(test, { instruction_template: 'Dial *123#' });
    const answer = await redeem({ code, phone: ' 01712345678 ' }, '198.51.100.3');
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body.data)).toEqual(['status', 'campaign', 'voucher_code', 'instructions']);
    expect(answer.body.data).toMatchObject({
      status: 'redeemed',
      campaign: { id: campaign.id },
      voucher_code: 'GIFT-1',
      instructions: 'Dial *123#',
    });
    expect(refusal(await redeem({ code, phone: '01712345678' }, '198.51.100.4'))).toEqual([
      410,
      'GONE',
      'already_redeemed',
    ]);
  });

  it('prefers a code’s own instructions, takes `msisdn` for `phone`, and any writing of the code', async () => {
    const campaign = await aCampaign(test, { instruction_template: 'general' });
    const [code] = await generate(test, campaign, {
      entries: [{ actual_voucher_code: 'V', instructions: 'special' }],
    });
    const typed = ` ${code?.code.slice(0, 3).toLowerCase()}-${code?.code.slice(3, 6)} ${code?.code.slice(6)}`;
    const answer = await redeem({ code: typed, phone: '  ', msisdn: '01712345678', email: '' });
    expect(answer.body.data).toMatchObject({ voucher_code: 'V', instructions: 'special' });
    expect((await attemptsOf(test, campaign))[0]).toMatchObject({
      outcome: 'redeemed',
      phone: '01712345678',
    });
  });

  it('records the event, without code, token or phone', async () => {
    const { code, id, campaign } = await aCode(test);
    await redeem({ code, phone: '01712345678' });
    await redeem({ code, phone: '01712345678' });
    const events = await sql(test, `SELECT type, stream, data FROM outbox_events WHERE stream = $1`, [
      `campaign:${campaign.id}`,
    ]);
    expect(events).toEqual([
      {
        type: 'redemption.redeemed',
        stream: `campaign:${campaign.id}`,
        data: { campaign_id: campaign.id, redemption_code_id: id },
      },
    ]);
  });

  it('shows the code again to its address for 24 hours, even after the campaign closed, counting nothing', async () => {
    const { code, id, campaign } = await aCode(test, { max_per_ip: 1 });
    const ip = '198.51.100.5';
    await redeem({ code, phone: '01712345678' }, ip);
    await test.admin({
      path: `/campaigns/${campaign.id}`,
      method: 'PUT',
      body: { starts_at: inHours(-2), ends_at: inHours(-1), status: 'paused' },
    });
    const again = await redeem({ code, phone: '01899999999' }, ip);
    expect([again.status, again.body.data.voucher_code]).toEqual([200, 'GIFT-1']);
    expect((await attemptsOf(test, campaign))[0]?.outcome).toBe('revealed_again');
    expect(
      await sql(test, 'SELECT redeemed FROM redemption_ip_counters WHERE campaign_id = $1', [campaign.id]),
    ).toEqual([{ redeemed: 1 }]);
    await redeemedEarlier(test, id, '23 hours 59 minutes');
    expect((await redeem({ code, phone: '01712345678' }, ip)).status).toBe(200);
    await redeemedEarlier(test, id, '1 minute');
    expect(refusal(await redeem({ code, phone: '01712345678' }, ip))).toEqual([
      410,
      'GONE',
      'already_redeemed',
    ]);
  });

  it('counts IPv6 by its /64 and a mapped IPv4 address as IPv4', async () => {
    const first = await aCode(test);
    await redeem({ code: first.code, phone: '1' }, '2001:db8:1:2:3:4:5:6');
    expect((await redeem({ code: first.code, phone: '1' }, '2001:db8:1:2::9')).status).toBe(200);
    expect((await redeem({ code: first.code, phone: '1' }, '2001:db8:1:3::9')).status).toBe(410);
    const second = await aCode(test);
    await redeem({ code: second.code, phone: '1' }, '::ffff:192.0.2.9');
    expect((await redeem({ code: second.code, phone: '1' }, '192.0.2.9')).status).toBe(200);
  });

  it('believes no address that a stranger wrote', async () => {
    const campaign = await aCampaign(test, { max_per_ip: 1 });
    const codes = await generate(test, campaign, {
      entries: [{ actual_voucher_code: 'a' }, { actual_voucher_code: 'b' }],
    });
    const from = (forged: string) => ({
      'x-forwarded-for': `${forged}, 198.51.100.77`,
      forwarded: `for=${forged}`,
      'x-real-ip': forged,
    });
    const [one, two] = await Promise.all(
      codes.map(({ code }, n) =>
        test.call<Redeemed>({
          path: '/redemption/redeem',
          body: { code, phone: '1' },
          headers: from(`10.0.0.${n}`),
        }),
      ),
    );
    expect(new Set([one?.status, two?.status])).toEqual(new Set([200, 400]));
  });
});

describe('refusals', () => {
  const paused = { status: 'paused' };
  const over = { starts_at: inHours(-2), ends_at: inHours(-1) };
  const early = { starts_at: inHours(1) };

  it.each([
    ['unknown_code', 404, 'NOT_FOUND', undefined],
    ['expired', 410, 'GONE', over],
    ['not_started', 410, 'GONE', early],
    ['campaign_inactive', 410, 'GONE', paused],
    ['campaign_inactive', 410, 'GONE', { status: 'expired' }],
  ])('answers %s as %i on both endpoints', async (reason, status, errorCode, fields) => {
    const code = fields === undefined ? 'ZZZZZZZZZ' : (await aCode(test, fields)).code;
    for (const answer of [await lookup(code), await redeem({ code, phone: '1' })]) {
      expect(refusal(answer)).toEqual([status, errorCode, reason]);
      expect(answer.body.message).not.toBe('');
    }
  });

  it('says when a campaign starts and when it ended', async () => {
    expect((await lookup((await aCode(test, early)).code)).body.data).toEqual({
      code: 'not_started',
      ...early,
    });
    expect((await lookup((await aCode(test, over)).code)).body.data).toEqual({
      code: 'expired',
      ends_at: over.ends_at,
    });
  });

  it('answers voided as 410', async () => {
    const { code, id, campaign } = await aCode(test);
    await test.admin({ path: `/campaigns/${campaign.id}/codes/void`, body: { ids: [id] } });
    expect(refusal(await lookup(code))).toEqual([410, 'GONE', 'voided']);
    expect(refusal(await redeem({ code, phone: '1' }))).toEqual([410, 'GONE', 'voided']);
  });

  it('answers temporarily_unavailable as 503 with Retry-After while a code waits for its voucher code', async () => {
    const campaign = await aCampaign(test);
    const [code] = await generate(test, campaign, { count: 1 });
    for (const answer of [await lookup(code?.code ?? ''), await redeem({ code: code?.code, phone: '1' })]) {
      expect(refusal(answer)).toEqual([503, 'SERVICE_UNAVAILABLE', 'temporarily_unavailable']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  it.each([[{}], [{ phone: ' ' }], [{ phone: null, msisdn: '' }]])(
    'answers phone_required for %j',
    async (given) => {
      const { code } = await aCode(test);
      expect(refusal(await redeem({ code, ...given }))).toEqual([400, 'BAD_REQUEST', 'phone_required']);
      expect((await lookup(code)).body.data.status).toBe('available');
    },
  );

  it('answers ip_limit_reached to the address that has its share, and serves others', async () => {
    const campaign = await aCampaign(test, { max_per_ip: 2 });
    const codes = await generate(test, campaign, {
      entries: 'abc'.split('').map((c) => ({ actual_voucher_code: c })),
    });
    const statuses = [];
    for (const { code } of codes) statuses.push(refusal(await redeem({ code, phone: '1' }, '198.51.100.9')));
    expect(statuses).toEqual([
      [200, undefined, undefined],
      [200, undefined, undefined],
      [400, 'BAD_REQUEST', 'ip_limit_reached'],
    ]);
    expect((await lookup(codes[2]?.code ?? '', '198.51.100.9')).status).toBe(200);
    expect((await redeem({ code: codes[2]?.code, phone: '1' }, '198.51.100.10')).status).toBe(200);
  });

  it('answers a malformed code exactly as an unknown one', async () => {
    const answers = await Promise.all(
      ['ZZZZZZZZZ', 'x', '0'.repeat(90), "'; --", '---'].map((code) => lookup(code)),
    );
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
  });

  it('takes no code from somebody whose e-mail address is none', async () => {
    const { code } = await aCode(test);
    const answer = await redeem({ code, phone: '1', email: 'me@here' });
    expect([answer.status, answer.body.errorCode, answer.body.errors?.[0]?.field]).toEqual([
      400,
      'VALIDATION_ERROR',
      'email',
    ]);
    expect((await lookup(code)).body.data.status).toBe('available');
  });

  it('answers VALIDATION_ERROR without a code', async () => {
    const answer = await redeem({ phone: '1' });
    expect([answer.status, answer.body.errorCode, answer.body.errors?.[0]?.field]).toEqual([
      400,
      'VALIDATION_ERROR',
      'code',
    ]);
  });

  it('checks in the order that is decided', async () => {
    const campaign = await aCampaign(test, { max_per_ip: 1 });
    const [spare, subject] = await generate(test, campaign, {
      entries: [{ actual_voucher_code: 'x' }, { actual_voucher_code: 'y' }],
    });
    const [pending] = await generate(test, campaign, { count: 1 });
    const ip = '198.51.100.20';
    const reasons = async (code = subject?.code) => (await redeem({ code, phone: '1' }, ip)).body.data.code;
    const update = (body: object) => test.admin({ path: `/campaigns/${campaign.id}`, method: 'PUT', body });
    await redeem({ code: spare?.code, phone: '1' }, ip);
    expect(await reasons()).toBe('ip_limit_reached');
    expect(await reasons(pending?.code)).toBe('temporarily_unavailable');
    await update({ status: 'paused' });
    expect(await reasons(pending?.code)).toBe('campaign_inactive');
    await update(early);
    expect(await reasons(pending?.code)).toBe('not_started');
    await update(over);
    expect(await reasons(pending?.code)).toBe('expired');
    await redeemedEarlier(test, spare?.id ?? 0, '25 hours');
    expect(await reasons(spare?.code)).toBe('already_redeemed');
    expect((await redeem({ code: 'ZZZZZZZZZ' }, ip)).body.data.code).toBe('phone_required');
  });
});
