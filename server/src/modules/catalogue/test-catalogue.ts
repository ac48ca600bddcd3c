import type { FastifyInstance } from 'fastify';

import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import { createIdempotencyStore } from '../../platform/http/idempotency.ts';
import { mountEndpoints } from '../../platform/http/mount.ts';
import { createHttpServer } from '../../platform/http/server.ts';
import { createLog } from '../../platform/log.ts';
import { createCatalogue } from './index.ts';
import type { Catalogue } from './index.ts';

/** The module behind HTTP on a database of its own, with stock and gateways that the test decides. For tests only. */
export interface TestCatalogue {
  readonly db: TestDatabase;
  readonly catalogue: Catalogue;
  readonly inStock: Set<number>;
  readonly methods: Set<string>;
  /** Runs SQL as an operator's change and announces it. */
  change(sql: string, values?: readonly unknown[]): Promise<number[]>;
  get(path: string, headers?: Record<string, string>): Promise<{ status: number; body: Body }>;
  close(): Promise<void>;
}

interface Body {
  readonly success: boolean;
  readonly message: string;
  // What an answer holds is what the tests are about: they compare it whole or dig in it.
  readonly data: Json;
  readonly errorCode?: string;
  readonly errors?: { field: string; message: string }[];
}

/** Digs in JSON without casts: what is not there is undefined. */
export interface Json {
  readonly [key: string]: Json;
}

export async function createTestCatalogue(): Promise<TestCatalogue> {
  const db = await createTestDatabase({ poolSize: 4 });
  const inStock = new Set<number>();
  const methods = new Set<string>();
  const stock = {
    listSellableVariants: async () => new Set(inStock),
    countSellableUnits: async (variantId: number, most: number) => (inStock.has(variantId) ? most : 0),
    listLevels: async () => [],
  };
  const catalogue = createCatalogue({
    db,
    stock,
    offeredMethods: () => methods,
    recordAudit: async () => undefined,
    mediaDir: '',
  });
  const app = await serve(db, catalogue);
  return {
    db,
    catalogue,
    inStock,
    methods,
    async change(sql, values) {
      const { rows } = await db.query<{ id: number }>(sql, values);
      catalogue.noteChange();
      return rows.map((row) => row.id);
    },
    async get(path, headers = {}) {
      const reply = await app.inject({ method: 'GET', url: `/api/v1${path}`, headers });
      return { status: reply.statusCode, body: reply.json<Body>() };
    },
    async close() {
      await app.close();
      await db.drop();
    },
  };
}

async function serve(db: TestDatabase, catalogue: Catalogue): Promise<FastifyInstance> {
  const app = createHttpServer({ log: createLog({ level: 'silent' }), trustProxy: [] });
  const refuse = () => Promise.reject(new Error('The catalogue needs no token'));
  const options = {
    authenticator: { client: refuse, admin: refuse },
    idempotency: createIdempotencyStore(db),
  };
  await app.register(async (scope) => mountEndpoints(scope, catalogue.clientEndpoints, options), {
    prefix: '/api/v1',
  });
  return app;
}
