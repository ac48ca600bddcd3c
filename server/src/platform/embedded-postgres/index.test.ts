import { readFile, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedPostgres, findRunningPostgres, startEmbeddedPostgres } from './index.ts';
import { makeFolder } from '../../../test/support/staged-project.ts';

let dataDir = '';
let database: EmbeddedPostgres;

beforeAll(async () => {
  dataDir = await makeFolder();
  database = await startEmbeddedPostgres({ dataDir });
}, 60_000);

afterAll(async () => {
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);

async function query(url: string, text: string): Promise<Record<string, string>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, string>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function setting(name: string): Promise<string | undefined> {
  return (await query(database.url, `SELECT current_setting('${name}') AS value`))[0]?.['value'];
}

describe('a started database', () => {
  it('is named voucher, in UTF-8 with C.UTF-8 order', async () => {
    const rows = await query(
      database.url,
      'SELECT datname, datlocprovider AS provider, datlocale AS locale, pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = current_database()',
    );
    expect(rows).toEqual([{ datname: 'voucher', provider: 'b', locale: 'C.UTF-8', encoding: 'UTF8' }]);
  });

  it('counts Bangla letters as letters in trigram search', async () => {
    await query(database.url, 'CREATE EXTENSION IF NOT EXISTS pg_trgm');
    const rows = await query(
      database.url,
      "SELECT (similarity('মোবাইল রিচার্জ', 'মোবাইল') > 0.3)::text AS similar",
    );
    expect(rows).toEqual([{ similar: 'true' }]);
  });

  it.each([
    ['data_checksums', 'on'],
    ['fsync', 'on'],
    ['synchronous_commit', 'on'],
    ['full_page_writes', 'on'],
    ['shared_buffers', '128MB'],
    ['max_connections', '100'],
    ['listen_addresses', '127.0.0.1'],
    ['unix_socket_directories', ''],
    ['password_encryption', 'scram-sha-256'],
    ['TimeZone', 'UTC'],
  ])('runs with %s = %s', async (name, value) => {
    expect(await setting(name)).toBe(value);
  });

  it('lets nobody in without the password', async () => {
    const wrong = new URL(database.url);
    wrong.password = 'guessed';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('asks for scram-sha-256 on every address rule', async () => {
    const rows = await query(database.url, 'SELECT DISTINCT auth_method FROM pg_hba_file_rules');
    expect(rows).toEqual([{ auth_method: 'scram-sha-256' }]);
  });

  it('keeps the password in one file that only its owner can read', async () => {
    const password = Buffer.from(new URL(database.url).password);
    const holders: string[] = [];
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && (await readFile(path)).includes(password)) holders.push(path);
    }
    expect(holders).toEqual([join(dataDir, 'cluster', 'password')]);
    expect((await stat(join(dataDir, 'cluster', 'password'))).mode & 0o777).toBe(0o600);
  });

  it('writes neither statements nor key values into its log', async () => {
    await query(database.url, 'CREATE TABLE secret_codes (code text PRIMARY KEY)');
    await query(database.url, "INSERT INTO secret_codes VALUES ('TOP-SECRET-1')");
    await expect(query(database.url, "INSERT INTO secret_codes VALUES ('TOP-SECRET-1')")).rejects.toThrow(
      'duplicate key value',
    );
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('duplicate key value');
    expect(log).not.toContain('TOP-SECRET');
  });

  it('is found by another command while it runs', async () => {
    expect(await findRunningPostgres({ dataDir })).toBe(database.url);
  });
});

describe('a stopped database', () => {
  it('comes back on the same port with what was written', async () => {
    await query(database.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const firstUrl = database.url;
    await database.stop();
    expect(await findRunningPostgres({ dataDir })).toBeUndefined();
    database = await startEmbeddedPostgres({ dataDir });
    expect(database).toMatchObject({ url: firstUrl, adopted: false });
    expect(await query(database.url, 'SELECT answer::text FROM kept')).toEqual([{ answer: '42' }]);
  }, 60_000);

  it('takes another port when its own is in use', async () => {
    const port = Number(new URL(database.url).port);
    await database.stop();
    const squatter = createServer().listen(port, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    try {
      database = await startEmbeddedPostgres({ dataDir });
      expect(Number(new URL(database.url).port)).not.toBe(port);
      expect(await query(database.url, 'SELECT 1::text AS one')).toEqual([{ one: '1' }]);
    } finally {
      await new Promise((resolve) => squatter.close(resolve));
    }
  }, 60_000);

  it('may be told to stop again', async () => {
    await database.stop();
    await expect(database.stop()).resolves.toBeUndefined();
    database = await startEmbeddedPostgres({ dataDir });
  }, 60_000);
});
