import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../test/support/test-database.ts';
import type { TestDatabase } from '../../test/support/test-database.ts';
import { importVouchers, listStoredVouchers, openSecrets } from '../modules/vouchers/index.ts';
import { createSecretBox } from '../platform/secret-box.ts';
import { registerVaultRotation } from './vault-rotate.ts';

const key = (id: string, fill: number) => ({ id, key: Buffer.alloc(32, fill) });
const digesting = Buffer.alloc(32, 9);
const old = createSecretBox({ sealing: [key('2026-05', 1)], digesting });
const both = createSecretBox({ sealing: [key('k2', 2), key('2026-05', 1)], digesting });
const fresh = createSecretBox({ sealing: [key('k2', 2)], digesting });
const clock = { now: () => new Date() };
const CODES = 1_203;
let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
  await db.query(`INSERT INTO brands (name, slug) VALUES ('Play', 'play')`);
  await db.query(`INSERT INTO categories (name, slug) VALUES ('Games', 'games')`);
  await db.query(`INSERT INTO product_types (name, slug) VALUES ('Card', 'card')`);
  await db.query(
    `INSERT INTO products (brand_id, category_id, product_type_id, name, slug) VALUES (1, 1, 1, 'Card', 'card')`,
  );
  await db.query(
    `INSERT INTO product_variants (product_id, name, sku, price_minor) VALUES (1, 'One', 'ONE', 100)`,
  );
  const rows = Array.from({ length: CODES }, (_, index) => ({
    line: index + 1,
    code: `CODE-${index}`,
    ...(index % 3 === 0 ? { pin: `PIN-${index}` } : {}),
  }));
  await importVouchers({ db, box: old, clock }, { variantId: 1, brandId: 1, rows });
});
afterAll(() => db.drop());

async function run(...words: string[]): Promise<{ out: string; err: string; exitCode: unknown }> {
  const told = { out: '', err: '' };
  const program = new Command();
  const open = async () => ({ db, box: both, close: async () => undefined });
  const output = {
    out: (text: string) => void (told.out += text),
    err: (text: string) => void (told.err += text),
  };
  registerVaultRotation(program, open, output);
  await program.parseAsync(['node', 'program', 'vault', 'rotate-keys', ...words]);
  const { exitCode } = process;
  process.exitCode = 0;
  return { ...told, exitCode };
}

const opened = async (box: typeof fresh): Promise<string[]> => {
  const ids = Array.from({ length: CODES }, (_, index) => index + 1);
  return (await listStoredVouchers(db, ids)).map((row) => {
    const { code, pin } = openSecrets(box, row);
    return `${code} ${pin}`;
  });
};

describe('vault rotate-keys', () => {
  it('counts what other keys seal and changes nothing when it is only asked', async () => {
    const asked = await run('--dry-run');
    expect(asked.exitCode).toBe(1);
    expect(asked.out).toContain(`vouchers.code_sealed: ${CODES} value(s) are under other keys`);
    expect(await opened(old)).toHaveLength(CODES);
  });

  it('seals everything with the new key, shows its progress, and every code opens as before', async () => {
    const before = await opened(old);
    const rotated = await run();
    expect(rotated.exitCode).toBe(0);
    expect(rotated.out).toContain(`vouchers: ${CODES + Math.ceil(CODES / 3)} value(s) sealed with k2`);
    expect(rotated.out).toContain('the other keys may go');
    expect(rotated.err.split('\n').length).toBeGreaterThan(2);
    expect(await opened(fresh)).toEqual(before);
    await expect(opened(old)).rejects.toThrow('k2');
  });

  it('finds nothing to do when it runs again, and the same code is still known', async () => {
    expect((await run()).out).toContain('vouchers: 0 value(s)');
    const rows = [{ line: 1, code: 'CODE-7' }];
    const summary = await importVouchers({ db, box: fresh, clock }, { variantId: 1, brandId: 1, rows });
    expect(summary).toMatchObject({ imported: 0, alreadyStored: 1 });
  });

  it('leaves a value alone that changes at the same moment, and opens old and new ones while it runs', async () => {
    const rows = Array.from({ length: 600 }, (_, index) => ({ line: index + 1, code: `MORE-${index}` }));
    await importVouchers({ db, box: old, clock }, { variantId: 1, brandId: 1, rows });
    const [first, second] = await Promise.all([run(), run()]);
    const { rows: sums } = await db.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM vouchers WHERE substring(code_sealed FROM 2 FOR 2) = 'k2'`,
    );
    expect(sums[0]?.n).toBe(CODES + 600);
    expect([first.exitCode, second.exitCode]).toContain(0);
    expect(await opened(both)).toHaveLength(CODES);
  });
});
