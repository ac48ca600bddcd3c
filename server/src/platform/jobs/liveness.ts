import { EventEmitter } from 'node:events';

import type { WorkerEvents } from 'graphile-worker';
import pg from 'pg';

import type { Logger } from '../log.ts';

/**
 * The queue keeps a dead worker's jobs locked for hours. Here every pool of workers holds a session advisory lock named
 * after it, on one connection of its process: when the process dies, PostgreSQL frees the lock at once, and whoever finds a
 * locked job without a living owner gives it back. (decision 0003)
 */
export interface Liveness {
  /** For one runner: its pool of workers holds its lock from then on. */
  watchWorkers(): WorkerEvents;
  /** Those known so far are no more: what they had in hand is given back. */
  forgetWorkers(): void;
  stop(): Promise<void>;
}

/** First key of the two-part advisory locks that mean "this worker lives". */
const LIVENESS_LOCK = 726_501;
const REAP_EVERY_MS = 2_000;

const findDead = `
  SELECT DISTINCT job.locked_by
  FROM graphile_worker._private_jobs AS job
  WHERE job.locked_by IS NOT NULL
    -- A worker that has just started takes its lock a moment after its first job.
    AND job.locked_at < now() - interval '3 seconds'
    AND NOT EXISTS (
      SELECT 1 FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = $1::oid
        AND objid::bigint = (hashtext(job.locked_by)::bigint & 4294967295)
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;

export async function keepWorkersAlive(options: { url: string; log: Logger }): Promise<Liveness> {
  const guard = new LivenessGuard(options.url, options.log);
  await guard.connect();
  const timer = setInterval(() => guard.reapSoon(), REAP_EVERY_MS);
  timer.unref();
  return {
    watchWorkers() {
      const events = new EventEmitter() as WorkerEvents;
      // Jobs are locked in the name of the pool of workers, not in that of one of them.
      events.on('pool:create', ({ workerPool }) => guard.add(workerPool.id));
      return events;
    },
    forgetWorkers: () => guard.forget(),
    async stop() {
      clearInterval(timer);
      await guard.stop();
    },
  };
}

class LivenessGuard {
  readonly #url: string;
  readonly #log: Logger;
  readonly #workers = new Set<string>();
  #client: pg.Client | undefined;
  #stopped = false;
  #queue: Promise<void> = Promise.resolve();

  constructor(url: string, log: Logger) {
    this.#url = url;
    this.#log = log;
  }

  async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'worker-liveness',
      // A machine that vanished without closing its connection is noticed within about ten seconds.
      options: '-c tcp_keepalives_idle=4 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3',
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      for (const worker of this.#workers) await this.#hold(client, worker);
    } catch (error) {
      void client.end();
      throw error;
    }
    // Only of the one in use: each end begins tries of its own, and the end of a failed try would double them.
    client.on('end', () => void this.#reconnect());
    this.#client = client;
  }

  add(worker: string): void {
    this.#workers.add(worker);
    const client = this.#client;
    if (client) this.#enqueue(() => this.#hold(client, worker));
  }

  forget(): void {
    this.#workers.clear();
    const client = this.#client;
    if (client) this.#enqueue(async () => void (await client.query('SELECT pg_advisory_unlock_all()')));
  }

  /** One query at a time on the one connection. */
  #enqueue(work: () => Promise<void>): void {
    this.#queue = this.#queue.then(work).catch((error: unknown) => this.#warn(error));
  }

  reapSoon(): void {
    const client = this.#client;
    if (client) this.#enqueue(() => this.#reap(client));
  }

  async #reap(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ locked_by: string }>(findDead, [LIVENESS_LOCK]);
    if (rows.length === 0) return;
    const dead = rows.map((row) => row.locked_by);
    await client.query('SELECT graphile_worker.force_unlock_workers($1::text[])', [dead]);
    await client.query(`SELECT pg_notify('jobs:insert', '{"r":1,"count":1}')`);
    this.#log.warn({ workers: dead }, 'gave back the jobs of workers that died');
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  async #hold(client: pg.Client, worker: string): Promise<void> {
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [LIVENESS_LOCK, worker]);
  }

  async #reconnect(): Promise<void> {
    this.#client = undefined;
    while (!this.#stopped && !this.#client) {
      try {
        await new Promise((resolve) => setTimeout(resolve, 500));
        await this.connect();
      } catch {
        // The database is away; the next try follows.
      }
    }
  }

  #warn(error: unknown): void {
    this.#log.warn({ err: error }, 'worker liveness check failed; it will be tried again');
  }
}
