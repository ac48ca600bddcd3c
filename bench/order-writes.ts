/**
 * What an order writes, as prepared statements straight at PostgreSQL: the limit that orders are measured against. The
 * same tables, rows, transactions and durability as the service's; nothing is asked, checked, priced or sealed.
 */
import pg from 'pg';

import { readCpuSeconds } from './process-cpu.ts';

interface Step {
  readonly name: string;
  readonly text: string;
  readonly values: (order: OrderToWrite) => unknown[];
}

interface OrderToWrite {
  readonly id: number;
  readonly variantId: number;
  readonly userId: number;
  /** Unique text. */
  readonly mark: string;
}

const step = (name: string, text: string, values: Step['values']): Step => ({
  name: `bench_${name}`,
  text,
  values,
});

const byOrder = ({ id }: OrderToWrite): unknown[] => [id];
const event = (type: string): Step =>
  step(
    `event_${type}`,
    `INSERT INTO outbox_events (id, type, stream, data)
     VALUES (gen_random_uuid(), '${type}', 'order:' || $1::bigint, jsonb_build_object('order_id', $1, 'total_minor', 50000))`,
    byOrder,
  );
const job = (name: string): Step =>
  step(
    `job_${name}`,
    `SELECT graphile_worker.add_job('bench', payload := json_build_object('id', $1::bigint), max_attempts := 25,
                                    job_key := 'bench:${name}:' || $1)`,
    byOrder,
  );
const jobDone = (name: string): Step =>
  step(`done_${name}`, `SELECT graphile_worker.remove_job('bench:${name}:' || $1::bigint)`, byOrder);

/** One inner list is one transaction: between them somebody outside is asked. */
const untilCodes: readonly (readonly Step[])[] = [
  [
    step(
      'order',
      `INSERT INTO orders (id, order_number, user_id, subtotal_minor, total_minor, payment_method, delivery_email, held_until)
       OVERRIDING SYSTEM VALUE
       VALUES ($1, $2, $3, 50000, 50000, 'gw_aggregator', 'bench@example.com', now() + interval '30 minutes')`,
      ({ id, mark, userId }) => [id, mark, userId],
    ),
    step(
      'item',
      `INSERT INTO order_items (id, order_id, position, variant_id, quantity, unit_price_minor, product_name, variant_name,
                                engine, mode, fulfillment_input)
       OVERRIDING SYSTEM VALUE
       VALUES ($1, $1, 0, $2, 1, 50000, 'Gift card', '500 BDT', 'PRELOADED', 'CODE', '{"email": "bench@example.com"}')`,
      ({ id, variantId }) => [id, variantId],
    ),
    step(
      'reserve',
      `UPDATE vouchers SET status = 'reserved', order_item_id = $1, unit_no = 1, reserved_until = now() + interval '30 minutes'
       WHERE id = (SELECT id FROM vouchers WHERE variant_id = $2 AND status = 'available' AND (expires_at IS NULL OR expires_at > now())
                   ORDER BY expires_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)`,
      ({ id, variantId }) => [id, variantId],
    ),
    event('order.created'),
    step(
      'payment',
      `INSERT INTO payments (id, order_id, transaction_id, gateway_reference, method, gateway, amount_minor, currency,
                             description, next_verify_at)
       OVERRIDING SYSTEM VALUE
       VALUES ($1, $1, $2, $2, 'gw_aggregator', 'aggregator', 50000, 'BDT', $2, now() + interval '1 minute')`,
      ({ id, mark }) => [id, mark],
    ),
  ],
  [
    step('opened', `UPDATE orders SET status = 'PENDING' WHERE id = $1`, byOrder),
    step(
      'session',
      `UPDATE payments SET payment_gateway_url = 'https://pay.example/' || $2::text, gateway_session = jsonb_build_object('key', $2)
       WHERE id = $1`,
      ({ id, mark }) => [id, mark],
    ),
  ],
  [
    step(
      'callback',
      `INSERT INTO payment_callbacks (gateway, content_digest, payload, payment_id, verdict, claims, source_ip)
       VALUES ('aggregator', sha256($2::text::bytea), jsonb_build_object('tran_id', $2), $1, 'accepted', 'success', '127.0.0.1')`,
      ({ id, mark }) => [id, mark],
    ),
  ],
  [
    step('lock', 'SELECT id FROM orders WHERE id = $1 FOR NO KEY UPDATE', byOrder),
    step(
      'succeeded',
      `UPDATE payments SET status = 'SUCCEEDED', drives_order = true, verified_amount_minor = 50000, verified_currency = 'BDT',
                           verified_at = now(), gateway_transaction_id = $2, next_verify_at = NULL
       WHERE id = $1`,
      ({ id, mark }) => [id, mark],
    ),
    step(
      'verification',
      `INSERT INTO payment_verifications (payment_id, asked_by, outcome, details, took_ms)
       VALUES ($1, 'callback', 'confirmed', '{"status": "VALID"}', 1)`,
      byOrder,
    ),
    step('paid', `UPDATE orders SET paid_at = now(), held_until = NULL WHERE id = $1`, byOrder),
    event('payment.succeeded'),
    event('order.paid'),
    step(
      'assign',
      `UPDATE vouchers SET status = 'assigned', assigned_at = now(), reserved_until = NULL WHERE order_item_id = $1`,
      byOrder,
    ),
    step('processing', `UPDATE order_items SET fulfillment_status = 'PROCESSING' WHERE id = $1`, byOrder),
    step(
      'letter',
      `INSERT INTO mail_messages (id, kind, order_id, recipient, message_id, content_digest)
       OVERRIDING SYSTEM VALUE VALUES ($1, 'order_codes', $1, 'bench@example.com', $2, sha256($2::text::bytea))`,
      ({ id, mark }) => [id, mark],
    ),
    job('letter'),
  ],
];

const letter: readonly (readonly Step[])[] = [
  [
    step(
      'claim',
      `UPDATE mail_messages SET state = 'SENDING', claim_token = gen_random_uuid(), claimed_until = now() + interval '30 seconds',
                                attempts = 1
       WHERE id = $1`,
      byOrder,
    ),
  ],
  [step('transmitting', 'UPDATE mail_messages SET transmitting = true WHERE id = $1', byOrder)],
  [
    step('lock_again', 'SELECT id FROM orders WHERE id = $1 FOR NO KEY UPDATE', byOrder),
    step(
      'sent',
      `UPDATE mail_messages SET state = 'SENT', accepted_at = now(), smtp_reply = '250 accepted', claim_token = NULL,
                                claimed_until = NULL
       WHERE id = $1`,
      byOrder,
    ),
    step(
      'attempt',
      `INSERT INTO fulfillment_attempts (order_id, order_item_id, type, status, correlation_id)
       VALUES ($1, $1, 'AUTO', 'SUCCESS', gen_random_uuid())`,
      byOrder,
    ),
    step(
      'fulfilled',
      `UPDATE order_items SET fulfilled = true, fulfilled_at = now(), fulfillment_status = 'SUCCEEDED' WHERE id = $1`,
      byOrder,
    ),
    step(
      'delivered',
      `UPDATE orders SET status = 'SUCCEEDED', dispatched_email = 'bench@example.com', email_sent_at = now() WHERE id = $1`,
      byOrder,
    ),
    event('fulfillment.attempted'),
    event('order.fulfilled'),
    jobDone('letter'),
  ],
];

/** The writes of one order, to its codes or to its letter. */
export const orderWrites = { untilCodes, untilLetter: [...untilCodes, ...letter] };

export interface WriteLoad {
  readonly databaseUrl: string;
  readonly atOnce: number;
  readonly milliseconds: number;
  readonly variantIds: readonly number[];
  readonly userId: number;
}

// Far above what the sequences give: the service's own orders go on beside these.
let nextId = 1_000_000_000 + (Date.now() % 1_000_000_000) * 10;

export interface WriteRun {
  /** Orders written in a second. */
  readonly rate: number;
  /** CPU of PostgreSQL for one. */
  readonly cpuMs: number;
}

export async function writeOrders(
  load: WriteLoad,
  transactions: readonly (readonly Step[])[],
): Promise<WriteRun> {
  const clients = await connect(load.databaseUrl, load.atOnce);
  const backends = clients.map((client) => (client as unknown as { processID: number }).processID);
  const before = await readCpuSeconds(backends);
  const start = performance.now();
  let count = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - start < load.milliseconds) {
        count += 1;
        nextId += 1;
        const variantId = load.variantIds[nextId % load.variantIds.length] ?? 0;
        const order = { id: nextId, variantId, userId: load.userId, mark: `BENCH-${nextId}` };
        for (const steps of transactions) await runTransaction(client, steps, order);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const cpuSeconds = (await readCpuSeconds(backends)) - before;
  await Promise.all(clients.map((client) => client.end()));
  return { rate: count / seconds, cpuMs: (cpuSeconds * 1000) / count };
}

/** Leaves in one packet, the COMMIT with it. */
async function runTransaction(client: pg.Client, steps: readonly Step[], order: OrderToWrite): Promise<void> {
  const ask = ({ name, text, values }: Step): Promise<unknown> =>
    client.query({ name, text, values: values(order) });
  if (steps.length === 1 && steps[0]) {
    await ask(steps[0]);
    return;
  }
  await Promise.all([client.query('BEGIN'), ...steps.map(ask), client.query('COMMIT')]);
}

/** @returns how often in a second these reads can be made, together in one packet. */
export async function readStatements(
  load: { databaseUrl: string; atOnce: number; milliseconds: number },
  reads: readonly { readonly name: string; readonly text: string; readonly values: readonly unknown[] }[],
): Promise<number> {
  const clients = await connect(load.databaseUrl, load.atOnce);
  const start = performance.now();
  let count = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - start < load.milliseconds) {
        count += 1;
        await Promise.all(reads.map((read) => client.query({ ...read, values: [...read.values] })));
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  await Promise.all(clients.map((client) => client.end()));
  return count / seconds;
}

async function connect(databaseUrl: string, count: number): Promise<pg.Client[]> {
  const clients = Array.from(
    { length: count },
    () => new pg.Client({ connectionString: databaseUrl, application_name: 'bench-load', pipeline: true }),
  );
  await Promise.all(clients.map((client) => client.connect()));
  return clients;
}
