import { createHash } from 'node:crypto';

import { parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aCampaign, generate, someCodes, startRedemption } from '../test-redemption.ts';
import type { TestCampaign, TestRedemption } from '../test-redemption.ts';
import { layOutSheet, SHEET_PRESETS } from './sheet-layout-rules.ts';
import { contentStreams, crop, decodeQr, pagesOfPdf, pixelsOfPng, pixelsOfSvg } from './test-decode.ts';

let test: TestRedemption;
beforeAll(async () => {
  test = await startRedemption();
});
afterAll(() => test.close());

const download = (campaign: TestCampaign, file: string) =>
  test.admin({ path: `/campaigns/${campaign.id}/codes/${file}` });
const urlsOf = (codes: readonly { code: string }[], base = 'https://shop.example') =>
  codes.map(({ code }) => `${base}/redeem/${code}`);

interface Manifest {
  readonly count: number;
  readonly base_url: string;
  readonly files: readonly { file: string; serial: number; code: string; url: string; sha256: string }[];
}

describe('qr.zip', () => {
  it.each(['svg', 'png'])(
    'has a picture of every code that a scanner reads back (%s)',
    { timeout: 60_000 },
    async (format) => {
      const campaign = await aCampaign(test);
      const codes = [
        ...(await someCodes(test, campaign, 20)),
        ...(await generate(test, campaign, { count: 10 })),
      ];
      const answer = await download(campaign, `qr.zip?format=${format}&base_url=https://promo.example/x/`);
      expect(answer.headers['content-type']).toBe('application/zip');
      const files = unzipSync(answer.raw);
      const manifest = JSON.parse(Buffer.from(files['manifest.json'] ?? []).toString()) as Manifest;
      expect(manifest).toMatchObject({ count: 30, base_url: 'https://promo.example/x', format });
      expect(manifest.files.map(({ url }) => url)).toEqual(urlsOf(codes, 'https://promo.example/x'));
      for (const { file, url, sha256 } of manifest.files) {
        const picture = Buffer.from(files[file] ?? []);
        expect(decodeQr(format === 'png' ? pixelsOfPng(picture) : pixelsOfSvg(picture.toString()))).toBe(url);
        expect(createHash('sha256').update(picture).digest('hex')).toBe(sha256);
      }
      const rows = parse(Buffer.from(files['manifest.csv'] ?? []), { columns: true }) as {
        serial: string;
        code: string;
      }[];
      expect(rows.map(({ code }) => code)).toEqual(codes.map(({ code }) => code));
      expect(rows.at(-1)?.serial).toBe('30');
      expect(Object.keys(files)).toHaveLength(33);
    },
  );

  it('has what can still be redeemed, unless another status is asked for, and never a voucher code', async () => {
    const campaign = await aCampaign(test);
    const codes = await someCodes(test, campaign, 3);
    await test.call({ path: '/redemption/redeem', body: { code: codes[0]?.code, phone: '1' } });
    const count = async (query: string) =>
      Object.keys(unzipSync((await download(campaign, `qr.zip${query}`)).raw)).filter((name) =>
        name.startsWith('qr/'),
      ).length;
    expect([await count(''), await count('?status=redeemed'), await count('?status=all')]).toEqual([2, 1, 3]);
    for (const content of Object.values(unzipSync((await download(campaign, 'qr.zip?status=all')).raw))) {
      expect(Buffer.from(content).toString('latin1')).not.toContain('GIFT');
    }
  });

  it('answers in the envelope when its first code cannot be opened', async () => {
    const campaign = await aCampaign(test);
    await someCodes(test, campaign, 1);
    await test.db.query("UPDATE redemption_codes SET token_sealed = '\\x00' WHERE campaign_id = $1", [
      campaign.id,
    ]);
    const answer = await download(campaign, 'qr.zip');
    expect([answer.status, answer.body.errorCode]).toEqual([500, 'INTERNAL_ERROR']);
    expect(answer.headers['content-disposition']).toBeUndefined();
  });

  it('can be of one generation only', async () => {
    const campaign = await aCampaign(test);
    await generate(test, campaign, { count: 2 });
    await generate(test, campaign, { count: 3 });
    const runs = await test.admin<{ items: { id: number }[] }>({
      path: `/campaigns/${campaign.id}/generations`,
    });
    const zip = await download(campaign, `qr.zip?generation_id=${runs.body.data.items[0]?.id}`);
    expect(Object.keys(unzipSync(zip.raw)).filter((name) => name.startsWith('qr/'))).toHaveLength(3);
  });
});

describe('sheet.pdf', () => {
  it.each(SHEET_PRESETS)(
    'prints every code so that a scanner reads it back at 200 dpi (%s)',
    { timeout: 60_000 },
    async (preset) => {
      const campaign = await aCampaign(test, {
        headline: 'Free data for everyone who asks',
        cta_text: 'Scan me',
      });
      const cards = layOutSheet(preset);
      const codes = await someCodes(test, campaign, cards.length + 3);
      const answer = await download(campaign, `sheet.pdf?preset=${preset}`);
      expect(answer.headers['content-type']).toBe('application/pdf');
      const pages = pagesOfPdf(answer.raw);
      expect(pages).toHaveLength(2);
      const read = codes.map((_, index) => {
        const page = pages[Math.floor(index / cards.length)];
        const card = cards[index % cards.length];
        return page && card ? decodeQr(crop(page, card.qr)) : undefined;
      });
      expect(read).toEqual(urlsOf(codes));
    },
  );

  it('says headline, call to action, the code in clear and its number, and never a voucher code', async () => {
    const campaign = await aCampaign(test, { headline: 'Free data', cta_text: 'Scan me' });
    const codes = await someCodes(test, campaign, 2);
    const { raw } = await download(campaign, 'sheet.pdf');
    const text = textOf(raw);
    for (const part of [
      'Free',
      'data',
      'Scan',
      'me',
      ...codes.map(({ code }) => code),
      '1 / 2',
      '2 / 2',
      'shop.example/redeem',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('GIFT');
    expect(raw.toString('latin1')).not.toContain('GIFT');
  });

  it('writes Bangla with its own letters, mixed with Latin ones', async () => {
    const campaign = await aCampaign(test, { headline: 'গ্রীষ্মের উপহার 2026 ☀', cta_text: 'স্ক্যান করুন' });
    const codes = await someCodes(test, campaign, 1);
    const { raw, status } = await download(campaign, 'sheet.pdf');
    expect(status).toBe(200);
    expect(raw.toString('latin1')).toContain('NotoSansBengali');
    expect(textOf(raw)).toContain('2026');
    const card = layOutSheet('3x8')[0];
    const [page] = pagesOfPdf(raw);
    expect(page && card ? decodeQr(crop(page, card.qr)) : '').toBe(urlsOf(codes)[0]);
  });

  it('refuses links too long to be scanned from so small a card', async () => {
    const campaign = await aCampaign(test);
    await someCodes(test, campaign, 1);
    const base = `https://promo.example/${'long-path/'.repeat(30)}`;
    const small = await download(campaign, `sheet.pdf?base_url=${base}`);
    expect([small.status, small.body.errors?.[0]?.field]).toEqual([400, 'base_url']);
    expect((await download(campaign, `sheet.pdf?preset=2x5&base_url=${base}`)).status).toBe(200);
  });

  it('is one empty page when there is nothing to print, 404 for an unknown campaign, and audited', async () => {
    const campaign = await aCampaign(test);
    expect((await download(campaign, 'sheet.pdf')).raw.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await download({ id: 999_999, slug: '' }, 'sheet.pdf')).status).toBe(404);
    expect(test.audit.at(-1)).toMatchObject({ action: 'redemption:print-codes', after: { codes: 0 } });
  });
});

/** What the built-in fonts write: hexadecimal strings in WinAnsi. */
function textOf(pdf: Buffer): string {
  return contentStreams(pdf)
    .flatMap((content) => [...content.matchAll(/\[([^\]]*)\] TJ/g)])
    .map(([, pieces = '']) =>
      [...pieces.matchAll(/<([0-9a-f]*)>/gi)]
        .map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))
        .join(''),
    )
    .join('\n');
}
