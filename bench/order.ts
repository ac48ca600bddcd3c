/**
 * What an order costs, from `POST /orders` to its codes and to its letter, and what customers read on the way, beside
 * the limits of the machine measured in the same run.
 *
 *     DATABASE_URL=postgres://…/scratch node bench/order.ts [--rounds 3] [--milliseconds 600]
 *
 * The database is migrated and filled; take an empty one. F = a bare Fastify route, P = the same writes (or reads) as
 * prepared statements straight at PostgreSQL, L = 1 / (n/F + 1/P) for n requests. CPU = the server's process and its
 * PostgreSQL backends; the load, the gateway and the mail server run in this process and are left out.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { migrate } from '../server/src/platform/db/migrate.ts';
import { migrateJobs } from '../server/src/platform/jobs/worker.ts';
import { printFigures } from './figures.ts';
import { measureHot } from './hot-cells.ts';
import { withBench } from './order-bench.ts';
import { measureOrders, stockUp } from './order-cells.ts';
import { measureReads } from './read-cells.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      milliseconds: { type: 'string', default: '600' },
    },
  });
  const databaseUrl = process.env['DATABASE_URL'];
  if (!databaseUrl) throw new Error('Set DATABASE_URL to an empty scratch database');
  await migrate({ url: databaseUrl, folder: join(import.meta.dirname, '../server/migrations') });
  await migrateJobs(databaseUrl);
  const extent = {
    databaseUrl,
    rounds: Number(values.rounds),
    milliseconds: Number(values.milliseconds),
  };
  const figures = await withBench(extent, async (bench) => {
    const stock = await stockUp(bench);
    return [
      ...(await measureOrders(bench, stock)),
      ...(await measureHot(bench, stock)),
      ...(await measureReads(bench)),
    ];
  });
  printFigures(figures);
}

await main();
