import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { createGateways } from '../../src/modules/payments/gateways/registry.ts';
import type { ConfiguredGateway, Verification } from '../../src/modules/payments/gateways/gateway.ts';
import { receiveCallback } from '../../src/modules/payments/receive-callback.ts';
import { verifyPayment } from '../../src/modules/payments/verify-payment.ts';
import type { VerifyPaymentDeps } from '../../src/modules/payments/verify-payment.ts';
import { createLog } from '../../src/platform/log.ts';
import { systemClock } from '../../src/platform/time.ts';
import { createTestDatabase } from '../support/test-database.ts';
import type { TestDatabase } from '../support/test-database.ts';

let db: TestDatabase;
let userId: number;
beforeAll(async () => {
  db = await createTestDatabase({ poolSize: 12 });
  const { rows } = await db.query<{ id: number }>(
    `INSERT INTO users (msisdn, name, password_hash) VALUES ('+8801700000042', 'Buyer', 'none') RETURNING id`,
  );
  userId = rows[0]?.id ?? 0;
});
afterAll(() => db.drop());

const steps = ['success', 'failure', 'cancel', 'confirm', 'sweep', 'second'] as const;
type Step = (typeof steps)[number];
const sequences: Step[][] = steps.flatMap((a) =>
  steps.flatMap((b) => steps.flatMap((c) => steps.map((d) => [a, b, c, d]))),
);

/** Both sessions are paid in truth. Its first answers about a first session can be no answers. */
function aGateway(unansweredQuestions: number): ConfiguredGateway {
  const asked = new Map<string, number>();
  return {
    name: 'aggregator',
    method: 'gw_aggregator',
    segment: 'aggregator',
    transactionPrefix: 'AGG',
    retryProcessing: { times: 0, afterMs: 0 },
    openSession: async () => ({ kind: 'refused', reason: 'sessions are there already' }),
    readCallback: ({ reference = '', claims = '' }) => ({
      kind: 'read',
      names: { reference },
      claims: claims as 'success' | 'failure' | 'cancel',
      signature: 'valid',
      evidence: {},
    }),
    async verify({ gatewayReference, amountMinor, currency }): Promise<Verification> {
      const question = (asked.get(gatewayReference) ?? 0) + 1;
      asked.set(gatewayReference, question);
      const isOut = gatewayReference.startsWith('first') && question <= unansweredQuestions;
      if (isOut) return { kind: 'unknown', reason: 'no answer', details: {} };
      return {
        kind: 'confirmed',
        amountMinor,
        currency,
        gatewayTransactionId: gatewayReference,
        details: {},
      };
    },
  };
}

const line = { state: 'closed', calls: 0, failures: 0, refused: 0, underWay: 0 } as const;

function depsWith(gateway: ConfiguredGateway): VerifyPaymentDeps {
  return {
    db,
    clock: systemClock,
    log: createLog({ level: 'silent' }),
    gateways: createGateways([{ gateway, health: () => line }]),
  };
}

interface OpenPayment {
  readonly id: number;
  readonly reference: string;
}

const insertOrder = `
  WITH placed AS (
    INSERT INTO orders (order_number, user_id, status, subtotal_minor, total_minor, held_until)
    VALUES ($1, $2, 'PENDING', 10000, 10000, now() + interval '1 hour') RETURNING id)
  INSERT INTO payments (order_id, transaction_id, gateway_reference, method, gateway, amount_minor, currency)
  SELECT placed.id, session || $1, session || $1, 'gw_aggregator', 'aggregator', 10000, 'BDT'
  FROM placed, unnest(ARRAY['first-', 'second-']) AS session
  RETURNING order_id, id, gateway_reference AS reference`;

/** An order with two open sessions. */
async function anOrder(): Promise<{ orderId: number; first: OpenPayment; second: OpenPayment }> {
  const { rows } = await db.query<OpenPayment & { order_id: number }>(insertOrder, [randomUUID(), userId]);
  const [first, second] = rows;
  if (!first || !second) throw new Error('no payments');
  return { orderId: first.order_id, first, second };
}

async function take(
  deps: VerifyPaymentDeps,
  step: Step,
  { first, second }: { first: OpenPayment; second: OpenPayment },
): Promise<void> {
  const gateway = deps.gateways.named('aggregator');
  const callback = ({ reference }: OpenPayment, claims: string): Promise<unknown> =>
    receiveCallback(deps, { gateway, fields: { reference, claims }, sourceIp: '127.0.0.1' });
  switch (step) {
    case 'second':
      return void (await callback(second, 'success'));
    case 'confirm':
      return void (await verifyPayment(deps, { paymentId: first.id, askedBy: 'confirm', claims: 'unclear' }));
    case 'sweep':
      return void (await verifyPayment(deps, { paymentId: first.id, askedBy: 'sweep' }));
    default:
      return void (await callback(first, step));
  }
}

const finalState = `
  SELECT o.status, o.paid_at IS NOT NULL AS paid,
    (SELECT array_agg(p.status ORDER BY p.id) FROM payments p WHERE p.order_id = o.id) AS payments,
    (SELECT count(*)::int FROM payments p WHERE p.order_id = o.id AND p.drives_order) AS drivers,
    (SELECT count(*)::int FROM outbox_events e WHERE e.stream = 'order:' || o.id AND e.type = 'order.paid') AS paid_events,
    (SELECT count(*)::int FROM outbox_events e WHERE e.stream = 'order:' || o.id AND e.type = 'payment.succeeded') AS successes,
    (SELECT count(*)::int FROM graphile_worker._private_jobs job WHERE (job.payload ->> 'orderId')::bigint = o.id) AS fulfillments,
    (SELECT array_agg(DISTINCT a.type ORDER BY a.type) FROM admin_alerts a WHERE a.order_id = o.id AND a.status = 'open') AS alerts
  FROM orders o WHERE o.id = $1`;

/** Paid once, fulfilled once; the other session's money is a duplicate that an operator is told of; no other alert. */
const paidOnce = {
  status: 'PENDING',
  paid: true,
  payments: ['SUCCEEDED', 'SUCCEEDED'],
  drivers: 1,
  paid_events: 1,
  successes: 2,
  fulfillments: 1,
  alerts: ['duplicate_payment'],
};

async function runSequence(deps: VerifyPaymentDeps, sequence: readonly Step[]): Promise<unknown> {
  const { orderId, ...payments } = await anOrder();
  // Time passes between the steps: the gateway may be asked again.
  const later = () => db.query('UPDATE payments SET verifying_until = NULL WHERE order_id = $1', [orderId]);
  for (const step of sequence) {
    await take(deps, step, payments);
    await later();
  }
  // What the sweep does in the end, whatever came before.
  for (const { id } of [payments.first, payments.second, payments.first, payments.second]) {
    await verifyPayment(deps, { paymentId: id, askedBy: 'sweep' });
    await later();
  }
  return (await db.query(finalState, [orderId])).rows[0];
}

it.each([
  ['sessions that can be asked about', 0],
  ['a first session that cannot be asked about at first', 2],
])(
  'ends in one final state after every order of four events, with %s',
  async (_gateway, unansweredQuestions) => {
    const deps = depsWith(aGateway(unansweredQuestions));
    const waiting = sequences.map((sequence) => ({ sequence }));
    const ends = new Map<string, string[]>();
    const work = async (): Promise<void> => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const end = JSON.stringify(await runSequence(deps, next.sequence));
        ends.set(end, [...(ends.get(end) ?? []), next.sequence.join(' ')]);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    const counted = [...ends].map(([end, reachedBy]) => [
      JSON.parse(end) as unknown,
      reachedBy.length,
      reachedBy[0],
    ]);
    expect(counted).toEqual([[paidOnce, 1296, expect.any(String)]]);
  },
  240_000,
);
