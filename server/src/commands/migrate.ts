import { join } from 'node:path';

import type { Config } from '../config.ts';
import { migrate } from '../platform/db/migrate.ts';
import { migrateJobs } from '../platform/jobs/worker.ts';

export const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../migrations');

/** Applies our migrations and the job queue's. */
export async function migrateAll(url: string, onProgress: (text: string) => void): Promise<void> {
  await migrate({ url, folder: MIGRATIONS_FOLDER, onProgress });
  await migrateJobs(url);
}

export async function migrateDatabase(config: Config, isDryRun: boolean): Promise<void> {
  if (!config.databaseUrl)
    throw new Error('Set DATABASE_URL: the embedded database is migrated by npm start');
  if (isDryRun) {
    const report = await migrate({ url: config.databaseUrl, folder: MIGRATIONS_FOLDER, dryRun: true });
    console.log(report.pending.length > 0 ? report.pending.join('\n') : 'nothing to apply');
    return;
  }
  await migrateAll(config.databaseUrl, (text) => console.log(text));
  console.log('the database is up to date');
}
