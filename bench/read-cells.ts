/** What customers read, beside a bare answer of the same bytes or the same reads straight at PostgreSQL. */
import { median } from './figures.ts';
import type { Figure } from './figures.ts';
import { openConnection, runLoad } from './http-load.ts';
import type { Question } from './http-load.ts';
import { readStatements } from './order-writes.ts';
import { AT_ONCE, placeOrder } from './order-cells.ts';
import type { Bench } from './order-bench.ts';

interface Read {
  readonly name: string;
  readonly question: Question;
  readonly status: number;
  readonly goal: number;
  /** A path of the bare server, or the reads. */
  readonly beside: '/small' | '/bytes' | '/unchanged' | readonly Statement[];
  readonly atMostTrips?: number;
}

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

async function rateOf(url: string, milliseconds: number, read: { question: Question; status: number }) {
  const { count, seconds } = await runLoad({ url, atOnce: AT_ONCE, milliseconds }, async (connection) => {
    const { status, body } = await connection.ask(read.question);
    if (status !== read.status) throw new Error(`${read.question.path}: ${status} ${body}`);
  });
  return count / seconds;
}

async function measureRead(bench: Bench, read: Read): Promise<Figure[]> {
  const milliseconds = Math.ceil(bench.milliseconds / 2);
  const connection = await openConnection(bench.server.url);
  const { body } = await connection.ask(read.question);
  connection.close();
  await bench.keepBytes(body);
  const { beside } = read;
  const statements = typeof beside === 'string' ? undefined : beside;
  const bareRead = {
    question: { method: 'GET' as const, path: typeof beside === 'string' ? beside : '/small' },
    status: beside === '/unchanged' ? 304 : 200,
  };
  const ratios: number[] = [];
  const rates: number[] = [];
  let trips = 0;
  await rateOf(bench.server.url, milliseconds, read);
  for (let round = 0; round < bench.rounds; round += 1) {
    const f = await rateOf(bench.bareUrl, milliseconds, bareRead);
    const p = statements ? await readStatements({ ...bench, atOnce: AT_ONCE, milliseconds }, statements) : 0;
    const { value: ours, used } = await bench.metered(() => rateOf(bench.server.url, milliseconds, read));
    trips = used.roundTrips / (ours * (milliseconds / 1000));
    rates.push(ours);
    ratios.push(ours / (statements ? 1 / (1 / f + 1 / p) : f));
  }
  const figure = {
    name: read.name,
    value: median(ratios),
    unit: statements ? 'L' : 'F',
    goal: { atLeast: read.goal },
    note: `${median(rates).toFixed(0)}/s${statements ? `, about ${trips.toFixed(1)} round trips under load` : ''}`,
  };
  return [figure, ...(read.atMostTrips ? [await countTrips(bench, read, read.atMostTrips)] : [])];
}

async function countTrips(bench: Bench, read: Read, atMost: number): Promise<Figure> {
  const most = 50;
  const { used } = await bench.metered(() =>
    runLoad(
      { url: bench.server.url, atOnce: 1, milliseconds: 5_000, most },
      async (connection) => void (await connection.ask(read.question)),
    ),
  );
  return { name: `round trips, ${read.name}`, value: used.roundTrips / most, unit: '', goal: { atMost } };
}

export async function measureReads(bench: Bench): Promise<Figure[]> {
  const connection = await openConnection(bench.server.url);
  const list = await connection.ask({ method: 'GET', path: '/api/v1/products?limit=20' });
  const etag = /\r\netag: (.*)/i.exec(list.head)?.[1]?.trim() ?? '';
  const { data } = JSON.parse(list.body) as {
    data: { items: { id: number; variants?: { id: number }[] }[] };
  };
  const variant = await bench.sql.query<{ id: number }>('SELECT max(variant_id)::int AS id FROM vouchers');
  const placed = await placeOrder(bench, connection, { n: 0, variantId: variant.rows[0]?.id ?? 0 });
  connection.close();
  const reads = [
    ...keptReads({ productId: data.items[0]?.id ?? 0, etag }),
    ...(await storedReads(bench, placed.id)),
  ];
  const figures: Figure[] = [];
  for (const read of reads) figures.push(...(await measureRead(bench, read)));
  return figures;
}

const get = (path: string, headers: Record<string, string> = {}): Question => ({
  method: 'GET',
  path: `/api/v1${path}`,
  headers,
});

/** Made once and kept: no database is asked. */
function keptReads({ productId, etag }: { productId: number; etag: string }): Read[] {
  const products = get('/products?limit=20');
  const unchanged = { ...products, headers: { 'if-none-match': etag } };
  const product = get(`/products/${productId}`);
  return [
    { name: 'GET /products, 20', question: products, status: 200, goal: 0.8, beside: '/bytes' },
    { name: 'GET /products, unchanged', question: unchanged, status: 304, goal: 0.9, beside: '/unchanged' },
    { name: 'GET /products/:id', question: product, status: 200, goal: 0.8, beside: '/bytes' },
  ];
}

async function storedReads({ sql, server }: Bench, orderId: number): Promise<Read[]> {
  const own = { authorization: `Bearer ${server.tokens[0]}` };
  const { rows } = await sql.query<{ transaction_id: string; code: string }>(
    `SELECT transaction_id, (SELECT code FROM discounts ORDER BY id DESC LIMIT 1) AS code
     FROM payments WHERE order_id = $1`,
    [orderId],
  );
  const { transaction_id: transactionId = '', code = '' } = rows[0] ?? {};
  const read = (name: string, text: string, value: unknown): Statement => ({ name, text, values: [value] });
  const order = [
    read('bench_order', 'SELECT * FROM orders WHERE id = $1', orderId),
    read('bench_items', 'SELECT * FROM order_items WHERE order_id = $1', orderId),
  ];
  const joined = 'SELECT * FROM payments JOIN orders ON orders.id = order_id WHERE transaction_id = $1';
  const common = { status: 200, goal: 0.7 };
  return [
    {
      ...common,
      name: 'GET /orders/:id',
      question: get(`/orders/${orderId}`, own),
      beside: order,
      atMostTrips: 2,
    },
    {
      ...common,
      name: 'GET /payments/status/:id',
      question: get(`/payments/status/${transactionId}`, own),
      beside: [read('bench_status', joined, transactionId)],
      atMostTrips: 2,
    },
    {
      ...common,
      name: 'GET /discounts/validate',
      question: get(`/discounts/validate?code=${code}&subtotal=1000`),
      beside: [read('bench_code', 'SELECT * FROM discounts WHERE code = $1', code)],
    },
  ];
}
