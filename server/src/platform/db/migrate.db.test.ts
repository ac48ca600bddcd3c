import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import { migrate, readMigrations } from './migrate.ts';

let db: TestDatabase;
let folder: string;

beforeEach(async () => {
  db = await createTestDatabase();
  // The template is migrated with the real files; these tests bring their own.
  await db.query('DROP TABLE schema_migrations');
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await writeFile(join(folder, '0001-first.sql'), 'CREATE TABLE first_table (id int);');
});
afterEach(async () => {
  await db.drop();
  await rm(folder, { recursive: true });
});

const run = (): ReturnType<typeof migrate> => migrate({ url: db.url, folder });

describe('migrate', () => {
  it('applies each file once, in order, also when two start at the same moment', async () => {
    await writeFile(join(folder, '0002-second.sql'), 'ALTER TABLE first_table ADD COLUMN name text;');
    const reports = await Promise.all([run(), run()]);
    expect(reports.flatMap((report) => report.applied)).toEqual(['0001-first.sql', '0002-second.sql']);
    expect((await run()).applied).toEqual([]);
  });

  it('leaves nothing of a file that fails, and applies it when it is mended', async () => {
    await writeFile(join(folder, '0002-second.sql'), 'CREATE TABLE half (id int); SELECT 1 / 0;');
    await expect(run()).rejects.toThrow('0002-second.sql failed and left nothing behind');
    expect(
      (await db.query<{ there: boolean }>(`SELECT to_regclass('half') IS NOT NULL AS there`)).rows[0]?.there,
    ).toBe(false);
    await writeFile(join(folder, '0002-second.sql'), 'CREATE TABLE half (id int);');
    expect((await run()).applied).toEqual(['0002-second.sql']);
  });

  it('refuses a file that was changed after it was applied', async () => {
    await run();
    await writeFile(join(folder, '0001-first.sql'), 'CREATE TABLE other (id int);');
    await expect(run()).rejects.toThrow('0001-first.sql was changed');
  });

  it('refuses a database that is newer than the program', async () => {
    await writeFile(join(folder, '0002-second.sql'), 'CREATE TABLE second_table (id int);');
    await run();
    await rm(join(folder, '0002-second.sql'));
    await expect(run()).rejects.toThrow('it is newer');
  });

  it('only lists what it would do in a dry run, and wants numbered names', async () => {
    expect(await migrate({ url: db.url, folder, dryRun: true })).toEqual({
      applied: [],
      pending: ['0001-first.sql'],
    });
    expect((await run()).applied).toHaveLength(1);
    await writeFile(join(folder, 'whatever.sql'), '');
    await expect(readMigrations(folder)).rejects.toThrow('must be named like');
  });
});
