import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import {
  aCampaign,
  aCode,
  attemptsOf,
  generate,
  someCodes,
  sql,
  startRedemption,
} from '../test-redemption.ts';
import type { TestCampaign, TestCode, TestRedemption } from '../test-redemption.ts';

let test: TestRedemption;
beforeAll(async () => {
  test = await startRedemption();
});
beforeEach(() => {
  test.audit.length = 0;
});
afterAll(() => test.close());

interface Listed {
  readonly items: readonly { id: number; code: string; status: string; actual_voucher_code: string | null }[];
  readonly pagination: { total: number };
}

const redeem = (code = '') =>
  test.call<{ voucher_code: string }>({ path: '/redemption/redeem', body: { code, phone: '1' } });
const list = async (campaign: TestCampaign, query = '') =>
  (await test.admin<Listed>({ path: `/campaigns/${campaign.id}/codes${query}` })).body.data;
const change = (code: TestCode | undefined, body: object) =>
  test.admin<Listed['items'][number]>({ path: `/codes/${code?.id}`, method: 'PUT', body });

describe('the list of codes', () => {
  it('shows tokens, masks voucher codes, and says which address redeemed which', async () => {
    const campaign = await aCampaign(test);
    const [first] = await generate(test, campaign, {
      entries: [{ actual_voucher_code: 'SECRET-CODE-9876' }],
    });
    await generate(test, campaign, { count: 1 });
    await redeem(first?.code);
    const { items } = await list(campaign);
    expect(items).toMatchObject([
      {
        code: first?.code,
        status: 'redeemed',
        actual_voucher_code: '••••9876',
        redeemed_from: '203.0.113.7',
      },
      { status: 'pending_stock', actual_voucher_code: null, redeemed_from: null, redeemed_at: null },
    ]);
  });

  it('is filtered by status and searched by code, voucher code and id', async () => {
    const campaign = await aCampaign(test);
    const codes = await someCodes(test, campaign, 3);
    await redeem(codes[0]?.code);
    expect((await list(campaign, '?status=unused')).pagination.total).toBe(2);
    expect((await list(campaign, `?search=${codes[1]?.code.toLowerCase()}`)).items).toMatchObject([
      { id: codes[1]?.id },
    ]);
    expect((await list(campaign, '?search=GIFT-3')).items).toMatchObject([{ id: codes[2]?.id }]);
    expect((await list(campaign, `?search=${codes[0]?.id}`)).items).toMatchObject([{ id: codes[0]?.id }]);
    expect((await list(campaign, '?search=nothing')).items).toEqual([]);
    expect((await list(campaign, '?limit=1&page=2')).items).toMatchObject([{ id: codes[1]?.id }]);
  });
});

describe('the export', () => {
  const download = (campaign: TestCampaign, query = '') =>
    test.admin({ path: `/campaigns/${campaign.id}/codes/export${query}` });

  it('is CSV with the five columns, links and voucher codes in full, and is audited', async () => {
    const campaign = await aCampaign(test);
    const [first] = await generate(test, campaign, { entries: [{ actual_voucher_code: '=cmd|x' }] });
    const [second] = await generate(test, campaign, { count: 1 });
    const file = await download(campaign, '?base_url=https://promo.example/');
    expect(file.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="campaign-${campaign.id}-codes.csv"`,
      'x-content-type-options': 'nosniff',
    });
    const [header, ...rows] = parse(file.raw);
    expect(header).toEqual(['code', 'url', 'status', 'actual_voucher_code', 'created_at']);
    expect(rows.map((row) => row.slice(0, 4))).toEqual([
      [first?.code, `https://promo.example/redeem/${first?.code}`, 'unused', `'=cmd|x`],
      [second?.code, `https://promo.example/redeem/${second?.code}`, 'pending_stock', ''],
    ]);
    expect(rows[0]?.[4]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(test.audit.map(({ action }) => action)).toContain('redemption:export-codes');
  });

  it('leads to our own pages when no place is named, and to no script', async () => {
    const { code, campaign } = await aCode(test);
    expect((await download(campaign)).raw.toString()).toContain(`https://shop.example/redeem/${code}`);
    const evil = await download(campaign, `?base_url=${encodeURIComponent('javascript:alert(1)')}`);
    expect([evil.status, evil.body.errors?.[0]?.field]).toEqual([400, 'base_url']);
  });

  it('has every code of a large campaign once', async () => {
    const campaign = await aCampaign(test);
    const codes = await generate(test, campaign, { count: 2_500 });
    const rows = parse((await download(campaign)).raw, { columns: true }) as { code: string }[];
    expect(rows.map(({ code }) => code)).toEqual(codes.map(({ code }) => code));
  });
});

describe('voiding', () => {
  it('voids unused and waiting codes of the campaign and skips the others', async () => {
    const campaign = await aCampaign(test);
    const [redeemed, unused] = await someCodes(test, campaign, 2);
    const [pending] = await generate(test, campaign, { count: 1 });
    const foreign = await aCode(test);
    await redeem(redeemed?.code);
    const ids = [redeemed?.id, unused?.id, pending?.id, foreign.id, 999_999_999, unused?.id];
    const answer = await test.admin<{ skipped: number[] }>({
      path: `/campaigns/${campaign.id}/codes/void`,
      body: { ids },
    });
    expect(answer.body.data).toMatchObject({ voided: 2 });
    expect(new Set(answer.body.data.skipped)).toEqual(new Set([redeemed?.id, foreign.id, 999_999_999]));
    expect((await list(campaign, '?status=voided')).items.map(({ id }) => id)).toEqual([
      unused?.id,
      pending?.id,
    ]);
    expect((await redeem(foreign.code)).status).toBe(200);
    expect(test.audit.at(-1)).toMatchObject({
      action: 'redemption:void-codes',
      after: { voided: 2, skipped: 3 },
    });
  });
});

describe('changing a code', () => {
  it('makes a waiting one redeemable by its voucher code, at once', async () => {
    const campaign = await aCampaign(test);
    const [code] = await generate(test, campaign, { count: 1 });
    const changed = await change(code, { actual_voucher_code: ' REAL-1 ', instructions: 'Scratch it' });
    expect(changed.body.data).toMatchObject({ id: code?.id, status: 'unused', instructions: 'Scratch it' });
    expect((await redeem(code?.code)).body.data).toMatchObject({
      voucher_code: 'REAL-1',
      instructions: 'Scratch it',
    });
    expect(JSON.stringify(test.audit)).not.toContain('REAL-1');
  });

  it('answers what the life of a code does not allow, and changes nothing', async () => {
    const campaign = await aCampaign(test);
    const [unused] = await someCodes(test, campaign, 1);
    const [pending] = await generate(test, campaign, { count: 1 });
    const statuses = [
      (await change(unused, { status: 'redeemed' })).status,
      (await change(unused, { status: 'pending_stock' })).status,
      (await change(pending, { status: 'unused' })).status,
      (await change({ id: 999_999, code: '' }, { status: 'voided' })).status,
      (await change(unused, { actual_voucher_code: ' ' })).status,
      (await change(unused, { status: 'gone' })).status,
    ];
    expect(statuses).toEqual([400, 409, 409, 404, 400, 400]);
    await redeem(unused?.code);
    expect((await change(unused, { actual_voucher_code: 'other' })).status).toBe(409);
    expect((await redeem(unused?.code)).body.data.voucher_code).toBe('GIFT-1');
  });
});

describe('deleting a code', () => {
  it('is for codes that were not redeemed; their attempts stay', async () => {
    const { id, code, campaign } = await aCode(test);
    await test.call({ path: `/redemption/lookup/${code}` });
    expect((await attemptsOf(test, campaign))[0]?.redemption_code_id).toBe(id);
    expect((await test.admin({ path: `/codes/${id}`, method: 'DELETE' })).status).toBe(200);
    expect((await attemptsOf(test, campaign))[0]).toMatchObject({ redemption_code_id: null, code });
    expect((await test.admin({ path: `/codes/${id}`, method: 'DELETE' })).status).toBe(404);
    const taken = await aCode(test);
    await redeem(taken.code);
    expect((await test.admin({ path: `/codes/${taken.id}`, method: 'DELETE' })).status).toBe(409);
  });
});

describe('filling', () => {
  const fill = (campaign: TestCampaign, body: object) =>
    test.admin<object>({ path: `/campaigns/${campaign.id}/codes/fill`, body });

  it('puts voucher codes behind waiting codes in the order they were generated', async () => {
    const campaign = await aCampaign(test);
    const codes = await generate(test, campaign, { count: 4 });
    const entries = [{ actual_voucher_code: 'F-1' }, { actual_voucher_code: 'F-2', instructions: 'own' }];
    expect((await fill(campaign, { entries })).body.data).toEqual({ filled: 2, pending_stock: 2 });
    const csv = 'actual_voucher_code,instructions\nF-3,"a, b"\n';
    expect((await fill(campaign, { csv })).body.data).toEqual({ filled: 1, pending_stock: 1 });
    const given = [];
    for (const { code } of codes) given.push((await redeem(code)).body.data);
    expect(given).toMatchObject([
      { voucher_code: 'F-1' },
      { voucher_code: 'F-2', instructions: 'own' },
      { voucher_code: 'F-3', instructions: 'a, b' },
      { code: 'temporarily_unavailable' },
    ]);
  });

  it('fills nothing when there are more voucher codes than waiting codes, or the campaign is over', async () => {
    const campaign = await aCampaign(test);
    await generate(test, campaign, { count: 1 });
    const entries = [{ actual_voucher_code: 'F-1' }, { actual_voucher_code: 'F-2' }];
    const refused = await fill(campaign, { entries });
    expect([refused.status, refused.body.data]).toEqual([409, { given: 2, pending: 1 }]);
    expect((await list(campaign, '?status=pending_stock')).pagination.total).toBe(1);
    const over = await aCampaign(test, { ends_at: '2020-01-01T00:00:00Z' });
    await generate(test, over, { count: 1 });
    expect((await fill(over, { entries: [entries[0]] })).status).toBe(409);
    expect((await fill(campaign, {})).status).toBe(400);
    expect((await fill(campaign, { entries, csv: 'code\nx' })).status).toBe(400);
  });

  it('takes units of the campaign’s variant out of the vault, for whoever may', async () => {
    const { variantId } = await stockedVariant(2);
    const campaign = await aCampaign(test, { variant_id: variantId });
    const codes = await generate(test, campaign, { count: 3 });
    test.permissions.delete('vouchers:write');
    expect((await fill(campaign, { from_vault: { count: 1 } })).status).toBe(403);
    test.permissions.add('vouchers:write');
    const short = await fill(campaign, { from_vault: { count: 3 } });
    expect([short.status, short.body.data]).toEqual([409, { available: 2 }]);
    expect((await fill(campaign, { from_vault: { count: 2 } })).body.data).toEqual({
      filled: 2,
      pending_stock: 1,
    });
    const given = [await redeem(codes[0]?.code), await redeem(codes[1]?.code)].map(
      ({ body }) => body.data.voucher_code,
    );
    expect(given.toSorted()).toEqual(['VAULT-1 (PIN 1234)', 'VAULT-2']);
    const stock = await sql(test, 'SELECT DISTINCT status FROM vouchers WHERE variant_id = $1', [variantId]);
    expect(stock).toEqual([{ status: 'voided' }]);
    expect(test.stockChanges).toBe(1);
    expect((await fill(await aCampaign(test), { from_vault: { count: 1 } })).status).toBe(409);
  });
});

async function stockedVariant(units: number): Promise<{ variantId: number }> {
  const [variant] = await sql<{ variant_id: number; brand_id: number }>(
    test,
    `WITH b AS (INSERT INTO brands (name, slug) VALUES ('B', 'b') RETURNING id),
       c AS (INSERT INTO categories (name, slug) VALUES ('C', 'c') RETURNING id),
       t AS (INSERT INTO product_types (name, slug) VALUES ('T', 't') RETURNING id),
       p AS (INSERT INTO products (brand_id, category_id, product_type_id, name, slug)
             SELECT b.id, c.id, t.id, 'P', 'p' FROM b, c, t RETURNING id, brand_id)
     INSERT INTO product_variants (product_id, name, sku, price_minor) SELECT id, 'V', 'S', 1 FROM p
     RETURNING id AS variant_id, (SELECT brand_id FROM p)`,
  );
  for (let unit = 1; unit <= units; unit += 1) {
    const code = `VAULT-${unit}`;
    await sql(
      test,
      `INSERT INTO vouchers (variant_id, brand_id, source_type, code_sealed, code_digest, pin_sealed)
       VALUES ($1, $2, 'PRELOADED', $3, $4, $5)`,
      [
        variant?.variant_id,
        variant?.brand_id,
        test.box.seal(code, 'vouchers.code'),
        test.box.digest(code, 'vouchers.code'),
        unit === 1 ? test.box.seal('1234', 'vouchers.pin') : null,
      ],
    );
  }
  return { variantId: variant?.variant_id ?? 0 };
}
