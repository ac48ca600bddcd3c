import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';

export interface HealthOptions {
  readonly db: Database;
  /** Migrations this program needs; a database without them is not ready. */
  readonly migrations: readonly string[];
  isDraining(): boolean;
  /** When set, `/metrics` wants it as a bearer token. */
  readonly metricsToken: string | undefined;
}

const READY_MS = 1_000;

/** `/healthz`, `/readyz` and `/metrics`: never throttled, in the envelope but for the Prometheus text. */
export function serveHealth(app: FastifyInstance, options: HealthOptions): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({
    success: true,
    message: 'alive',
    data: null,
  }));
  app.get('/readyz', { schema: { hide: true } }, async () => {
    const problem = await findProblem(options);
    if (problem)
      throw new AppError('SERVICE_UNAVAILABLE', problem, { retryAfterSeconds: 2, data: { ready: false } });
    return { success: true, message: 'ready', data: { ready: true } };
  });
  serveMetrics(app, options.metricsToken);
}

async function findProblem(options: HealthOptions): Promise<string | undefined> {
  if (options.isDraining()) return 'shutting down';
  try {
    const answer = options.db.query<{ name: string }>('SELECT name FROM schema_migrations');
    const { rows } = await Promise.race([answer, failAfter(READY_MS)]);
    const applied = new Set(rows.map((row) => row.name));
    const missing = options.migrations.filter((name) => !applied.has(name));
    return missing.length > 0 ? `migrations are missing: ${missing.join(', ')}` : undefined;
  } catch (error) {
    return `the database does not answer: ${(error as Error).message}`;
  }
}

function failAfter(ms: number): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms).unref();
  });
}

function serveMetrics(app: FastifyInstance, token: string | undefined): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by route pattern, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const { url: route = 'unknown' } = request.routeOptions;
    const labels = { route, method: request.method, status: String(reply.statusCode) };
    durations.observe(labels, reply.elapsedTime / 1000);
  });
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      throw new AppError('UNAUTHORIZED', 'The metrics need their bearer token');
    }
    return reply.header('content-type', registry.contentType).send(await registry.metrics());
  });
}
