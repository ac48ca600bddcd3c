import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startSandbox } from '@voucher-commerce/sandbox';
import { Logger as JobLogger, runOnce } from 'graphile-worker';

import { buildApp } from '../../src/app.ts';
import type { App } from '../../src/app.ts';
import { findOutside } from '../../src/commands/outside.ts';
import { readConfig } from '../../src/config.ts';
import { loadKeys } from '../../src/keys.ts';
import { startWorker } from '../../src/platform/jobs/worker.ts';
import { createLog } from '../../src/platform/log.ts';
import type { Logger } from '../../src/platform/log.ts';
import type { Clock } from '../../src/platform/time.ts';
import { systemClock } from '../../src/platform/time.ts';
import { createTestDatabase } from './test-database.ts';
import type { TestDatabase } from './test-database.ts';

export interface TestService {
  readonly url: string;
  readonly sandboxUrl: string;
  readonly db: TestDatabase;
  /** Where its keys are. */
  readonly dataDir: string;
  readonly app: App;
  /** Runs every job that is due, and those they enqueue, until none is left. */
  drain(): Promise<void>;
  /** Runs one sweep now. */
  sweep(name: string): Promise<void>;
  /** Runs jobs in the background until the returned function is called. */
  work(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  readonly clock?: Clock;
  readonly environment?: Readonly<Record<string, string>>;
  /** Takes the place of a silent log. */
  readonly log?: Logger;
  /** Takes the place of a fresh clone of the template. */
  readonly db?: TestDatabase;
  /** A second service on the first one's database and sandbox. */
  readonly beside?: TestService;
}

/** The whole service on a fresh database, listening, with a sandbox of its own. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { beside } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'voucher-service-'));
  const db = beside?.db ?? options.db ?? (await createTestDatabase({ poolSize: 20 }));
  const sandbox = beside
    ? undefined
    : await startSandbox({ host: '127.0.0.1', port: 0, smtpPort: 0, dataDir });
  const sandboxUrl = beside?.sandboxUrl ?? sandbox?.url ?? '';
  const port = await freePort();
  const config = readConfig({
    PORT: String(port),
    DATA_DIR: beside?.dataDir ?? dataDir,
    THROTTLE_SCALE: '100000',
    ...options.environment,
  });
  const log = options.log ?? createLog({ level: process.env['TEST_LOG'] ?? 'silent' });
  const keys = await loadKeys(config);
  const outside = await findOutside(config, sandboxUrl);
  const clock = options.clock ?? systemClock;
  const app = buildApp({ config, db, log, clock, keys, version: '0.0.0-test', migrations: [], outside });
  await app.identity.ensureRoles();
  await app.client.listen({ host: '127.0.0.1', port });
  const taskList = Object.fromEntries(
    app.jobHandlers.map((handler) => [handler.name, (payload: unknown) => handler.run(payload)]),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    sandboxUrl,
    db,
    dataDir: beside?.dataDir ?? dataDir,
    app,
    drain: () => runOnce({ pgPool: db.pool, taskList, noHandleSignals: true, logger: silent }),
    async sweep(name) {
      const sweep = app.sweeps.find((one) => one.name === name);
      if (!sweep)
        throw new Error(`No sweep ${name}; there are ${app.sweeps.map((one) => one.name).join(', ')}`);
      await sweep.run();
    },
    async work() {
      const worker = await startWorker({ db, url: db.url, log, handlers: app.jobHandlers, concurrency: 4 });
      return () => worker.stop();
    },
    async close() {
      await app.close();
      await sandbox?.close();
      if (!beside) await db.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const silent = new JobLogger(() => () => undefined);

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
