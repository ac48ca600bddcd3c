import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { clusterIn } from '../../src/platform/embedded-postgres/cluster.ts';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/index.ts';
import type { EmbeddedPostgres } from '../../src/platform/embedded-postgres/index.ts';
import { migrateJobs } from '../../src/platform/jobs/worker.ts';
import { expectInvariants } from '../support/invariants.ts';
import { startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { aCustomer, aVariant, control, mailsTo, order, someCodes } from '../support/shop.ts';
import type { Customer, OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

/** Raise it with DATABASE_KILLS=50 for a longer proof. */
const kills = Number(process.env['DATABASE_KILLS'] ?? 3);
const BUYERS = 4;
const ORDERS_BETWEEN_KILLS = 6;

/** A PostgreSQL of our own: the one of the other tests must live. */
let postgres: EmbeddedPostgres;
let clusterDir: string;
let world: TestService;
let service: ServiceProcess;

beforeAll(async () => {
  clusterDir = await mkdtemp(join(tmpdir(), 'killed-database-'));
  postgres = await startEmbeddedPostgres({ dataDir: clusterDir });
  const { url } = postgres;
  await migrate({ url, folder: join(import.meta.dirname, '../../migrations') });
  await migrateJobs(url);
  const db = openDatabase({
    url,
    poolSize: 8,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 5_000,
    applicationName: 'test',
    onIdleError: () => undefined,
  });
  world = await startTestService({ db: { ...db, url, drop: () => db.close() } });
  service = await startServiceProcess(world);
}, 60_000);
afterAll(async () => {
  await service.kill('SIGKILL');
  await world.close();
  await postgres.stop();
  await rm(clusterDir, { recursive: true, force: true });
});

async function killDatabase(): Promise<void> {
  const pidFile = await readFile(join(clusterIn(clusterDir).filesDir, 'postmaster.pid'), 'utf8');
  process.kill(Number(pidFile.split('\n')[0]), 'SIGKILL');
  await postgres.stop();
  postgres = await startEmbeddedPostgres({ dataDir: clusterDir });
}

/** What the service said, and so has to stand by. */
interface Promised {
  readonly placed: OrderAnswer;
  readonly customer: Customer;
  /** The gateway took the money, whatever became of its callback. */
  isPaid: boolean;
}

/** Orders and pays until told to stop. Answers that a server without its database may give are not counted. */
async function shop(
  customer: Customer,
  variantId: number,
  at: { isOpen: boolean; readonly promised: Promised[] },
) {
  while (at.isOpen) {
    const answer = await order({ ...world, url: service.url }, customer, { variantId }).catch(
      () => undefined,
    );
    if (answer === undefined || answer.status >= 500) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    expect(answer.status, answer.message).toBe(201);
    const promised: Promised = { placed: answer.data, customer, isPaid: false };
    at.promised.push(promised);
    // The answer of the sandbox includes its callback, which may have found nobody.
    await control(world, '/pay', { url: answer.data.payment?.paymentGatewayUrl, outcome: 'success' });
    promised.isPaid = true;
  }
}

/** Orders that are not through yet, with what they wait for. */
async function unfinished(ids: readonly number[]) {
  const { rows } = await world.db.query(
    `SELECT o.id, o.status, o.paid_at IS NOT NULL AS is_paid, p.status AS payment, p.verify_step, p.failure_reason,
       (p.next_verify_at - now())::text AS asked_in, m.state AS mail, m.attempts
     FROM orders o LEFT JOIN payments p ON p.order_id = o.id LEFT JOIN mail_messages m ON m.order_id = o.id
     WHERE o.id = ANY ($1) AND o.status <> 'SUCCEEDED'`,
    [[...ids]],
  );
  return rows;
}

describe('the database killed with -9 while people buy', () => {
  it(
    `loses nothing that was answered, ${kills} times, and delivers all of it once`,
    async () => {
      const { variantId } = await aVariant(world, { codes: someCodes('DEAD', 200 + kills * 60) });
      const customers = await Promise.all(Array.from({ length: BUYERS }, () => aCustomer(world)));
      const at: { isOpen: boolean; promised: Promised[] } = { isOpen: true, promised: [] };
      const shopping = Promise.all(customers.map((customer) => shop(customer, variantId, at)));
      for (let round = 0; round < kills; round += 1) {
        const before = at.promised.length;
        await expect
          .poll(() => at.promised.length, { timeout: 30_000, interval: 20 })
          .toBeGreaterThanOrEqual(before + ORDERS_BETWEEN_KILLS);
        await killDatabase();
        await expect
          .poll(async () => (await fetch(`${service.url}/readyz`)).status, { timeout: 30_000, interval: 50 })
          .toBe(200);
      }
      at.isOpen = false;
      await shopping;

      // By itself: a callback that found nobody is made up for after a minute, a letter that was in the middle of being
      // sent when its claim ends.
      expect(at.promised.every(({ isPaid }) => isPaid)).toBe(true);
      const ids = at.promised.map(({ placed }) => placed.id);
      await expect.poll(() => unfinished(ids), { timeout: 150_000, interval: 500 }).toEqual([]);
      for (const { placed, customer } of at.promised) {
        const mails = await mailsTo(world, customer.email);
        const own = mails.filter(({ subject }) => subject.includes(placed.order_number));
        expect(new Set(own.map(({ messageId }) => messageId)).size, placed.order_number).toBe(1);
      }
      await expectInvariants(world.db);
    },
    180_000 + kills * 40_000,
  );
});
