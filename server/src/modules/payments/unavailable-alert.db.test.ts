import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import { log } from '../../../test/support/test-identity.ts';
import { systemClock } from '../../platform/time.ts';
import type { CallbackClaim, ConfiguredGateway, Verification } from './gateways/gateway.ts';
import { createGateways } from './gateways/registry.ts';
import { verifyPayment } from './verify-payment.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

interface Payment {
  readonly id: number;
  readonly transaction_id: string;
}

/** An order with open sessions. */
async function sessions(count: number): Promise<Payment[]> {
  const { rows } = await db.query<Payment>(
    `WITH buyer AS (INSERT INTO users (msisdn, name, password_hash) VALUES ($1, 'Buyer', 'none') RETURNING id),
     placed AS (
       INSERT INTO orders (order_number, user_id, status, subtotal_minor, total_minor, held_until)
       SELECT $2, buyer.id, 'PENDING', 10000, 10000, now() + interval '1 hour' FROM buyer RETURNING id)
     INSERT INTO payments (order_id, transaction_id, gateway_reference, method, gateway, amount_minor, currency)
     SELECT placed.id, 'AGG-' || n || $2, n || $2, 'gw_aggregator', 'aggregator', 10000, 'BDT'
     FROM placed, generate_series(1, $3) AS n RETURNING id, transaction_id`,
    [`+88017${Math.floor(Math.random() * 1e8)}`.padEnd(14, '0'), randomUUID(), count],
  );
  return rows;
}

const details = {};
const paid = { kind: 'confirmed', amountMinor: 10_000, currency: 'BDT', details } as const;
const answers: Record<string, () => Verification> = {
  nothing: () => ({ kind: 'unknown', reason: 'no answer', details }),
  success: () => ({ ...paid, gatewayTransactionId: randomUUID() }),
  'another amount': () => ({ ...paid, amountMinor: 5_000, gatewayTransactionId: randomUUID() }),
  refusal: () => ({ kind: 'refused', reason: 'insufficient funds', details }),
  cancellation: () => ({ kind: 'cancelled', reason: 'CANCELLED', details }),
  'not yet': () => ({ kind: 'processing', details }),
};

/** Asks about a payment a gateway that gives this answer. */
async function ask({ id }: Payment, word: string, claims?: CallbackClaim): Promise<void> {
  const answer = answers[word];
  if (!answer) throw new Error(`no answer ${word}`);
  const gateway: ConfiguredGateway = {
    name: 'aggregator',
    method: 'gw_aggregator',
    segment: 'aggregator',
    transactionPrefix: 'AGG',
    retryProcessing: { times: 0, afterMs: 0 },
    openSession: async () => ({ kind: 'refused', reason: 'there are sessions' }),
    readCallback: () => ({ kind: 'unreadable' }),
    verify: async () => answer(),
  };
  const line = { state: 'closed', calls: 0, failures: 0, refused: 0, underWay: 0 } as const;
  const gateways = createGateways([{ gateway, health: () => line }]);
  await db.query('UPDATE payments SET verifying_until = NULL WHERE id = $1', [id]);
  const question =
    claims === undefined ? ({ askedBy: 'sweep' } as const) : ({ askedBy: 'callback', claims } as const);
  await verifyPayment({ db, clock: systemClock, log, gateways }, { paymentId: id, ...question });
}

async function alertOf({ id }: Payment): Promise<{ status: string; notes: string | null } | undefined> {
  const { rows } = await db.query<{ status: string; notes: string | null }>(
    `SELECT status, resolution_notes AS notes FROM admin_alerts
     WHERE type = 'payment_verification_unavailable' AND cause = $1`,
    [`payment:${id}`],
  );
  return rows[0];
}

describe('the alert about a payment that could not be verified', () => {
  it.each([
    ['success', 'succeeded'],
    ['another amount', 'was paid with another amount or currency'],
    ['refusal', 'was refused by the gateway: insufficient funds'],
    ['cancellation', 'was cancelled at the gateway: CANCELLED'],
  ])('is resolved by a %s, and says so', async (word, told) => {
    const [payment] = await sessions(1);
    if (!payment) throw new Error('no payment');
    await ask(payment, 'nothing', 'success');
    expect(await alertOf(payment)).toEqual({ status: 'open', notes: null });
    await ask(payment, word);
    const notes = `${payment.transaction_id} was verified later and ${told}`;
    expect(await alertOf(payment)).toEqual({ status: 'resolved', notes });
  });

  it('stays open while the gateway says nothing or "not yet", and is resolved by what it says then', async () => {
    const [payment] = await sessions(1);
    if (!payment) throw new Error('no payment');
    await ask(payment, 'nothing', 'success');
    await ask(payment, 'nothing');
    await ask(payment, 'not yet');
    await ask(payment, 'not yet', 'unclear');
    expect(await alertOf(payment)).toMatchObject({ status: 'open' });
    await ask(payment, 'refusal', 'failure');
    expect(await alertOf(payment)).toMatchObject({ status: 'resolved' });
  });

  it('stays open though another session of the order is verified: it may have been paid too', async () => {
    const [first, second] = await sessions(2);
    if (!first || !second) throw new Error('no payments');
    await ask(first, 'nothing', 'success');
    await ask(second, 'nothing', 'success');
    await ask(second, 'success');
    expect(await alertOf(second)).toMatchObject({ status: 'resolved' });
    expect(await alertOf(first)).toMatchObject({ status: 'open' });
  });
});
