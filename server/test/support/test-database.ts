import { randomUUID } from 'node:crypto';

import pg from 'pg';
import { inject } from 'vitest';

import { openDatabase } from '../../src/platform/db/database.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { databaseUrl } from './global-setup.ts';

export interface TestDatabase extends Database {
  readonly url: string;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/** A fresh clone of the migrated template. Call it in `beforeAll`, and `drop()` in `afterAll`. */
export async function createTestDatabase(options: { poolSize?: number } = {}): Promise<TestDatabase> {
  const serverUrl = inject('serverUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${inject('templateName')}`);
  const url = databaseUrl(serverUrl, name);
  const db = openDatabase({
    url,
    poolSize: options.poolSize ?? 8,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 5_000,
    applicationName: 'test',
    onIdleError: () => undefined,
  });
  return {
    ...db,
    url,
    async drop() {
      await db.close();
      await onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Cloning takes turns: PostgreSQL refuses a template that another session is just copying from.
    await client.query('SELECT pg_advisory_lock(726500)');
    await client.query(sql);
  } finally {
    await client.end();
  }
}
