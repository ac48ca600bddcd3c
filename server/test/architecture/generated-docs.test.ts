import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { outOfStep } from '../../src/commands/regen.ts';
import { buildDescribedApp } from '../../src/docs-generation/described-app.ts';
import { findErrorTypes, findErrorUses } from '../../src/docs-generation/errors-page.ts';
import { generateDocs } from '../../src/docs-generation/generate-docs.ts';
import type { GeneratedFile } from '../../src/docs-generation/markdown.ts';
import { readTableComments } from '../../src/docs-generation/schema-comments.ts';
import { readSourceTexts } from '../../src/docs-generation/source-texts.ts';
import { compareDocs, writeDocs } from '../../src/docs-generation/sync-docs.ts';
import { errorCatalogue } from '../../src/platform/errors.ts';
import { createTestDatabase } from '../support/test-database.ts';
import type { TestDatabase } from '../support/test-database.ts';

const project = resolve(fileURLToPath(new URL('../../..', import.meta.url)));

let db: TestDatabase;
let folder: string;
let files: GeneratedFile[];

beforeAll(async () => {
  db = await createTestDatabase({ poolSize: 2 });
  folder = await mkdtemp(join(tmpdir(), 'voucher-docs-test-'));
  files = await generateAgain();
});
afterAll(async () => {
  await db.drop();
  await rm(folder, { recursive: true, force: true });
});

async function generateAgain(): Promise<GeneratedFile[]> {
  const text = await readFile(join(project, 'server/package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  const app = await buildDescribedApp({ db, folder: join(folder, 'described'), version });
  try {
    return await generateDocs({ root: project, app, db });
  } finally {
    await app.close();
  }
}

const fileNamed = (name: string): string => files.find(({ path }) => path.endsWith(name))?.text ?? '';

describe('the generated documents', () => {
  it('are in step with the program', async () => {
    expect(await compareDocs(project, files)).toEqual([]);
  });

  it('are the same bytes when they are generated again', async () => {
    expect(await generateAgain()).toEqual(files);
  });

  it('describe every operation, every table and every gateway', () => {
    expect(fileNamed('operations.md')).toContain('| POST | `/orders` | customer |');
    expect(fileNamed('schema.md')).toContain('## order_status_changes');
    for (const gateway of ['aggregator', 'wallet_tokenized', 'multi_wallet', 'dcb', 'wallet_direct']) {
      expect(fileNamed('openapi/client.json')).toContain(`"/api/v1/payments/${gateway}/callback"`);
      expect(fileNamed('configuration.md')).toContain(`GATEWAY_${gateway.toUpperCase()}_BASE_URL`);
    }
  });

  it('give OpenAPI 3.1 whose references all lead somewhere', () => {
    for (const name of ['openapi/client.json', 'openapi/admin.json']) {
      const description = JSON.parse(fileNamed(name)) as { openapi: string; components: { schemas: object } };
      expect(description.openapi).toBe('3.1.0');
      const wanted = [...fileNamed(name).matchAll(/"\$ref": "#\/components\/schemas\/([^"]+)"/g)];
      expect(Object.keys(description.components.schemas)).toEqual(
        expect.arrayContaining([...new Set(wanted.map((match) => match[1]))]),
      );
    }
  });
});

describe('checking', () => {
  it('catches a stale, a missing and a left-over file, and says what puts them right', async () => {
    const copy = await mkdtemp(join(tmpdir(), 'voucher-docs-planted-'));
    await cp(join(project, 'docs/generated'), join(copy, 'docs/generated'), { recursive: true });
    await writeDocs(copy, files);
    expect(await compareDocs(copy, files)).toEqual([]);

    await writeFile(join(copy, 'docs/generated/errors.md'), 'edited by hand\n');
    await rm(join(copy, 'docs/generated/states.md'));
    await mkdir(join(copy, 'docs/generated/old'));
    await writeFile(join(copy, 'docs/generated/old/page.md'), 'made by an earlier version\n');
    const differences = await compareDocs(copy, files);
    expect(differences).toEqual([
      { path: 'docs/generated/errors.md', problem: 'stale' },
      { path: 'docs/generated/old/page.md', problem: 'left over' },
      { path: 'docs/generated/states.md', problem: 'missing' },
    ]);
    expect(outOfStep(differences)).toContain('docs/generated/states.md (missing)');
    expect(outOfStep(differences)).toContain('npm run regen');

    await writeDocs(copy, files);
    expect(await compareDocs(copy, files)).toEqual([]);
    await rm(copy, { recursive: true });
  });

  it('refuses a table whose owner no migration names', () => {
    const sql = '-- Why: a table.\n\nCREATE TABLE things (\n  id bigint\n);\n';
    expect(() => readTableComments([{ name: '0001-things.sql', sql, checksum: '' }])).toThrow(
      /things.*Owner/,
    );
  });
});

describe('error codes', () => {
  it('are all in the catalogue, documented with their status, and answered by something', async () => {
    const uses = findErrorUses(await readSourceTexts(project, 'server/src'));
    expect([...uses.keys()].toSorted()).toEqual(Object.keys(errorCatalogue).toSorted());
    for (const [name, { status, meaning }] of Object.entries(errorCatalogue)) {
      expect(fileNamed('errors.md')).toContain(`| \`${name}\` | ${status} | ${meaning} |`);
    }
  });

  it('name their finer cases in the documents, each one used by the program', async () => {
    const types = [...findErrorTypes(await readSourceTexts(project, 'server/src')).keys()];
    expect(types).toContain('OutOfStockError');
    const [, cases = ''] = fileNamed('errors.md').split('\n## ');
    const documented = [...cases.matchAll(/^\| `([A-Za-z]+)` \| /gm)].map((match) => match[1]);
    expect(documented).toEqual(types);
  });
});
