import { randomUUID } from 'node:crypto';

import type { FastifyInstance } from 'fastify';

import { testClock } from '../../../test/support/test-identity.ts';
import type { TestClock } from '../../../test/support/test-identity.ts';
import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import type { AuditEntry } from '../../platform/audit.ts';
import { inTransaction } from '../../platform/db/database.ts';
import type { AdminCaller } from '../../platform/http/endpoint.ts';
import { createIdempotencyStore } from '../../platform/http/idempotency.ts';
import { mountEndpoints } from '../../platform/http/mount.ts';
import { createHttpServer } from '../../platform/http/server.ts';
import { createMemoryStore } from '../../platform/http/throttle/throttle-store.ts';
import { createRequestLimiter } from '../../platform/http/throttle/throttle.ts';
import { createLog } from '../../platform/log.ts';
import { systemRandom } from '../../platform/random.ts';
import type { Random } from '../../platform/random.ts';
import { createSecretBox } from '../../platform/secret-box.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Delivery, Letter } from '../mail/index.ts';
import { createRedemption } from './index.ts';
import type { MissLimitSettings, Redemption } from './index.ts';

export interface TestAnswer<Data> {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly raw: Buffer;
  readonly body: {
    readonly success: boolean;
    readonly message: string;
    readonly data: Data;
    readonly errorCode?: string;
    readonly errors?: readonly { field: string; message: string }[];
  };
}

export interface TestRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`. */
  readonly path: string;
  readonly body?: unknown;
  readonly ip?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestPost {
  readonly letters: Letter[];
  /** What the mail server does with the next letters, the last one for all that follow. */
  answers: Delivery['kind'][];
}

export interface TestRedemption {
  readonly db: TestDatabase;
  readonly app: FastifyInstance;
  readonly box: SecretBox;
  readonly clock: TestClock;
  readonly redemption: Redemption;
  readonly audit: AuditEntry[];
  readonly post: TestPost;
  /** What the operator may do; everything, until a test takes it away. */
  permissions: Set<string>;
  stockChanges: number;
  call<Data = never>(request: TestRequest): Promise<TestAnswer<Data>>;
  admin<Data = never>(request: TestRequest): Promise<TestAnswer<Data>>;
  close(): Promise<void>;
}

const everything = ['redemption:read', 'redemption:write', 'redemption:export', 'vouchers:write'];
/** Tests of something else must not be stopped by guessing. */
const generous = (name: string) => ({ name, requests: 1_000_000, windowSeconds: 1 });

/** The redemption module behind HTTP, as one process of the service runs it. */
export async function startRedemption(
  options: { db?: TestDatabase; random?: Random; missLimits?: MissLimitSettings; box?: SecretBox } = {},
): Promise<TestRedemption> {
  const db = options.db ?? (await createTestDatabase({ poolSize: 20 }));
  const clock = testClock();
  const log = createLog({ level: 'silent' });
  const box =
    options.box ??
    createSecretBox({
      sealing: [{ id: 'test', key: systemRandom.bytes(32) }],
      digesting: systemRandom.bytes(32),
    });
  const audit: AuditEntry[] = [];
  const post: TestPost = { letters: [], answers: ['accepted'] };
  const missLimits = options.missLimits ?? {
    perAddress: generous('address'),
    perNeighbourhood: generous('near'),
    overall: generous('all'),
  };
  const redemption = createRedemption({
    db,
    clock: { now: () => new Date() },
    random: options.random ?? systemRandom,
    log,
    box,
    mailer: {
      domain: 'vouchers.example',
      async deliver(letter, beforeText) {
        const kind = post.answers.length > 1 ? post.answers.shift() : post.answers[0];
        if (kind === 'accepted' && (await beforeText())) post.letters.push(letter);
        return { kind: kind ?? 'accepted', reply: `test says ${kind}` };
      },
      close: () => undefined,
    },
    recordAudit: async (_tx, entry) => {
      audit.push(entry);
    },
    publicUrl: 'https://shop.example',
    noteStockChange: () => {
      test.stockChanges += 1;
    },
    guessLimiter: createRequestLimiter({ store: createMemoryStore(clock), scale: 1 }),
    missLimits,
  });
  const app = await listen(db, redemption, () => test.permissions);
  const test: TestRedemption = {
    db,
    app,
    box,
    clock,
    redemption,
    audit,
    post,
    permissions: new Set(everything),
    stockChanges: 0,
    call: (request) => inject(app, { ...request, path: `/api/v1${request.path}` }),
    admin: (request) =>
      inject(app, {
        ...request,
        path: `/api/v1/admin/redemption${request.path}`,
        headers: { authorization: 'Bearer operator' },
      }),
    async close() {
      await app.close();
      if (!options.db) await db.drop();
    },
  };
  return test;
}

async function listen(
  db: TestDatabase,
  redemption: Redemption,
  permissions: () => ReadonlySet<string>,
): Promise<FastifyInstance> {
  const app = createHttpServer({ log: createLog({ level: 'silent' }), trustProxy: ['127.0.0.1/32'] });
  const operator = (): AdminCaller => ({
    kind: 'admin',
    adminId: 7,
    sessionId: 'session',
    permissions: permissions(),
  });
  const mount = {
    authenticator: {
      client: () => Promise.reject(new Error('no customers here')),
      admin: async () => operator(),
    },
    idempotency: createIdempotencyStore(db),
  };
  app.register(async (scope) => mountEndpoints(scope, redemption.clientEndpoints, mount), {
    prefix: '/api/v1',
  });
  app.register(async (scope) => mountEndpoints(scope, redemption.adminEndpoints, mount), {
    prefix: '/api/v1/admin',
  });
  await app.ready();
  return app;
}

async function inject<Data>(app: FastifyInstance, request: TestRequest): Promise<TestAnswer<Data>> {
  const answer = await app.inject({
    method: request.method ?? (request.body === undefined ? 'GET' : 'POST'),
    url: request.path,
    headers: {
      'x-forwarded-for': request.ip ?? '203.0.113.7',
      'user-agent': 'test-browser',
      ...request.headers,
    },
    ...(request.body === undefined ? {} : { payload: request.body as object }),
  });
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  return {
    status: answer.statusCode,
    headers: answer.headers,
    raw: answer.rawPayload,
    body: isJson ? answer.json() : ({} as never),
  };
}

export interface TestCampaign {
  readonly id: number;
  readonly slug: string;
}

export async function aCampaign(
  test: TestRedemption,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<TestCampaign> {
  const body = { name: 'Summer gift', slug: `s-${randomUUID()}`, ...fields };
  const created = await test.admin<TestCampaign>({ path: '/campaigns', body });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  return created.body.data;
}

export interface TestCode {
  readonly id: number;
  readonly code: string;
}

/** Codes with voucher codes `GIFT-1`, `GIFT-2`, … behind them. */
export async function someCodes(
  test: TestRedemption,
  campaign: TestCampaign,
  count: number,
): Promise<TestCode[]> {
  const entries = Array.from({ length: count }, (_, index) => ({ actual_voucher_code: `GIFT-${index + 1}` }));
  return generate(test, campaign, { entries });
}

export async function generate(
  test: TestRedemption,
  campaign: TestCampaign,
  body: Readonly<Record<string, unknown>>,
): Promise<TestCode[]> {
  const path = `/campaigns/${campaign.id}/codes/generate`;
  const answer = await test.admin<{ codes: TestCode[] }>({ path, body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.codes;
}

/** A campaign and one code of it. */
export async function aCode(
  test: TestRedemption,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<TestCode & { campaign: TestCampaign }> {
  const campaign = await aCampaign(test, fields);
  const [code] = await someCodes(test, campaign, 1);
  if (!code) throw new Error('no code');
  return { ...code, campaign };
}

export async function sql<Row = never>(
  test: TestRedemption,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await test.db.query<Row>(text, values)).rows;
}

/** Moves the moment a code was redeemed into the past, which the database allows nobody else. */
export async function redeemedEarlier(test: TestRedemption, codeId: number, ago: string): Promise<void> {
  await inTransaction(test.db, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('UPDATE redemption_codes SET redeemed_at = redeemed_at - $2::interval WHERE id = $1', [
      codeId,
      ago,
    ]);
  });
}

export interface AttemptView {
  readonly action: string;
  readonly outcome: string;
  readonly ip: string;
  readonly phone: string | null;
  readonly redemption_code_id: number | null;
}

/** The newest attempts first. */
export async function attemptsOf(test: TestRedemption, campaign: TestCampaign): Promise<AttemptView[]> {
  const answer = await test.admin<{ items: AttemptView[] }>({ path: `/campaigns/${campaign.id}/attempts` });
  return answer.body.data.items;
}
