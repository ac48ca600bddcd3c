/** Orders: their rate beside the limit, CPU, round trips, the time to the letter. */
import { setTimeout as wait } from 'node:timers/promises';

import { median } from './figures.ts';
import type { Figure } from './figures.ts';
import { runLoad } from './http-load.ts';
import type { Connection } from './http-load.ts';
import { orderWrites, writeOrders } from './order-writes.ts';
import type { WriteRun } from './order-writes.ts';
import type { Bench, Used } from './order-bench.ts';

export const AT_ONCE = 16;
const VARIANTS = 40;
const CODES_EACH = 400;
const CODES_HOT = 12_000;
const REQUESTS = 2;

interface Placed {
  readonly id: number;
  readonly payment?: { readonly paymentGatewayUrl: string };
}

/** `POST /orders` as a shop makes it. */
export async function placeOrder(
  bench: Bench,
  connection: Connection,
  wanted: { readonly n: number; readonly variantId: number; readonly more?: object },
): Promise<Placed> {
  const token = bench.server.tokens[wanted.n % bench.server.tokens.length] ?? '';
  const reply = await connection.ask({
    method: 'POST',
    path: '/api/v1/orders',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      items: [
        { variant_id: wanted.variantId, quantity: 1, fulfillment_input: { email: 'buyer@example.com' } },
      ],
      payment_method: 'gw_aggregator',
      ...wanted.more,
    }),
  });
  if (reply.status !== 201) throw new Error(`POST /orders: ${reply.status} ${reply.body}`);
  return (JSON.parse(reply.body) as { data: Placed }).data;
}

/** What the gateway sends when the customer has paid. */
export async function callBack(connection: Connection, { payment }: Placed): Promise<void> {
  const reference = payment?.paymentGatewayUrl.split('/').at(-1) ?? '';
  const reply = await connection.ask({
    method: 'POST',
    path: '/api/v1/payments/aggregator/callback',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `tran_id=${reference}&val_id=${reference}&status=VALID&amount=500.00&currency=BDT`,
  });
  if (!reply.body.includes('"SUCCEEDED"')) throw new Error(`callback: ${reply.status} ${reply.body}`);
}

/** How far an order is followed: to its codes, which the callback's own transaction gives it, or to its letter. */
type Extent = 'codes' | 'letter';

const paid =
  "orders.paid_at IS NOT NULL AND orders.status = 'PENDING' AND orders.id < 1000000000 AND orders.created_at >= $1";
const unfinished: Record<Extent, string> = {
  codes: `SELECT count(*)::int AS n FROM orders JOIN order_items AS item ON item.order_id = orders.id
          JOIN vouchers ON vouchers.order_item_id = item.id
          WHERE ${paid} AND vouchers.status = 'reserved'`,
  letter: `SELECT count(*)::int AS n FROM orders WHERE ${paid}`,
};

/** Waits until the worker has caught up with what was ordered since then. */
async function drained(bench: Bench, extent: Extent, since: Date): Promise<void> {
  const until = performance.now() + 20_000;
  for (;;) {
    const { rows } = await bench.sql.query<{ n: number }>(unfinished[extent], [since]);
    if (rows[0]?.n === 0) return;
    if (performance.now() > until) throw new Error(`${rows[0]?.n} orders were left unfinished`);
    await wait(15);
  }
}

interface OrderRun {
  readonly rate: number;
  readonly used: Used;
  readonly count: number;
}

/** Orders paid and finished, the worker's part included, in a second. */
async function runOrders(
  bench: Bench,
  extent: Extent,
  load: {
    readonly atOnce: number;
    readonly milliseconds: number;
    readonly most?: number;
    variants: number[];
  },
): Promise<OrderRun> {
  // What nobody will work on (the limit's jobs, letters of a run that sends none) would lie in the worker's way.
  await bench.sql.query('DELETE FROM graphile_worker._private_jobs WHERE locked_at IS NULL');
  await bench.ask({ wish: 'work', working: extent === 'letter' ? 'everything' : 'nothing' });
  const { value, used } = await bench.metered(async () => {
    const start = performance.now();
    const since = new Date();
    const { count } = await runLoad({ url: bench.server.url, ...load }, async (connection, n) => {
      const variantId = load.variants[n % load.variants.length] ?? 0;
      await callBack(connection, await placeOrder(bench, connection, { n, variantId }));
    });
    await drained(bench, extent, since);
    return { count, rate: (count * 1000) / (performance.now() - start) };
  });
  await bench.ask({ wish: 'work', working: 'nothing' });
  return { ...value, used };
}

async function runBare(bench: Bench, path: string): Promise<number> {
  const { count, seconds } = await runLoad(
    { url: bench.bareUrl, atOnce: AT_ONCE, milliseconds: bench.milliseconds },
    async (connection) => void (await connection.ask({ method: 'GET', path })),
  );
  return count / seconds;
}

const limit = (requests: number, f: number, p: number): number => 1 / (requests / f + 1 / p);
const postgresMs = ({ used, count }: OrderRun): number => (used.postgresCpuSeconds * 1000) / count;
const cpuMs = ({ used, count }: OrderRun): number =>
  ((used.cpuSeconds + used.postgresCpuSeconds) * 1000) / count;

interface Rounds {
  readonly f: number[];
  readonly p: Record<Extent, WriteRun[]>;
  readonly runs: Record<Extent, OrderRun[]>;
}

async function interleave(bench: Bench, stock: Stock): Promise<Rounds> {
  const rounds: Rounds = { f: [], p: { codes: [], letter: [] }, runs: { codes: [], letter: [] } };
  const load = { atOnce: AT_ONCE, milliseconds: bench.milliseconds, variants: stock.variants };
  const writing = { ...bench, atOnce: AT_ONCE, variantIds: stock.limitVariants, userId: 1 };
  const everyRound = async (keep: boolean): Promise<void> => {
    const f = await runBare(bench, '/small');
    const pCodes = await writeOrders(writing, orderWrites.untilCodes);
    const codes = await runOrders(bench, 'codes', load);
    const pLetter = await writeOrders(writing, orderWrites.untilLetter);
    const letter = await runOrders(bench, 'letter', load);
    if (!keep) return;
    rounds.f.push(f);
    rounds.p.codes.push(pCodes);
    rounds.p.letter.push(pLetter);
    rounds.runs.codes.push(codes);
    rounds.runs.letter.push(letter);
  };
  await everyRound(false);
  // As a database is that has been in use for more than a minute: planned for what is in it.
  await bench.sql.query('VACUUM (ANALYZE)');
  await everyRound(false);
  for (let round = 0; round < bench.rounds; round += 1) await everyRound(true);
  return rounds;
}

/** Round trips of one order after the other, with everything of the worker in them but its idle polls. */
async function countTrips(bench: Bench, variants: number[]): Promise<Figure[]> {
  const most = 60;
  const alone = { atOnce: 1, milliseconds: 10_000, most, variants };
  const requests = await bench.metered(() =>
    runLoad({ url: bench.server.url, ...alone }, async (connection, n) => {
      await placeOrder(bench, connection, { n, variantId: variants[n % variants.length] ?? 0 });
    }),
  );
  const codes = await runOrders(bench, 'codes', alone);
  const letter = await runOrders(bench, 'letter', alone);
  const perOrder = (used: Used): Pick<Figure, 'value' | 'unit' | 'note'> => ({
    value: used.roundTrips / most,
    unit: '',
    note: `${(used.statements / most).toFixed(1)} statements`,
  });
  return [
    { name: 'round trips, POST /orders', ...perOrder(requests.used) },
    { name: 'round trips, order to code', ...perOrder(codes.used), goal: { atMost: 8 } },
    { name: 'round trips, order to letter', ...perOrder(letter.used) },
  ];
}

/** At half of what can be had: from the money to the mail server's yes. */
async function measureWaiting(bench: Bench, rate: number, variants: number[]): Promise<Figure[]> {
  await bench.ask({ wish: 'work', working: 'everything' });
  const since = new Date();
  const pauseMs = (AT_ONCE * 1000) / (rate / 2);
  await runLoad({ url: bench.server.url, atOnce: AT_ONCE, milliseconds: 3_000 }, async (connection, n) => {
    const due = performance.now() + pauseMs;
    const variantId = variants[n % variants.length] ?? 0;
    await callBack(connection, await placeOrder(bench, connection, { n, variantId }));
    await wait(Math.max(0, due - performance.now()));
  });
  await drained(bench, 'letter', since);
  await bench.ask({ wish: 'work', working: 'nothing' });
  const { rows } = await bench.sql.query<{ p50: number; p99: number }>(
    `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY took) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY took) AS p99
     FROM (SELECT extract(epoch FROM accepted_at - paid_at)::float8 AS took
           FROM mail_messages JOIN orders ON orders.id = order_id
           WHERE order_id < 1000000000 AND orders.created_at > $1) AS letters`,
    [since],
  );
  const { p50 = 0, p99 = 0 } = rows[0] ?? {};
  return [
    {
      name: 'paid → accepted, half load, p50',
      value: p50,
      unit: 's',
      goal: { atMost: 1 },
      note: `p99 ${p99.toFixed(2)} s`,
    },
  ];
}

export interface Stock {
  readonly variants: number[];
  /** The limit's own. */
  readonly limitVariants: number[];
  /** One with much in it. */
  readonly hotVariants: number[];
}

export async function stockUp(bench: Bench): Promise<Stock> {
  const many = { wish: 'stock', variants: VARIANTS, codes: CODES_EACH } as const;
  return {
    variants: await bench.ask<number[]>(many),
    limitVariants: await bench.ask<number[]>(many),
    hotVariants: await bench.ask<number[]>({ wish: 'stock', variants: 1, codes: CODES_HOT }),
  };
}

export async function measureOrders(bench: Bench, stock: Stock): Promise<Figure[]> {
  const { variants } = stock;
  const { f, p, runs } = await interleave(bench, stock);
  const trips = await countTrips(bench, variants);
  const rateOf = (each: readonly OrderRun[]): number => median(each.map(({ rate }) => rate));
  const ratio = (which: Extent): number =>
    median(
      runs[which].map(({ rate }, round) => rate / limit(REQUESTS, f[round] ?? 0, p[which][round]?.rate ?? 0)),
    );
  const told = (which: Extent): string => {
    const [fRate, pRate] = [median(f), median(p[which].map(({ rate: each }) => each))];
    const l = limit(REQUESTS, fRate, pRate);
    return `${rateOf(runs[which]).toFixed(0)}/s; F ${fRate.toFixed(0)}, P ${pRate.toFixed(0)}, L ${l.toFixed(0)}`;
  };
  const cpu = (which: Extent, atMost: number): Figure => ({
    name: `CPU of one, to the ${which === 'codes' ? 'code' : 'letter'}`,
    value: median(runs[which].map(cpuMs)),
    unit: 'ms',
    goal: { atMost },
    note:
      `PostgreSQL ${median(runs[which].map(postgresMs)).toFixed(2)}; ` +
      `the limit's writes alone ${median(p[which].map(({ cpuMs: each }) => each)).toFixed(2)}`,
  });
  return [
    { name: 'order to code', value: ratio('codes'), unit: 'L', goal: { atLeast: 0.5 }, note: told('codes') },
    cpu('codes', 4),
    {
      name: 'order to letter',
      value: ratio('letter'),
      unit: 'L',
      goal: { atLeast: 0.35 },
      note: told('letter'),
    },
    cpu('letter', 7),
    ...trips,
    ...(await measureWaiting(bench, rateOf(runs.letter), variants)),
  ];
}
