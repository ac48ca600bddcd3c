/** The redemption module behind HTTP in a process of its own, which tells what it used. Started by redemption.ts. */
import type { FastifyInstance } from 'fastify';

import { createRedemption } from '../server/src/modules/redemption/index.ts';
import type { Redemption } from '../server/src/modules/redemption/index.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import type { Database } from '../server/src/platform/db/database.ts';
import { createIdempotencyStore } from '../server/src/platform/http/idempotency.ts';
import { mountEndpoints } from '../server/src/platform/http/mount.ts';
import { createHttpServer } from '../server/src/platform/http/server.ts';
import { createMemoryStore } from '../server/src/platform/http/throttle/throttle-store.ts';
import { createRequestLimiter } from '../server/src/platform/http/throttle/throttle.ts';
import { createLog } from '../server/src/platform/log.ts';
import { systemRandom } from '../server/src/platform/random.ts';
import { createSecretBox } from '../server/src/platform/secret-box.ts';
import { systemClock } from '../server/src/platform/time.ts';

const log = createLog({ level: 'silent' });

/** What the server used since it was last asked. */
export interface ServerFigures {
  readonly cpuSeconds: number;
  /** The most memory it ever held. */
  readonly peakBytes: number;
  /** One at a time: each is a round trip to PostgreSQL. */
  readonly statements: number;
}

interface Counted {
  readonly db: Database;
  statements: number;
}

/** A database that counts what is asked of it one at a time: each is a round trip. */
function openCounted(url: string): Counted {
  const db = openDatabase({
    url,
    poolSize: 20,
    statementTimeoutMs: 30_000,
    lockTimeoutMs: 5_000,
    applicationName: 'bench',
    onIdleError: () => undefined,
  });
  const counted: Counted = {
    statements: 0,
    db: {
      ...db,
      query: (query, values) => {
        counted.statements += 1;
        return db.query(query, values);
      },
    },
  };
  return counted;
}

function buildRedemption(db: Database): Redemption {
  const limiter = createRequestLimiter({ store: createMemoryStore(systemClock), scale: 1 });
  return createRedemption({
    db,
    clock: systemClock,
    random: systemRandom,
    log,
    box: createSecretBox({
      // The same in every process: one reads what another wrote.
      sealing: [{ id: 'bench', key: Buffer.alloc(32, 1) }],
      digesting: Buffer.alloc(32, 2),
    }),
    mailer: {
      domain: 'bench.example',
      deliver: async () => ({ kind: 'accepted', reply: '' }),
      close: () => undefined,
    },
    recordAudit: async () => undefined,
    publicUrl: 'https://shop.example',
    noteStockChange: () => undefined,
    guessLimiter: limiter,
  });
}

async function listen(db: Database): Promise<{ app: FastifyInstance; url: string }> {
  const redemption = buildRedemption(db);
  const permissions = new Set(['redemption:read', 'redemption:write', 'redemption:export']);
  const mount = {
    authenticator: {
      client: () => Promise.reject(new Error('no customers here')),
      admin: async () => ({ kind: 'admin' as const, adminId: 1, sessionId: 's', permissions }),
    },
    idempotency: createIdempotencyStore(db),
  };
  const app = createHttpServer({ log, trustProxy: [] });
  app.register(async (scope) => mountEndpoints(scope, redemption.clientEndpoints, mount), {
    prefix: '/api/v1',
  });
  app.register(async (scope) => mountEndpoints(scope, redemption.adminEndpoints, mount), {
    prefix: '/api/v1/admin',
  });
  return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }) };
}

async function main(): Promise<void> {
  const counted = openCounted(process.env['DATABASE_URL'] ?? '');
  const { url } = await listen(counted.db);
  let cpu = process.cpuUsage();
  process.on('message', () => {
    const { user, system } = process.cpuUsage(cpu);
    const figures: ServerFigures = {
      cpuSeconds: (user + system) / 1e6,
      peakBytes: process.resourceUsage().maxRSS * 1024,
      statements: counted.statements,
    };
    cpu = process.cpuUsage();
    counted.statements = 0;
    process.send?.(figures);
  });
  process.send?.(url);
}

await main();
