import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { App } from '../../src/app.ts';
import { buildDescribedApp } from '../../src/docs-generation/described-app.ts';
import type { Endpoint } from '../../src/platform/http/endpoint.ts';
import { envelopeSchema, errorEnvelopeSchema } from '../../src/platform/http/envelope.ts';
import { createSchemaCompilers } from '../../src/platform/http/schemas/compilers.ts';
import { createTestDatabase } from '../support/test-database.ts';
import type { TestDatabase } from '../support/test-database.ts';

let db: TestDatabase;
let folder: string;
let app: App;

beforeAll(async () => {
  db = await createTestDatabase({ poolSize: 2 });
  folder = await mkdtemp(join(tmpdir(), 'voucher-schemas-test-'));
  app = await buildDescribedApp({ db, folder, version: '0.0.0-test' });
});
afterAll(async () => {
  await app.close();
  await db.drop();
  await rm(folder, { recursive: true, force: true });
});

const compilers = createSchemaCompilers();

function compileAll({ params, query, body, data }: Endpoint): void {
  if (params) compilers.text(params);
  if (query) compilers.text(query);
  if (body) compilers.body(body);
  compilers.answer(envelopeSchema(data));
}

function problemsOf(endpoints: readonly Endpoint[]): string[] {
  return endpoints.flatMap((endpoint) => {
    try {
      compileAll(endpoint);
      return [];
    } catch (error) {
      return [`${endpoint.method} ${endpoint.path}: ${(error as Error).message}`];
    }
  });
}

// The service compiles a schema when a request first needs it: a broken one would be found by a customer.
describe('the schemas of every operation', () => {
  it('can be compiled', () => {
    expect(problemsOf([...app.endpoints.client, ...app.endpoints.admin])).toEqual([]);
    expect(() => compilers.answer(errorEnvelopeSchema)).not.toThrow();
  });

  it('are found out when they cannot', () => {
    const broken = { ...app.endpoints.client[0], data: { type: 'no-such-type' } } as unknown as Endpoint;
    expect(problemsOf([broken])).toHaveLength(1);
  });
});
