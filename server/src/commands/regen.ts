import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { buildDescribedApp } from '../docs-generation/described-app.ts';
import { generateDocs } from '../docs-generation/generate-docs.ts';
import type { GeneratedFile } from '../docs-generation/markdown.ts';
import { compareDocs, writeDocs } from '../docs-generation/sync-docs.ts';
import type { Difference } from '../docs-generation/sync-docs.ts';
import { openDatabase } from '../platform/db/database.ts';
import type { Database } from '../platform/db/database.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/index.ts';
import { migrateAll } from './migrate.ts';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Writes docs/generated and the drawing in ARCHITECTURE.md out of the program, or, to check, only compares.
 *
 * @throws Error that lists what is out of step, when checking.
 */
export async function regenerateDocs(options: { isCheck: boolean }): Promise<void> {
  const files = await generate();
  if (!options.isCheck) {
    const written = await writeDocs(ROOT, files);
    console.log(written.length > 0 ? listOf(written) : `all ${files.length} generated files were in step`);
    return;
  }
  const differences = await compareDocs(ROOT, files);
  if (differences.length > 0) throw new Error(outOfStep(differences));
  console.log(`all ${files.length} generated files are in step`);
}

/** What is wrong and how to put it right. */
export function outOfStep(differences: readonly Difference[]): string {
  return `Generated files are out of step with the program:\n${listOf(differences)}\nWrite them anew: npm run regen`;
}

const listOf = (differences: readonly Difference[]): string =>
  differences.map(({ path, problem }) => `  ${path} (${problem})`).join('\n');

/** On a database that is made for it and thrown away: what is documented is what PostgreSQL made of the migrations. */
async function generate(): Promise<GeneratedFile[]> {
  const folder = await mkdtemp(join(tmpdir(), 'voucher-docs-'));
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
  try {
    await migrateAll(postgres.url, () => undefined);
    return await generateOn(postgres.url, folder);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function generateOn(url: string, folder: string): Promise<GeneratedFile[]> {
  const db: Database = openDatabase({
    url,
    poolSize: 2,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 5_000,
    applicationName: 'regen',
    onIdleError: () => undefined,
  });
  try {
    const app = await buildDescribedApp({ db, folder, version: await readVersion() });
    try {
      return await generateDocs({ root: ROOT, app, db });
    } finally {
      await app.close();
    }
  } finally {
    await db.close();
  }
}

async function readVersion(): Promise<string> {
  const text = await readFile(join(ROOT, 'server/package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
