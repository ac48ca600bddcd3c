import { join } from 'node:path';

import type { Config } from '../config.ts';
import { loadKeys } from '../keys.ts';
import { openDatabase } from '../platform/db/database.ts';
import type { Database } from '../platform/db/database.ts';
import { createSecretBox } from '../platform/secret-box.ts';
import type { SecretBox } from '../platform/secret-box.ts';

/** Database and keys for a command that works on stored codes, beside a running service. */
export async function openVault(
  config: Config,
): Promise<{ db: Database; box: SecretBox; close(): Promise<void> }> {
  const url = config.databaseUrl ?? (await findEmbedded(config));
  const db = openDatabase({
    url,
    poolSize: 4,
    statementTimeoutMs: 60_000,
    lockTimeoutMs: 10_000,
    applicationName: 'command-line',
    onIdleError: (error) => console.error(`the database connection broke: ${error.message}`),
  });
  const { vault } = await loadKeys(config);
  return { db, box: createSecretBox(vault), close: () => db.close() };
}

async function findEmbedded(config: Config): Promise<string> {
  const { findRunningPostgres } = await import('../platform/embedded-postgres/index.ts');
  const url = await findRunningPostgres({ dataDir: join(config.dataDir, 'postgres') });
  if (url) return url;
  throw new Error('No database is running: start the service with `npm start` first, or set DATABASE_URL');
}
