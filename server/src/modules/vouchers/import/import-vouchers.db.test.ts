import { Readable } from 'node:stream';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { createSecretBox } from '../../../platform/secret-box.ts';
import { readImportFile } from './import-file.ts';
import { importVouchers } from './import-vouchers.ts';
import type { ImportRowResult, ImportSummary, ImportVouchersInput } from './import-vouchers.ts';
import { voucherContexts } from '../voucher-secrets.ts';

const box = createSecretBox({
  sealing: [{ id: 'k1', key: Buffer.alloc(32, 1) }],
  digesting: Buffer.alloc(32, 2),
});
const clock = { now: () => new Date('2026-06-15T12:00:00Z') };
let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
  await db.query(`INSERT INTO brands (name, slug) VALUES ('Play', 'play'), ('Other', 'other')`);
  await db.query(`INSERT INTO categories (name, slug) VALUES ('Games', 'games')`);
  await db.query(`INSERT INTO product_types (name, slug) VALUES ('Card', 'card')`);
  await db.query(`INSERT INTO products (brand_id, category_id, product_type_id, name, slug)
    VALUES (1, 1, 1, 'Card', 'card'), (2, 1, 1, 'Other', 'other')`);
  await db.query(`INSERT INTO product_variants (product_id, name, sku, price_minor)
    VALUES (1, 'One', 'ONE', 100), (1, 'Two', 'TWO', 200), (2, 'Other', 'OTHER', 100)`);
});
afterAll(() => db.drop());
beforeEach(async () => {
  await db.query('DELETE FROM vouchers');
  await db.query('DELETE FROM voucher_batches');
});

type Given = Partial<ImportVouchersInput> & { csv: string };

async function load({
  csv,
  ...input
}: Given): Promise<{ summary: ImportSummary; results: ImportRowResult[] }> {
  const results: ImportRowResult[] = [];
  const rows = readImportFile(Readable.from([csv]));
  const onRow = (result: ImportRowResult): void => void results.push(result);
  const summary = await importVouchers(
    { db, box, clock },
    { variantId: 1, brandId: 1, rows, onRow, ...input },
  );
  return { summary, results };
}

const outcomes = (results: readonly ImportRowResult[]): string[] =>
  results.map((each) => `${each.line} ${each.outcome}`);
const countVouchers = async (): Promise<number> =>
  (await db.query<{ n: number }>('SELECT count(*)::int AS n FROM vouchers')).rows[0]?.n ?? -1;

describe('importVouchers', () => {
  it('stores every part sealed for its own place, with batch, supplier and cost', async () => {
    const csv =
      'code,pin,redemption_url,serial_number,expires_at\n AB-1 ,99,https://x.test/r,SN1,2027-01-31\nAB-2,,,,\n';
    const { summary } = await load({ csv, supplier: 'Cards Ltd', costMinor: 9550, sourceName: 'may.csv' });
    expect(summary).toMatchObject({
      dryRun: false,
      read: 2,
      imported: 2,
      duplicateInFile: 0,
      alreadyStored: 0,
      invalid: 0,
    });

    const batches = await db.query<object>(
      'SELECT id, variant_id, supplier, cost_minor, currency, source_name FROM voucher_batches',
    );
    expect(batches.rows).toEqual([
      {
        id: summary.batchId,
        variant_id: 1,
        supplier: 'Cards Ltd',
        cost_minor: 9550,
        currency: 'BDT',
        source_name: 'may.csv',
      },
    ]);
    const { rows } = await db.query<Record<string, Buffer | null>>(
      'SELECT * FROM vouchers ORDER BY expires_at',
    );
    expect(rows.map((row) => box.open(row['code_sealed'] ?? Buffer.alloc(0), voucherContexts.code))).toEqual([
      'AB-1',
      'AB-2',
    ]);
    const [full, bare] = rows;
    expect(full).toMatchObject({
      variant_id: 1,
      brand_id: 1,
      batch_id: summary.batchId,
      source_type: 'PRELOADED',
      status: 'available',
      cost_minor: 9550,
      code_digest: box.digest('AB-1', voucherContexts.code),
      expires_at: new Date('2027-01-31T17:59:59.999Z'),
    });
    expect(box.open(full?.['pin_sealed'] ?? Buffer.alloc(0), voucherContexts.pin)).toBe('99');
    expect(box.open(full?.['redemption_url_sealed'] ?? Buffer.alloc(0), voucherContexts.redemptionUrl)).toBe(
      'https://x.test/r',
    );
    expect(box.open(full?.['serial_number_sealed'] ?? Buffer.alloc(0), voucherContexts.serialNumber)).toBe(
      'SN1',
    );
    expect(bare).toMatchObject({
      pin_sealed: null,
      redemption_url_sealed: null,
      serial_number_sealed: null,
      expires_at: null,
    });
    expect(JSON.stringify(rows)).not.toContain('AB-1');
  });

  it('tells for every row what became of it, and imports the good ones', async () => {
    await load({ csv: 'code\nOLD\n' });
    const { summary, results } = await load({
      csv: 'code,expires_at\nNEW,\nOLD,\n NEW ,\n"",2027-01-01\nLATE,2020-01-01\nNEW2,\n',
    });
    expect(outcomes(results)).toEqual([
      '2 imported',
      '3 already_stored',
      '4 duplicate_in_file',
      '5 invalid',
      '6 invalid',
      '7 imported',
    ]);
    expect(results.filter((each) => each.problem).map((each) => each.problem)).toEqual([
      'code is empty',
      'expires_at is in the past',
    ]);
    expect(summary).toMatchObject({ read: 6, imported: 2, alreadyStored: 1, duplicateInFile: 1, invalid: 2 });
  });

  it('reports on a dry run what the real one would do, and writes nothing', async () => {
    await load({ csv: 'code\nOLD\n' });
    const dry = await load({ csv: 'code\nA\nOLD\nA\n"\n', dryRun: true });
    expect(dry.summary).toMatchObject({
      dryRun: true,
      batchId: null,
      imported: 1,
      alreadyStored: 1,
      duplicateInFile: 1,
      invalid: 1,
    });
    expect(await countVouchers()).toBe(1);
    const real = await load({ csv: 'code\nA\nOLD\nA\n"\n' });
    expect(real.results).toEqual(dry.results);
    expect(await countVouchers()).toBe(2);
  });

  it('knows a code of the same brand under another variant, and lets another brand have it', async () => {
    await load({ csv: 'code\nSAME\n' });
    expect((await load({ csv: 'code\nSAME\n', variantId: 2 })).summary).toMatchObject({
      alreadyStored: 1,
      batchId: null,
    });
    expect((await load({ csv: 'code\nSAME\n', variantId: 3, brandId: 2 })).summary.imported).toBe(1);
  });

  it('takes files of many thousands in one batch, remembering repeats across them, and finishes when run again', async () => {
    const codes = Array.from({ length: 2_500 }, (_, at) => `CODE-${at}`);
    const progress: number[] = [];
    const csv = ['code', ...codes, 'CODE-0'].join('\n');
    const { summary } = await load({ csv, onProgress: (rows) => void progress.push(rows) });
    expect(summary).toMatchObject({ read: 2_501, imported: 2_500, duplicateInFile: 1 });
    expect(progress).toEqual([1_000, 2_000, 2_501]);
    expect((await db.query('SELECT 1 FROM voucher_batches')).count).toBe(1);
    expect((await load({ csv })).summary).toMatchObject({ imported: 0, alreadyStored: 2_500, batchId: null });
    expect(await countVouchers()).toBe(2_500);
  });

  it('stores each code once when the same file is imported several times at once', async () => {
    const codes = Array.from({ length: 1_500 }, (_, at) => `RACE-${at}`);
    const forwards = ['code', ...codes].join('\n');
    const backwards = ['code', ...codes.toReversed()].join('\n');
    const all = await Promise.all([forwards, backwards, forwards, backwards].map((csv) => load({ csv })));
    expect(all.reduce((sum, { summary }) => sum + summary.imported, 0)).toBe(1_500);
    for (const { summary } of all) expect(summary.imported + summary.alreadyStored).toBe(1_500);
    expect(await countVouchers()).toBe(1_500);
  });

  it('keeps whole thousands when the file breaks off, and nothing of the torn one', async () => {
    async function* breaksOff() {
      for (let line = 1; line <= 1_200; line += 1) yield { line, code: `TORN-${line}` };
      throw new Error('connection reset');
    }
    await expect(load({ csv: '', rows: breaksOff() })).rejects.toThrow('connection reset');
    expect(await countVouchers()).toBe(1_000);
  });
});
