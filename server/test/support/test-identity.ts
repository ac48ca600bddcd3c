import type { FastifyInstance } from 'fastify';

import { createIdentity, generateTokenKey } from '../../src/modules/identity/index.ts';
import type {
  Identity,
  IdentityDeps,
  MailLetter,
  SmsAbuse,
  SmsMessage,
  SmsSender,
  TokenKeys,
} from '../../src/modules/identity/index.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { createIdempotencyStore } from '../../src/platform/http/idempotency.ts';
import { mountEndpoints } from '../../src/platform/http/mount.ts';
import { createHttpServer } from '../../src/platform/http/server.ts';
import { createLog } from '../../src/platform/log.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { SecretBox } from '../../src/platform/secret-box.ts';

/** A clock that stands still until a test moves it. */
export interface TestClock {
  now(): Date;
  advance(seconds: number): void;
}

export function testClock(start = new Date()): TestClock {
  let at = start.getTime();
  return {
    now: () => new Date(at),
    advance: (seconds) => {
      at += seconds * 1000;
    },
  };
}

export interface TestIdentity {
  readonly identity: Identity;
  readonly app: FastifyInstance;
  readonly clock: TestClock;
  readonly tokenKeys: TokenKeys;
  readonly phones: TestPhones;
  readonly abuse: readonly SmsAbuse[];
  readonly letters: readonly MailLetter[];
  call(request: TestRequest): Promise<TestAnswer>;
}

export interface TestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`. */
  readonly path: string;
  readonly body?: unknown;
  readonly token?: string;
  readonly ip?: string;
  readonly acceptLanguage?: string;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: { success: boolean; message: string; data: never; errorCode?: string; errors?: unknown };
}

/** Every phone there is: it keeps the texts it gets, and can be out of reach. */
export interface TestPhones extends SmsSender {
  readonly texts: SmsMessage[];
  /** The newest code a number got. */
  codeFor(msisdn: string): string;
  reachable: boolean;
}

export function createTestPhones(): TestPhones {
  const texts: SmsMessage[] = [];
  const phones: TestPhones = {
    texts,
    reachable: true,
    async send(message) {
      if (!phones.reachable) throw new Error('out of reach');
      texts.push(message);
    },
    codeFor(msisdn) {
      const text = texts.findLast((message) => message.to === msisdn)?.text ?? '';
      const code = /\b\d{6}\b/.exec(text)?.[0];
      if (code === undefined) throw new Error(`No code was sent to ${msisdn}`);
      return code;
    },
  };
  return phones;
}

export function aSecretBox(): SecretBox {
  return createSecretBox({
    sealing: [{ id: 'test', key: systemRandom.bytes(32) }],
    digesting: systemRandom.bytes(32),
  });
}

export const log = createLog({ level: 'silent' });

export async function aTokenKeySet(): Promise<TokenKeys> {
  return { client: [await generateTokenKey()], admin: [await generateTokenKey()] };
}

/** The identity module behind HTTP, as one process of the service runs it. */
export async function startIdentity(
  db: Database,
  given: Partial<IdentityDeps> & { clock?: TestClock; phones?: TestPhones } = {},
): Promise<TestIdentity> {
  const clock = given.clock ?? testClock();
  const tokenKeys = given.tokenKeys ?? (await aTokenKeySet());
  const phones = given.phones ?? createTestPhones();
  const abuse: SmsAbuse[] = [];
  const letters: MailLetter[] = [];
  const identity = createIdentity({
    db,
    random: systemRandom,
    log,
    accessTokenSeconds: 900,
    secretBox: aSecretBox(),
    sms: phones,
    records: {
      listOrders: async () => [],
      listPayments: async () => [],
      countUnfinishedOrders: async () => 0,
      findCustomersByOrderNumber: async () => [],
    },
    publicUrl: 'https://shop.example',
    async sendMail(letter) {
      letters.push(letter);
    },
    async reportSmsAbuse(_tx, report) {
      abuse.push(report);
    },
    ...given,
    clock,
    tokenKeys,
  });
  await identity.ensureRoles();
  const app = createHttpServer({ log, trustProxy: ['127.0.0.1/32'] });
  const options = { authenticator: identity.authenticator, idempotency: createIdempotencyStore(db) };
  app.register(async (scope) => mountEndpoints(scope, identity.clientEndpoints, options), {
    prefix: '/api/v1',
  });
  app.register(async (scope) => mountEndpoints(scope, identity.adminEndpoints, options), {
    prefix: '/api/v1/admin',
  });
  await app.ready();
  return { identity, app, clock, tokenKeys, phones, abuse, letters, call: (request) => call(app, request) };
}

async function call(app: FastifyInstance, request: TestRequest): Promise<TestAnswer> {
  const answer = await app.inject({
    method: request.method,
    url: `/api/v1${request.path}`,
    headers: {
      ...(request.token === undefined ? {} : { authorization: `Bearer ${request.token}` }),
      'x-forwarded-for': request.ip ?? '203.0.113.7',
      'user-agent': 'test-browser',
      ...(request.acceptLanguage === undefined ? {} : { 'accept-language': request.acceptLanguage }),
    },
    ...(request.body === undefined ? {} : { payload: request.body as object }),
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
}
