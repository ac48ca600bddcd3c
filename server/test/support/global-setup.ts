import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';
import type { TestProject } from 'vitest/node';

import { migrate } from '../../src/platform/db/migrate.ts';
import { migrateJobs } from '../../src/platform/jobs/worker.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser address of the test server, any database. */
    readonly serverUrl: string;
    /** A migrated, empty database to clone. */
    readonly templateName: string;
  }
}

const MIGRATIONS = join(import.meta.dirname, '../../migrations');

/**
 * One PostgreSQL for the whole run (the embedded one, or TEST_DATABASE_URL) with one migrated template, which every
 * test file clones: no test sees another's rows.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  const templateName = `template_${process.pid}_${Date.now()}`;
  await runOn(server.url, `CREATE DATABASE ${templateName}`);
  const templateUrl = databaseUrl(server.url, templateName);
  await migrate({ url: templateUrl, folder: MIGRATIONS });
  await migrateJobs(templateUrl);
  project.provide('serverUrl', server.url);
  project.provide('templateName', templateName);
  return async () => {
    await runOn(server.url, `DROP DATABASE IF EXISTS ${templateName} WITH (FORCE)`);
    await server.stop();
  };
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return { url: given, stop: async () => undefined };
  const { startEmbeddedPostgres } = await import('../../src/platform/embedded-postgres/index.ts');
  const dataDir = await mkdtemp(join(tmpdir(), 'voucher-test-'));
  const started = await startEmbeddedPostgres({ dataDir });
  return {
    url: started.url,
    async stop() {
      await started.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function runOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
