import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { aCampaign, aCode, generate, someCodes, sql, startRedemption } from '../test-redemption.ts';
import type { TestRedemption } from '../test-redemption.ts';

let test: TestRedemption;
beforeAll(async () => {
  test = await startRedemption();
});
beforeEach(() => {
  test.audit.length = 0;
});
afterAll(() => test.close());

const redeem = (code: string, ip = '203.0.113.7') =>
  test.call({ path: '/redemption/redeem', body: { code, phone: '1' }, ip });

describe('campaigns', () => {
  it('are created with what is given and sensible defaults', async () => {
    const body = {
      name: 'Eid gift',
      slug: 'eid-gift',
      headline: 'Eid Mubarak',
      cta_text: 'Open',
      instruction_template: 'Dial *1#',
      max_per_ip: 2,
      starts_at: '2026-11-01T00:00:00+06:00',
      ends_at: '2026-12-01T00:00:00.500Z',
      status: 'paused',
    };
    const created = await test.admin<{ id: number }>({ path: '/campaigns', body });
    expect(created.status).toBe(201);
    expect(created.body.data).toMatchObject({
      ...body,
      starts_at: '2026-10-31T18:00:00.000Z',
      description: null,
      variant_id: null,
      code_length: 9,
    });
    expect(test.audit).toMatchObject([
      {
        adminId: 7,
        action: 'redemption:create-campaign',
        resource: `redemption_campaign:${created.body.data.id}`,
      },
    ]);
    const detail = await test.admin({ path: `/campaigns/${created.body.data.id}` });
    expect(detail.body.data).toEqual({ ...(created.body.data as object), code_count: 0 });
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ slug: 'not a slug' }, 'slug'],
    [{ max_per_ip: 0 }, 'max_per_ip'],
    [{ max_per_ip: 1.5 }, 'max_per_ip'],
    [{ status: 'closed' }, 'status'],
    [{ starts_at: 'tomorrow' }, 'starts_at'],
    [{ starts_at: '2026-01-02T00:00:00Z', ends_at: '2026-01-02T00:00:00Z' }, 'ends_at'],
    [{ variant_id: 999_999 }, 'variant_id'],
  ])('are refused with %j', async (wrong, field) => {
    const body = { name: 'N', slug: `s${Math.random()}`, ...wrong };
    const answer = await test.admin({ path: '/campaigns', body });
    expect([answer.status, answer.body.errorCode, answer.body.errors?.[0]?.field]).toEqual([
      400,
      'VALIDATION_ERROR',
      field,
    ]);
  });

  it('have a slug of their own', async () => {
    const { slug } = await aCampaign(test);
    const other = await aCampaign(test);
    const twice = [
      await test.admin({ path: '/campaigns', body: { name: 'N', slug } }),
      await test.admin({ path: `/campaigns/${other.id}`, method: 'PUT', body: { slug } }),
    ];
    for (const answer of twice) expect([answer.status, answer.body.errorCode]).toEqual([409, 'CONFLICT']);
  });

  it('are listed in pages, by status as it reads now and by part of name or slug', async () => {
    const tag = `tag${Date.now()}`;
    const running = await aCampaign(test, { name: `${tag} running` });
    await aCampaign(test, { name: `${tag} paused`, status: 'paused' });
    const over = await aCampaign(test, { name: 'over', slug: `x-${tag}`, ends_at: '2020-01-01T00:00:00Z' });
    const list = async (query: string) => {
      const { body } = await test.admin<{ items: { id: number; status: string }[]; pagination: object }>({
        path: `/campaigns?search=${tag.toUpperCase()}&${query}`,
      });
      return body.data;
    };
    expect((await list('status=active')).items.map(({ id }) => id)).toEqual([running.id]);
    expect((await list('status=expired')).items).toMatchObject([{ id: over.id, status: 'expired' }]);
    expect((await list('limit=2&sort=id')).pagination).toEqual({
      page: 1,
      limit: 2,
      total: 3,
      total_pages: 2,
    });
    expect((await list('limit=2&page=2&sort=id')).items.map(({ id }) => id)).toEqual([over.id]);
  });

  it('keep what an update leaves out', async () => {
    const campaign = await aCampaign(test, {
      headline: 'H',
      max_per_ip: 3,
      ends_at: '2999-01-01T00:00:00.000Z',
    });
    const updated = await test.admin({
      path: `/campaigns/${campaign.id}`,
      method: 'PUT',
      body: { status: 'paused', max_per_ip: null, id: 1, expired_for: 'x' },
    });
    expect(updated.body.data).toMatchObject({
      id: campaign.id,
      headline: 'H',
      status: 'paused',
      max_per_ip: null,
      ends_at: '2999-01-01T00:00:00.000Z',
    });
    expect(test.audit.at(-1)).toMatchObject({
      action: 'redemption:update-campaign',
      before: { status: 'active', max_per_ip: 3 },
      after: { status: 'paused', max_per_ip: null },
    });
  });

  it('count what each address took before a limit came', async () => {
    const campaign = await aCampaign(test);
    const codes = await someCodes(test, campaign, 5);
    await redeem(codes[0]?.code ?? '', '192.0.2.1');
    await redeem(codes[1]?.code ?? '', '192.0.2.1');
    await redeem(codes[2]?.code ?? '', '192.0.2.2');
    await test.admin({ path: `/campaigns/${campaign.id}`, method: 'PUT', body: { max_per_ip: 2 } });
    expect((await redeem(codes[3]?.code ?? '', '192.0.2.1')).status).toBe(400);
    expect((await redeem(codes[3]?.code ?? '', '192.0.2.2')).status).toBe(200);
    expect((await redeem(codes[4]?.code ?? '', '192.0.2.2')).status).toBe(400);
  });

  it('are deleted with their codes while none is redeemed; the attempts stay', async () => {
    const { code, campaign } = await aCode(test, { max_per_ip: 1 });
    await generate(test, campaign, { count: 2 });
    await test.call({ path: `/redemption/lookup/${code}` });
    const deleted = await test.admin({ path: `/campaigns/${campaign.id}`, method: 'DELETE' });
    expect([deleted.status, deleted.body.data]).toEqual([200, { id: campaign.id, deleted_codes: 3 }]);
    expect((await test.admin({ path: `/campaigns/${campaign.id}` })).status).toBe(404);
    expect((await test.call({ path: `/redemption/lookup/${code}` })).status).toBe(404);
    const attempts = await test.admin<{ items: object[] }>({ path: `/attempts?campaign_id=${campaign.id}` });
    expect(attempts.body.data.items).toMatchObject([{ action: 'lookup', code, redemption_code_id: null }]);
  });

  it('stay once a code was redeemed, with all their codes', async () => {
    const campaign = await aCampaign(test);
    const codes = await someCodes(test, campaign, 2);
    await redeem(codes[0]?.code ?? '');
    const refused = await test.admin({ path: `/campaigns/${campaign.id}`, method: 'DELETE' });
    expect([refused.status, refused.body.errorCode]).toEqual([409, 'CONFLICT']);
    const detail = await test.admin<{ code_count: number }>({ path: `/campaigns/${campaign.id}` });
    expect(detail.body.data.code_count).toBe(2);
  });

  it('say how many of their codes are in which state', async () => {
    const campaign = await aCampaign(test);
    const stats = () => test.admin({ path: `/campaigns/${campaign.id}/stats` });
    const none = { unused: 0, pending_stock: 0, redeemed: 0, voided: 0, expired: 0 };
    expect((await stats()).body.data).toEqual({ totals: none, total: 0, conversion_rate: 0 });
    const codes = await someCodes(test, campaign, 2);
    await generate(test, campaign, { count: 1 });
    await redeem(codes[0]?.code ?? '');
    expect((await stats()).body.data).toEqual({
      totals: { ...none, unused: 1, pending_stock: 1, redeemed: 1 },
      total: 3,
      conversion_rate: 0.3333,
    });
  });

  it.each([
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['GET', '/stats'],
    ['GET', '/codes'],
  ] as const)('answer 404 for an unknown id: %s %s', async (method, path) => {
    const body = method === 'PUT' ? { body: { name: 'N' } } : {};
    const answer = await test.admin({ path: `/campaigns/999999${path}`, method, ...body });
    expect([answer.status, answer.body.errorCode]).toEqual([404, 'NOT_FOUND']);
  });

  it('need their permission', async () => {
    const all = test.permissions;
    test.permissions = new Set(['redemption:read']);
    const write = await test.admin({ path: '/campaigns', body: { name: 'N', slug: 'n' } });
    const read = await test.admin({ path: '/campaigns' });
    const exported = await test.admin({ path: '/campaigns/1/codes/export' });
    test.permissions = all;
    expect([write.status, read.status, exported.status]).toEqual([403, 200, 403]);
  });
});

describe('the database', () => {
  const refusedBy = async (statement: string, values: unknown[] = []): Promise<string> => {
    try {
      await sql(test, statement, values);
      return 'done';
    } catch (error) {
      return String((error as { constraint?: string }).constraint);
    }
  };

  it('refuses what the life of a code does not have, whoever asks', async () => {
    const { code, id } = await aCode(test);
    await redeem(code);
    expect(await refusedBy(`UPDATE redemption_codes SET status = 'unused' WHERE id = $1`, [id])).toBe(
      'redemption_codes__final',
    );
    expect(await refusedBy(`UPDATE redemption_codes SET instructions = 'x' WHERE id = $1`, [id])).toBe(
      'redemption_codes__final',
    );
    expect(await refusedBy('DELETE FROM redemption_codes WHERE id = $1', [id])).toBe(
      'redemption_codes__redeemed_is_kept',
    );
    const fresh = await aCode(test);
    expect(
      await refusedBy(`UPDATE redemption_codes SET status = 'redeemed' WHERE id = $1`, [fresh.id]),
    ).toMatch(/redeemed/);
    expect(await refusedBy(`UPDATE redemption_codes SET token_digest = 'x' WHERE id = $1`, [fresh.id])).toBe(
      'redemption_codes__immutable',
    );
    const stockless = `UPDATE redemption_codes SET voucher_code_sealed = NULL, voucher_code_digest = NULL WHERE id = $1`;
    expect(await refusedBy(stockless, [fresh.id])).toBe('redemption_codes__stocked');
  });

  it('keeps attempts as they were written', async () => {
    const { code } = await aCode(test);
    await redeem(code);
    for (const change of [
      `UPDATE redemption_attempts SET phone = '2'`,
      'DELETE FROM redemption_attempts',
      'TRUNCATE redemption_attempts',
    ]) {
      expect(await refusedBy(change)).toBe('redemption_attempts__append_only');
    }
  });
});
