/** The whole service in a process of its own, which tells what it used. Started by order.ts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

import { buildApp } from '../server/src/app.ts';
import type { App } from '../server/src/app.ts';
import { findOutside } from '../server/src/commands/outside.ts';
import { readConfig } from '../server/src/config.ts';
import { loadKeys } from '../server/src/keys.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import type { Database } from '../server/src/platform/db/database.ts';
import { startSweeps } from '../server/src/platform/jobs/sweeps.ts';
import { startWorker } from '../server/src/platform/jobs/worker.ts';
import { createLog } from '../server/src/platform/log.ts';
import { systemClock } from '../server/src/platform/time.ts';
import { aCustomer, aVariant, someCodes } from '../server/test/support/shop.ts';

/** What runs beside the requests: nothing, or the worker with its sweeps. */
export type Working = 'nothing' | 'everything';

/** What the server is asked. */
export type Wish =
  | { readonly wish: 'figures' }
  | { readonly wish: 'work'; readonly working: Working }
  | { readonly wish: 'stock'; readonly variants: number; readonly codes: number };

/** What it used since it was last asked. */
export interface ServerFigures {
  readonly cpuSeconds: number;
  readonly statements: number;
  /** Waits for PostgreSQL: one for each query awaited alone, one for each batch that left together on a connection. */
  readonly roundTrips: number;
}

export interface Ready {
  readonly url: string;
  readonly tokens: readonly string[];
}

const CUSTOMERS = 16;
const counted = { statements: 0, roundTrips: 0 };

/** Counts at the driver, so that the queue and the sweeps are counted too. */
function countQueries(): void {
  const underWay = new WeakMap<object, number>();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its own client below
  const ask = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
  const counting = function (this: pg.Client, ...args: unknown[]): unknown {
    const before = underWay.get(this) ?? 0;
    counted.statements += 1;
    if (before === 0) counted.roundTrips += 1;
    underWay.set(this, before + 1);
    const done = (): void => void underWay.set(this, (underWay.get(this) ?? 1) - 1);
    const last = args.at(-1);
    if (typeof last === 'function') {
      const tell = last as (...answer: unknown[]) => void;
      return ask.call(this, ...args.slice(0, -1), (...answer: unknown[]) => {
        done();
        tell(...answer);
      });
    }
    const answer = ask.call(this, ...args);
    if (answer instanceof Promise) answer.then(done, done);
    return answer;
  };
  pg.Client.prototype.query = counting as typeof pg.Client.prototype.query;
}

interface Service {
  readonly app: App;
  readonly db: Database;
  readonly databaseUrl: string;
  readonly url: string;
}

async function startService(dataDir: string): Promise<Service> {
  const { DATABASE_URL: databaseUrl = '', GATEWAY: gateway = '', SMTP: smtp = '' } = process.env;
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    THROTTLE_SCALE: '1000000',
    SMTP_URL: smtp,
    GATEWAY_AGGREGATOR_BASE_URL: gateway,
    GATEWAY_AGGREGATOR_STORE_ID: 'bench',
    GATEWAY_AGGREGATOR_STORE_PASSWD: 'bench',
  });
  const log = createLog({ level: 'silent' });
  const db = openDatabase({
    url: databaseUrl,
    poolSize: config.poolSize,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 5_000,
    applicationName: 'voucher-commerce',
    onIdleError: () => undefined,
  });
  const [keys, outside] = await Promise.all([loadKeys(config), findOutside(config, undefined)]);
  const clock = systemClock;
  const app = buildApp({ config, db, log, clock, keys, version: 'bench', migrations: [], outside });
  await app.identity.ensureRoles();
  const url = await app.client.listen({ host: '127.0.0.1', port: 0 });
  return { app, db, databaseUrl, url };
}

type Stop = () => Promise<void>;

async function startWork({ app, db, databaseUrl: url }: Service, working: Working): Promise<Stop> {
  if (working === 'nothing') return async () => undefined;
  const log = createLog({ level: 'silent' });
  const worker = await startWorker({ db, url, log, handlers: app.jobHandlers, concurrency: 8 });
  const sweeps = startSweeps({ url, log, sweeps: app.sweeps });
  return async () => {
    await sweeps.stop();
    await worker.stop();
  };
}

async function stock(service: Service, variants: number, codes: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < variants; n += 1) {
    const { variantId } = await aVariant(service, { codes: someCodes(`${Date.now()}-${n}`, codes) });
    ids.push(variantId);
  }
  return ids;
}

/** CPU time is the whole process: every thread, the pool of libuv included. */
function createFigures(): () => ServerFigures {
  let cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const figures = { cpuSeconds: (user + system) / 1e6, ...counted };
    cpu = process.cpuUsage();
    counted.statements = 0;
    counted.roundTrips = 0;
    return figures;
  };
}

async function main(): Promise<void> {
  countQueries();
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  const service = await startService(dataDir);
  const customers = [];
  for (let n = 0; n < CUSTOMERS; n += 1) customers.push(await aCustomer(service));
  const figures = createFigures();
  let stop: Stop = async () => undefined;
  const answer = async (wish: Wish): Promise<unknown> => {
    if (wish.wish === 'figures') return figures();
    if (wish.wish === 'stock') return stock(service, wish.variants, wish.codes);
    await stop();
    stop = await startWork(service, wish.working);
    return 'working';
  };
  process.on('message', (wish: Wish) => void answer(wish).then((told) => process.send?.(told)));
  process.on('disconnect', () => {
    void rm(dataDir, { recursive: true, force: true }).finally(() => process.exit());
  });
  const ready: Ready = { url: service.url, tokens: customers.map(({ token }) => token) };
  process.send?.(ready);
}

await main();
