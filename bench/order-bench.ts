/** The processes and the database under measurement, and what they use. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import pg from 'pg';

import { startOutside } from './order-outside.ts';
import type { Ready, ServerFigures, Wish } from './order-server.ts';
import { readCpuSeconds } from './process-cpu.ts';

export interface Bench {
  readonly databaseUrl: string;
  readonly sql: pg.Client;
  readonly server: Ready;
  readonly bareUrl: string;
  readonly rounds: number;
  /** Of one measurement. */
  readonly milliseconds: number;
  ask<Answer>(wish: Wish): Promise<Answer>;
  /** Gives the bare server the bytes it answers with. */
  keepBytes(body: string): Promise<void>;
  /** Runs work and tells what the server and its database connections used meanwhile. */
  metered<Value>(work: () => Promise<Value>): Promise<{ value: Value; used: Used }>;
}

export interface Used extends ServerFigures {
  readonly postgresCpuSeconds: number;
}

function startChild(file: string, environment: Record<string, string>): ChildProcess {
  return fork(join(import.meta.dirname, file), { env: { ...process.env, ...environment } });
}

async function ask<Answer>(child: ChildProcess, question: unknown): Promise<Answer> {
  child.send(question as object);
  const [answer] = (await once(child, 'message')) as [Answer];
  return answer;
}

/** CPU time of the service's database connections; 0 where PostgreSQL runs on another machine. */
async function readBackendSeconds(sql: pg.Client): Promise<number> {
  const { rows } = await sql.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name NOT LIKE 'bench%'`,
  );
  return readCpuSeconds(rows.map(({ pid }) => pid));
}

export interface Extent {
  readonly databaseUrl: string;
  readonly rounds: number;
  readonly milliseconds: number;
}

/** Starts everything, and ends it however the work ends. */
export async function withBench<Value>(
  extent: Extent,
  work: (bench: Bench) => Promise<Value>,
): Promise<Value> {
  const sql = new pg.Client({ connectionString: extent.databaseUrl, application_name: 'bench' });
  await sql.connect();
  const outside = await startOutside();
  const server = startChild('order-server.ts', { GATEWAY: outside.gatewayUrl, SMTP: outside.smtpUrl });
  const bare = startChild('bare-server.ts', {});
  try {
    const [[ready], [bareReady]] = (await Promise.all([once(server, 'message'), once(bare, 'message')])) as [
      [Ready],
      [{ url: string }],
    ];
    return await work({
      ...extent,
      sql,
      server: ready,
      bareUrl: bareReady.url,
      ask: (wish) => ask(server, wish),
      keepBytes: async (body) => void (await ask(bare, body)),
      metered: (task) => meter({ server, sql }, task),
    });
  } finally {
    server.disconnect();
    bare.disconnect();
    outside.close();
    await sql.end();
  }
}

async function meter<Value>(
  { server, sql }: { server: ChildProcess; sql: pg.Client },
  work: () => Promise<Value>,
): Promise<{ value: Value; used: Used }> {
  await ask(server, { wish: 'figures' });
  const before = await readBackendSeconds(sql);
  const value = await work();
  const after = await readBackendSeconds(sql);
  const figures = await ask<ServerFigures>(server, { wish: 'figures' });
  return { value, used: { ...figures, postgresCpuSeconds: after - before } };
}
