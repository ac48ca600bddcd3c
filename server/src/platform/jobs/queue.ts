import type { Tx } from '../db/database.ts';
import { statement } from '../db/database.ts';

/**
 * Work to be done after a transaction, stored in PostgreSQL by that transaction: it exists exactly when the
 * transaction committed. Any job may run twice (a worker can die after its effect), so every effect is a guarded write.
 */
export interface Job<Payload> {
  readonly name: string;
  /** A request for this job, to be enqueued. */
  of(payload: Payload): JobRequest;
}

export interface JobRequest {
  readonly name: string;
  readonly payload: unknown;
}

/** Payloads hold ids only: the queue is readable by everyone who can read the database. */
export function defineJob<Payload extends Record<string, number | string>>(name: string): Job<Payload> {
  return { name, of: (payload) => ({ name, payload }) };
}

export interface JobHandler {
  readonly name: string;
  run(payload: unknown): Promise<void>;
}

export function handleJob<Payload>(job: Job<Payload>, run: (payload: Payload) => Promise<void>): JobHandler {
  return { name: job.name, run: (payload) => run(payload as Payload) };
}

export interface EnqueueOptions {
  /** Not before this moment; at once when left out. */
  readonly runAt?: Date;
  /** A waiting job with the same key is replaced, not doubled. */
  readonly key?: string;
  readonly maxAttempts?: number;
}

const addJob = statement(
  'job_add',
  `SELECT graphile_worker.add_job($1, payload := $2::json, run_at := $3, max_attempts := $4, job_key := $5)`,
);

/** Stores a job in the caller's transaction. */
export async function enqueue(tx: Tx, job: JobRequest, options: EnqueueOptions = {}): Promise<void> {
  const { runAt = null, maxAttempts = 25, key = null } = options;
  await tx.query(addJob, [job.name, JSON.stringify(job.payload), runAt, maxAttempts, key]);
}
