import { setTimeout as wait } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import { inTransaction } from '../db/database.ts';
import { createLog } from '../log.ts';
import { defineJob, enqueue, handleJob } from './queue.ts';
import { startSweeps } from './sweeps.ts';
import { startWorker } from './worker.ts';
import type { Worker } from './worker.ts';

const log = createLog({ level: 'silent' });
const greet = defineJob<{ who: string }>('greet');
const slow = defineJob<{ who: string }>('slow');

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const heard: string[] = [];
let slowRuns = 0;
const startListening = (): Promise<Worker> =>
  startWorker({
    db,
    url: db.url,
    log,
    concurrency: 2,
    handlers: [
      handleJob(greet, async ({ who }) => {
        heard.push(who);
      }),
      handleJob(slow, async () => {
        slowRuns += 1;
        await wait(9_000);
      }),
    ],
  });

describe('jobs', () => {
  it('exist exactly when their transaction committed', async () => {
    const worker = await startListening();
    await inTransaction(db, async (tx) => {
      await enqueue(tx, greet.of({ who: 'rolled back' }));
      throw new Error('no');
    }).catch(() => undefined);
    await inTransaction(db, (tx) => enqueue(tx, greet.of({ who: 'committed' })));
    await expect.poll(() => heard, { timeout: 5_000 }).toEqual(['committed']);
    await worker.stop();
  });

  it('are kept once for one key while they wait', async () => {
    await inTransaction(db, async (tx) => {
      await enqueue(tx, greet.of({ who: 'first' }), { key: 'same' });
      await enqueue(tx, greet.of({ who: 'second' }), { key: 'same' });
    });
    const { rows } = await db.query('SELECT key FROM graphile_worker.jobs');
    expect(rows).toEqual([{ key: 'same' }]);
    await db.query(`SELECT graphile_worker.remove_job('same')`);
  });

  it('of a worker that died run again, while those of a living one are left alone', async () => {
    heard.length = 0;
    const worker = await startListening();
    await inTransaction(db, (tx) => enqueue(tx, slow.of({ who: 'living' })));
    await expect.poll(() => slowRuns, { timeout: 5_000 }).toBe(1);
    // What a worker leaves behind that was killed in the middle of a job: a lock by somebody who is no more.
    await inTransaction(db, (tx) =>
      enqueue(tx, greet.of({ who: 'orphan' }), { runAt: new Date(Date.now() + 3_600_000) }),
    );
    await db.query(
      `UPDATE graphile_worker._private_jobs SET locked_by = 'worker-that-died', locked_at = now() - interval '5 seconds',
         run_at = now() WHERE payload ->> 'who' = 'orphan'`,
    );
    await expect.poll(() => heard, { timeout: 15_000, interval: 100 }).toEqual(['orphan']);
    // Longer than it takes to find a dead one; a worker that stops would take nothing anew.
    const isAtWork = () =>
      db.query<{ at: string }>(`SELECT FROM graphile_worker._private_jobs WHERE locked_by IS NOT NULL`);
    await expect.poll(async () => (await isAtWork()).count, { timeout: 15_000, interval: 500 }).toBe(0);
    await worker.stop();
    expect(slowRuns).toBe(1);
  }, 30_000);
});

describe('sweeps', () => {
  it('run in one process of several, and in the next when that one ends', async () => {
    const runs: string[] = [];
    const join = (name: string) =>
      startSweeps({
        url: db.url,
        log,
        sweeps: [
          {
            name: 'count',
            everySeconds: 0.2,
            run: async () => {
              runs.push(name);
            },
          },
        ],
      });
    const first = join('first');
    await expect.poll(() => runs.length, { timeout: 10_000 }).toBeGreaterThan(0);
    const second = join('second');
    await wait(2_500);
    expect(new Set(runs)).toEqual(new Set(['first']));
    await first.stop();
    await expect.poll(() => runs.at(-1), { timeout: 10_000 }).toBe('second');
    await second.stop();
  }, 30_000);
});
