/**
 * What redemption costs: 10,000 codes generated, exported and printed, and lookups and redeems with their statements.
 *
 *     DATABASE_URL=postgres://…/scratch node bench/redemption.ts
 *
 * The database is migrated and filled; take an empty one. Goals: 10,000 codes generated in 3 s, exported in 2 s, printed
 * in 25 s, and neither the service nor its printer takes 250 MB; a lookup is one round trip to PostgreSQL, a redeem at most two.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { migrate } from '../server/src/platform/db/migrate.ts';
import { migrateJobs } from '../server/src/platform/jobs/worker.ts';
import type { ServerFigures } from './redemption-server.ts';

const CODES = 10_000;
const AT_ONCE = 16;

async function post<Data>(url: string, body: unknown): Promise<Data> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
    body: JSON.stringify(body),
  });
  const envelope = (await response.json()) as { success: boolean; message: string; data: Data };
  if (!envelope.success) throw new Error(envelope.message);
  return envelope.data;
}

/** Reads to the end and keeps nothing, as a browser that saves a file. */
async function discard(url: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization: 'Bearer bench' } });
  if (!response.ok || !response.body) throw new Error(await response.text());
  let bytes = 0;
  for await (const piece of response.body) bytes += (piece as Uint8Array).length;
  return bytes;
}

interface Server {
  readonly url: string;
  figures(): Promise<ServerFigures>;
  /** The most memory that a process it started ever held; 0 when it started none. Read off Linux's /proc. */
  readonly helperPeakBytes: () => number;
  stop(): Promise<void>;
}

/** A fresh process for each measurement: memory that one needed is not counted for the next. */
async function startServer(): Promise<Server> {
  // As `npm run serve` starts it.
  const child = fork(join(import.meta.dirname, 'redemption-server.ts'), {
    execArgv: ['--max-semi-space-size=16'],
  });
  let helperPeakBytes = 0;
  const watching = setInterval(() => {
    helperPeakBytes = Math.max(helperPeakBytes, ...childrenOf(child.pid ?? 0).map(peakBytesOf));
  }, 50);
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    async figures() {
      child.send('figures');
      const [figures] = (await once(child, 'message')) as [ServerFigures];
      return figures;
    },
    helperPeakBytes: () => helperPeakBytes,
    async stop() {
      clearInterval(watching);
      child.kill();
      await once(child, 'exit');
    },
  };
}

function childrenOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  } catch {
    return [];
  }
}

function peakBytesOf(pid: string): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

/** Runs work against a fresh server and prints wall time and what the server used. */
async function measure<Value>(
  name: string,
  operations: number,
  work: (url: string) => Promise<Value>,
): Promise<Value> {
  const server = await startServer();
  try {
    const idle = await server.figures();
    const start = performance.now();
    const value = await work(server.url);
    const seconds = (performance.now() - start) / 1000;
    const { cpuSeconds, peakBytes, statements } = await server.figures();
    console.log(
      `${name.padEnd(34)} ${seconds.toFixed(2)} s, server CPU ${cpuSeconds.toFixed(2)} s, ` +
        `peak ${(peakBytes / 1e6).toFixed(0)} MB (idle ${(idle.peakBytes / 1e6).toFixed(0)}), ` +
        `printer ${(server.helperPeakBytes() / 1e6).toFixed(0)} MB, ${statements / operations} statements each`,
    );
    return value;
  } finally {
    await server.stop();
  }
}

async function atOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
    }),
  );
}

async function main(): Promise<void> {
  const databaseUrl = process.env['DATABASE_URL'];
  if (!databaseUrl) throw new Error('Set DATABASE_URL to an empty scratch database');
  await migrate({ url: databaseUrl, folder: join(import.meta.dirname, '../server/migrations') });
  await migrateJobs(databaseUrl);
  const campaigns = '/api/v1/admin/redemption/campaigns';

  const { id, codes } = await measure(`${CODES} codes generated`, CODES, async (url) => {
    const campaign = { name: 'Bench', slug: `bench-${Date.now()}`, headline: 'Free data' };
    const created = await post<{ id: number }>(`${url}${campaigns}`, campaign);
    const entries = Array.from({ length: CODES }, (_, n) => ({ actual_voucher_code: `GIFT-${n}` }));
    const path = `${url}${campaigns}/${created.id}/codes/generate`;
    return { ...created, ...(await post<{ codes: { code: string }[] }>(path, { entries })) };
  });
  for (const file of ['export', 'sheet.pdf', 'qr.zip?format=svg', 'qr.zip?format=png']) {
    await measure(file, CODES, (url) => discard(`${url}${campaigns}/${id}/codes/${file}`));
  }
  await measure(`lookup, ${AT_ONCE} at once`, CODES, (url) =>
    atOnce(codes, ({ code }) => discard(`${url}/api/v1/redemption/lookup/${code}`)),
  );
  await measure(`redeem, ${AT_ONCE} at once`, CODES, (url) =>
    atOnce(codes, ({ code }) => post(`${url}/api/v1/redemption/redeem`, { code, phone: '01712345678' })),
  );
}

await main();
