import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';

/** One plain SQL file of server/migrations, applied once, forward only, in the order of its number. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

export interface MigrationReport {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

/** Any number; everybody who migrates this database must use the same one. */
const MIGRATION_LOCK = 7_265_010_301;

const FILE_NAME = /^\d{4}-[a-z0-9-]+\.sql$/;

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  for (const name of names) {
    if (!FILE_NAME.test(name)) throw new Error(`Migration ${name} must be named like 0001-what-it-does.sql`);
  }
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Brings the database up to the newest migration. Two starters at once are safe: the second waits on an advisory
 * lock and finds nothing left to do. Each file runs in one transaction with its bookkeeping row, so a starter that
 * dies half-way leaves either all of a file or nothing of it.
 *
 * @throws Error when an applied file was changed, or the database is newer than this program.
 */
export async function migrate(options: {
  readonly url: string;
  readonly folder: string;
  readonly dryRun?: boolean;
  onProgress?(text: string): void;
}): Promise<MigrationReport> {
  const migrations = await readMigrations(options.folder);
  const client = new pg.Client({ connectionString: options.url, application_name: 'migrate' });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const pending = await findPending(client, migrations);
    if (options.dryRun) return { applied: [], pending: pending.map(({ name }) => name) };
    for (const migration of pending) {
      await apply(client, migration);
      options.onProgress?.(`migration ${migration.name}`);
    }
    return { applied: pending.map(({ name }) => name), pending: [] };
  } finally {
    await client.end();
  }
}

async function findPending(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  );
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM schema_migrations ORDER BY name',
  );
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const row of rows) {
    const migration = known.get(row.name);
    if (!migration) {
      throw new Error(
        `The database has migration ${row.name}, which this program does not know: it is newer. Start the newer program.`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new Error(
        `Migration ${row.name} was changed after it was applied. Restore the file and add a new one.`,
      );
    }
  }
  const applied = new Set(rows.map((row) => row.name));
  return migrations.filter(({ name }) => !applied.has(name));
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(migration.sql);
    await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [
      migration.name,
      migration.checksum,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(
      `Migration ${migration.name} failed and left nothing behind: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}
