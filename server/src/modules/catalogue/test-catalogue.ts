import type { FastifyInstance, InjectOptions } from 'fastify';

import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import type { AuditEntry } from '../../platform/audit.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { createIdempotencyStore } from '../../platform/http/idempotency.ts';
import { mountEndpoints } from '../../platform/http/mount.ts';
import { createHttpServer } from '../../platform/http/server.ts';
import { createLog } from '../../platform/log.ts';
import type { Clock } from '../../platform/time.ts';
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
  get(path: string, headers?: Record<string, string>): Promise<TestReply>;
  /** As an operator, below /api/v1/admin. */
  admin(request: AdminRequest): Promise<TestReply>;
  /** What was written to the audit log, oldest first. */
  readonly audited: AuditEntry[];
  readonly adminId: number;
  readonly app: FastifyInstance;
  close(): Promise<void>;
}

export interface TestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Body;
  readonly text: string;
}

export interface AdminRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
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

export interface TestCatalogueOptions {
  readonly clock?: Clock;
  /** A second process on the first one's database. */
  readonly beside?: TestCatalogue;
}

export async function createTestCatalogue(options: TestCatalogueOptions = {}): Promise<TestCatalogue> {
  const { beside } = options;
  const db = beside?.db ?? (await createTestDatabase({ poolSize: 6 }));
  const adminId = beside?.adminId ?? (await insertAdmin(db));
  const audited: AuditEntry[] = [];
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
    recordAudit: async (_tx, entry) => void audited.push(entry),
    ...(options.clock ? { clock: options.clock } : {}),
  });
  const app = await serve(catalogue, { db, adminId });
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
    get: (path, headers = {}) => ask(app, { method: 'GET', url: `/api/v1${path}`, headers }),
    admin: ({ method, path, body, headers = {} }) =>
      ask(app, {
        method,
        url: `/admin${path}`,
        headers: { authorization: 'Bearer operator', ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      }),
    audited,
    adminId,
    app,
    async close() {
      await app.close();
      if (!beside) await db.drop();
    },
  };
}

async function ask(app: FastifyInstance, request: InjectOptions): Promise<TestReply> {
  const reply = await app.inject(request);
  const isJson = String(reply.headers['content-type']).startsWith('application/json');
  const body = isJson ? reply.json<Body>() : ({} as Body);
  return { status: reply.statusCode, headers: reply.headers, body, text: reply.body };
}

async function insertAdmin(db: TestDatabase): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `INSERT INTO admins (email, name, password_hash) VALUES ('operator@example.com', 'Operator', '-') RETURNING id`,
  );
  return rows[0]?.id ?? 0;
}

async function serve(
  catalogue: Catalogue,
  { db, adminId }: { db: TestDatabase; adminId: number },
): Promise<FastifyInstance> {
  const app = createHttpServer({ log: createLog({ level: 'silent' }), trustProxy: [] });
  const options = {
    authenticator: {
      client: () => Promise.reject(new Error('The catalogue needs no token')),
      admin: async () => ({
        kind: 'admin' as const,
        adminId,
        sessionId: 'test',
        permissions: new Set(catalogue.adminEndpoints.map(permissionOf)),
      }),
    },
    idempotency: createIdempotencyStore(db),
  };
  const mount = (endpoints: readonly Endpoint[]) => async (scope: FastifyInstance) =>
    mountEndpoints(scope, endpoints, options);
  await app.register(mount(catalogue.clientEndpoints), { prefix: '/api/v1' });
  await app.register(mount(catalogue.adminEndpoints), { prefix: '/api/v1/admin' });
  catalogue.serveMedia(app);
  return app;
}

function permissionOf({ access }: Endpoint): string {
  if (typeof access !== 'object') throw new Error('An admin endpoint without a permission');
  return access.permission;
}
