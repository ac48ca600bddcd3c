import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { buildApp } from '../app.ts';
import type { App } from '../app.ts';
import { DEMO_ADMIN_PASSWORD, DEMO_CUSTOMER } from '../config.ts';
import type { Config } from '../config.ts';
import { loadKeys } from '../keys.ts';
import { openDatabase } from '../platform/db/database.ts';
import type { Database } from '../platform/db/database.ts';
import { readMigrations } from '../platform/db/migrate.ts';
import { startSweeps } from '../platform/jobs/sweeps.ts';
import { startWorker } from '../platform/jobs/worker.ts';
import { createLog } from '../platform/log.ts';
import type { Logger } from '../platform/log.ts';
import { systemRandom } from '../platform/random.ts';
import { systemClock } from '../platform/time.ts';
import { migrateAll, MIGRATIONS_FOLDER } from './migrate.ts';
import { findOutside } from './outside.ts';
import { createShutdown } from './shutdown.ts';
import type { Shutdown } from './shutdown.ts';

const VERSION = (
  JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }
).version;

/**
 * Starts the service and keeps it running until a signal. With everything, also what a bare machine lacks: the
 * embedded database, migrations, the sandbox and the demo.
 */
export async function start(config: Config, options: { withEverything: boolean }): Promise<void> {
  const startedAt = Date.now();
  const shutdown = createShutdown();
  const say = (text: string): void => console.error(`  ${text}`);
  try {
    const url = await findDatabase(config, { ...options, shutdown, say });
    if (options.withEverything) await migrateAll(url, say);
    const sandboxUrl = await findSandbox(config, { ...options, shutdown, say });
    const log = createLog({ level: config.logLevel });
    const db = openService(config, { url, log, shutdown });
    const app = await createApp(config, { db, log, sandboxUrl });
    shutdown.add('service', () => app.close());
    const adminPassword = await prepare(config, { app, db, say });
    await listen(config, app);
    if (config.workerConcurrency > 0) await startWorking(config, { app, db, url, log, shutdown });
    // Added last, so it is the first thing to happen: tell the load balancer before anything stops.
    shutdown.add('readiness', async () => app.drain());
    greet(config, { startedAt, sandboxUrl, adminPassword });
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

interface Surroundings {
  readonly withEverything: boolean;
  readonly shutdown: Shutdown;
  readonly say: (text: string) => void;
}

async function findDatabase(
  config: Config,
  { withEverything, shutdown, say }: Surroundings,
): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl;
  if (!withEverything) throw new Error('Set DATABASE_URL, or use `npm start`, which brings a database along');
  const { startEmbeddedPostgres } = await import('../platform/embedded-postgres/index.ts');
  const dataDir = join(config.dataDir, 'postgres');
  const embedded = await startEmbeddedPostgres({ dataDir, onProgress: say });
  shutdown.add('database', () => embedded.stop());
  return embedded.url;
}

async function findSandbox(
  config: Config,
  { withEverything, shutdown, say }: Surroundings,
): Promise<string | undefined> {
  if (config.sandboxUrl || !config.isDemo || !withEverything) return config.sandboxUrl;
  const { startSandbox } = await import('@voucher-commerce/sandbox');
  const sandbox = await startSandbox({
    host: config.host,
    port: config.port === 0 ? 0 : config.port + 1,
    smtpPort: config.port === 0 ? 0 : config.port + 2,
    dataDir: join(config.dataDir, 'sandbox'),
  });
  shutdown.add('sandbox', () => sandbox.close());
  say(`sandbox ready on ${sandbox.url}`);
  return sandbox.url;
}

function openService(config: Config, parts: { url: string; log: Logger; shutdown: Shutdown }): Database {
  const db = openDatabase({
    url: parts.url,
    poolSize: config.poolSize,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 5_000,
    applicationName: 'voucher-commerce',
    onIdleError: (error) => parts.log.warn({ err: error }, 'a database connection broke while idle'),
  });
  parts.shutdown.add('database pool', () => db.close());
  return db;
}

async function createApp(
  config: Config,
  parts: { db: Database; log: Logger; sandboxUrl: string | undefined },
): Promise<App> {
  const { db, log, sandboxUrl } = parts;
  const [keys, outside, migrations] = await Promise.all([
    loadKeys(config),
    findOutside(config, sandboxUrl),
    readMigrations(MIGRATIONS_FOLDER),
  ]);
  const names = migrations.map(({ name }) => name);
  const app = buildApp({
    config,
    db,
    log,
    clock: systemClock,
    keys,
    version: VERSION,
    migrations: names,
    outside,
  });
  await app.fulfillment.ensurePartners(outside.partners);
  return app;
}

/** Roles, the first admin and, in the demo, a shop to buy from. @returns a password to show once. */
async function prepare(
  config: Config,
  { app, db, say }: { app: App; db: Database; say: (text: string) => void },
): Promise<string | undefined> {
  const { identity } = app;
  await identity.ensureRoles();
  const password = config.adminPassword ?? (config.isDemo ? DEMO_ADMIN_PASSWORD : makePassword());
  const first = await identity.ensureFirstAdmin({ email: config.adminEmail, password });
  if (config.isDemo) {
    const { msisdn, password: customerPassword } = DEMO_CUSTOMER;
    const email = 'customer@example.com';
    await identity.ensureDemoCustomer({ msisdn, name: 'Demo Customer', email, password: customerPassword });
    const { seedDemoCatalogue, seedDemoPartners } = await import('../demo/index.ts');
    await seedDemoCatalogue({ db, box: app.box, onProgress: say });
    await seedDemoPartners({ db, onProgress: say });
    app.catalogue.noteChange();
  }
  return first === 'created' && !config.adminPassword ? password : undefined;
}

const makePassword = (): string => systemRandom.text('abcdefghjkmnpqrstuvwxyz23456789', 20);

async function listen(config: Config, app: App): Promise<void> {
  const { host, port, adminPort } = config;
  try {
    await app.client.listen({ host, port });
    if (app.admin && adminPort !== undefined) await app.admin.listen({ host, port: adminPort });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${port} on ${host} is taken: stop what uses it, or start with another PORT`, {
      cause: error,
    });
  }
}

async function startWorking(
  config: Config,
  parts: { app: App; db: Database; url: string; log: Logger; shutdown: Shutdown },
): Promise<void> {
  const { app, db, url, log, shutdown } = parts;
  const worker = await startWorker({
    db,
    url,
    log,
    handlers: app.jobHandlers,
    concurrency: config.workerConcurrency,
  });
  shutdown.add('worker', () => worker.stop());
  const sweeps = startSweeps({ url, log, sweeps: app.sweeps });
  shutdown.add('sweeps', () => sweeps.stop());
}

function greet(
  config: Config,
  facts: { startedAt: number; sandboxUrl: string | undefined; adminPassword: string | undefined },
): void {
  const { startedAt, sandboxUrl, adminPassword } = facts;
  const { publicUrl } = config;
  const lines = [
    '',
    `Ready after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`,
    '',
    `  API reference      ${publicUrl}/docs   and   ${publicUrl}/docs/admin`,
    ...(sandboxUrl
      ? [`  Sandbox            ${sandboxUrl}   (gateways, mail and SMS inbox: ${sandboxUrl}/inbox)`]
      : []),
    ...(config.isDemo ? [`  Demo customer      ${DEMO_CUSTOMER.msisdn} / ${DEMO_CUSTOMER.password}`] : []),
    ...(adminPassword ? [`  First operator     ${config.adminEmail} / ${adminPassword}`] : []),
    ...(!adminPassword && config.isDemo && !config.adminPassword
      ? [`  First operator     ${config.adminEmail} / ${DEMO_ADMIN_PASSWORD}`]
      : []),
    '',
    '  Try it:            npm run demo',
    `                     curl -s '${publicUrl}/api/v1/products?limit=2'`,
    '',
    '  Ctrl-C stops all of it.',
    '',
  ];
  console.error(lines.join('\n'));
}
