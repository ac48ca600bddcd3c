import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../test/support/test-database.ts';
import type { TestDatabase } from '../../test/support/test-database.ts';
import { createSecretBox } from '../platform/secret-box.ts';
import { registerStockImport } from './stock-import.ts';

const box = createSecretBox({
  sealing: [{ id: 'k1', key: Buffer.alloc(32, 1) }],
  digesting: Buffer.alloc(32, 2),
});
let db: TestDatabase;
let folder = '';

beforeAll(async () => {
  db = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'stock-import-'));
  await db.query(`INSERT INTO brands (name, slug) VALUES ('Play', 'play')`);
  await db.query(`INSERT INTO categories (name, slug) VALUES ('Games', 'games')`);
  await db.query(`INSERT INTO product_types (name, slug) VALUES ('Card', 'card')`);
  await db.query(
    `INSERT INTO products (brand_id, category_id, product_type_id, name, slug) VALUES (1, 1, 1, 'Play Card', 'card')`,
  );
  await db.query(
    `INSERT INTO product_variants (product_id, name, sku, price_minor) VALUES (1, '500', 'PLAY-500', 100)`,
  );
});
afterAll(async () => {
  await db.drop();
  await rm(folder, { recursive: true });
});
afterEach(() => {
  process.exitCode = undefined;
});

async function run(
  csv: string | null,
  ...args: string[]
): Promise<{ exit: unknown; out: string; err: string }> {
  const file = join(folder, 'stock.csv');
  if (csv !== null) await writeFile(file, csv);
  const said = { out: '', err: '' };
  const output = {
    out: (text: string) => void (said.out += text),
    err: (text: string) => void (said.err += text),
  };
  const program = new Command();
  registerStockImport(program, async () => ({ db, box, close: async () => undefined }), output);
  await program.parseAsync(['stock', 'import', csv === null ? join(folder, 'missing.csv') : file, ...args], {
    from: 'user',
  });
  return { exit: process.exitCode, ...said };
}

describe('stock import', () => {
  it('imports by SKU and sums up on the output, with progress apart', async () => {
    const { exit, out, err } = await run(
      'code,pin\nA1,1\nA2,2\n',
      '--variant',
      'PLAY-500',
      '--supplier',
      'Cards Ltd',
      '--cost',
      '95.50',
    );
    expect([exit, err]).toEqual([0, '2 rows\n']);
    expect(out).toMatch(/^Play Card, 500: batch \d+\n {2}read +2\n {2}imported +2\n/);
    const { rows } = await db.query<object>('SELECT supplier, cost_minor, source_name FROM voucher_batches');
    expect(rows).toEqual([{ supplier: 'Cards Ltd', cost_minor: 9550, source_name: 'stock.csv' }]);
  });

  it('writes nothing on a dry run, and prints JSON when asked', async () => {
    const { exit, out } = await run('code\nA1\nA9\nA9\n', '--variant', '1', '--dry-run', '--json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toEqual({
      batchId: null,
      dryRun: true,
      read: 3,
      imported: 1,
      duplicateInFile: 1,
      alreadyStored: 1,
      invalid: 0,
      notImported: [
        { line: 2, outcome: 'already_stored' },
        { line: 4, outcome: 'duplicate_in_file' },
      ],
    });
    expect((await db.query('SELECT 1 FROM vouchers')).count).toBe(2);
  });

  it('fails when a row is invalid, after importing the others, naming line and reason but no code', async () => {
    const { exit, out, err } = await run(
      'code,expires_at\nB1,\nSECRET,2001-01-01\n',
      '--variant',
      'PLAY-500',
    );
    expect([exit, err]).toEqual([1, 'line 3: expires_at is in the past\n2 rows\n']);
    expect(out).toMatch(/imported +1\n[^]*invalid +1\n/);
  });

  it.each([
    {
      what: 'an unknown variant',
      csv: 'code\nA\n',
      args: ['--variant', 'NOPE'],
      says: /no variant with the id or SKU NOPE/,
    },
    {
      what: 'an amount that is none',
      csv: 'code\nA\n',
      args: ['--variant', '1', '--cost', '9,50'],
      says: /--cost 9,50 is not/,
    },
    { what: 'a missing file', csv: null, args: ['--variant', '1'], says: /ENOENT/ },
    { what: 'a file without the column', csv: 'pin\n1\n', args: ['--variant', '1'], says: /code is missing/ },
  ])('does not start with $what', async ({ csv, args, says }) => {
    const { exit, out, err } = await run(csv, ...args);
    expect([exit, out]).toEqual([2, '']);
    expect(err).toMatch(says);
  });
});
