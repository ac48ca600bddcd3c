import { runMigrations, run } from 'graphile-worker';
import { Logger as WorkerLogger } from 'graphile-worker';
import type { Runner, TaskList } from 'graphile-worker';
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

/** Runs jobs until stopped, and makes sure that those of a worker that died run again within seconds. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { db, log, handlers, concurrency } = options;
  const liveness: Liveness = await keepWorkersAlive({ url: options.url, log });
  const runner: Runner = await run({
    pgPool: db.pool,
    taskList: taskListOf(handlers, log),
    concurrency,
    // LISTEN/NOTIFY wakes us at once; the poll is the net below it.
    pollInterval: 1_000,
    noHandleSignals: true,
    logger: silent,
    events: liveness.events,
  });
  return {
    async stop() {
      await runner.stop();
      await liveness.stop();
    },
  };
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
