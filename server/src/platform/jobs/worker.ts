import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

import { runMigrations, run } from 'graphile-worker';
import { Logger as WorkerLogger } from 'graphile-worker';
import type { Runner, TaskList, WorkerEvents } from 'graphile-worker';
import pg from 'pg';

import type { Database } from '../db/database.ts';
import type { Logger } from '../log.ts';
import { keepWorkersAlive } from './liveness.ts';
import type { Liveness } from './liveness.ts';
import type { JobHandler } from './queue.ts';

export interface WorkerOptions {
  readonly db: Database;
  readonly url: string;
  readonly log: Logger;
  readonly handlers: readonly JobHandler[];
  readonly concurrency: number;
}

export interface Worker {
  /** Stops taking jobs, waits for those under way, gives the rest back. */
  stop(): Promise<void>;
}

/** Creates or upgrades the queue's own tables. Part of migrating, since enqueuing needs them. */
export async function migrateJobs(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool: pool, logger: silent });
  } finally {
    await pool.end();
  }
}

/** A database that was killed is back after a few seconds. */
const START_AGAIN_AFTER_MS = 500;
/** Of each worker; they try once a second. */
const FAILURES_IN_A_ROW = 3;

/**
 * Runs jobs until stopped, and makes sure that those of a worker that died run again within seconds. A runner that gives
 * up because the database went away is followed by another as soon as it is back; what the first had in hand is given
 * back and runs again.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { log } = options;
  const liveness = await keepWorkersAlive({ url: options.url, log });
  const stopping = new AbortController();
  let running = await startRunning(options, liveness);
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await running.givenUp;
      if (stopping.signal.aborted) return;
      log.warn('the job runner gave up, most likely for want of the database; another is started');
      // Not waited for: it may hang on what it could not write.
      void running.runner.stop().catch((error: unknown) => error);
      liveness.forgetWorkers();
      const next = await startAgain(options, liveness, stopping.signal);
      if (!next) return;
      running = next;
    }
  };
  const kept = keepRunning();
  return {
    async stop() {
      stopping.abort();
      // One that has given up says so by an error.
      await running.runner.stop().catch((error: unknown) => error);
      await kept;
      await liveness.stop();
    },
  };
}

interface Running {
  readonly runner: Runner;
  /** Resolves when it takes no more jobs, for whatever reason. */
  readonly givenUp: Promise<unknown>;
}

/** @returns undefined when it was told to stop. */
async function startAgain(
  options: WorkerOptions,
  liveness: Liveness,
  signal: AbortSignal,
): Promise<Running | undefined> {
  for (;;) {
    await wait(START_AGAIN_AFTER_MS, undefined, { signal }).catch((error: unknown) => error);
    if (signal.aborted) return undefined;
    try {
      const running = await startRunning(options, liveness);
      if (!signal.aborted) return running;
      await running.runner.stop();
    } catch {
      // The database is still away; the next try follows.
    }
  }
}

/**
 * Resolves when so many tries to take a job have failed with no good one between them. A runner whose very first question
 * fails keeps that failure for an answer, and would ask no other for ever.
 */
function failsInARow(events: WorkerEvents, limit: number): Promise<void> {
  return new Promise((resolve) => {
    let failures = 0;
    const succeeded = (): void => {
      failures = 0;
    };
    events.on('worker:getJob:empty', succeeded);
    events.on('job:start', succeeded);
    events.on('worker:getJob:error', () => {
      failures += 1;
      if (failures >= limit) resolve();
    });
  });
}

async function startRunning(options: WorkerOptions, liveness: Liveness): Promise<Running> {
  const events = liveness.watchWorkers();
  const shuttingDown = once(events, 'pool:gracefulShutdown');
  const failing = failsInARow(events, FAILURES_IN_A_ROW * options.concurrency);
  const runner = await run({
    pgPool: options.db.pool,
    taskList: taskListOf(options.handlers, options.log),
    concurrency: options.concurrency,
    // LISTEN/NOTIFY wakes us at once; the poll is the net below it.
    pollInterval: 1_000,
    noHandleSignals: true,
    logger: silent,
    events,
    preset: {
      worker: {
        // Not for speed: without a batch nobody waits for these writes, and one that fails because the database is gone
        // ends the whole process as an unhandled rejection.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
  const ended = runner.promise.catch((error: unknown) => error);
  return { runner, givenUp: Promise.race([ended, shuttingDown, failing]) };
}

function taskListOf(handlers: readonly JobHandler[], log: Logger): TaskList {
  const tasks: TaskList = {};
  for (const handler of handlers) {
    if (tasks[handler.name]) throw new Error(`Two handlers for the job ${handler.name}`);
    tasks[handler.name] = async (payload, helpers) => {
      try {
        await handler.run(payload);
      } catch (error) {
        const { attempts, max_attempts: maxAttempts, id } = helpers.job;
        log.error(
          { err: error, job: handler.name, jobId: id, attempts, maxAttempts },
          'job failed, it will be retried',
        );
        throw error;
      }
    };
  }
  return tasks;
}

const silent = new WorkerLogger(() => () => undefined);
