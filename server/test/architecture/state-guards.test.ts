import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { orderStates } from '../../src/modules/orders/index.ts';
import { paymentStates } from '../../src/modules/payments/index.ts';
import { violatedConstraint } from '../../src/platform/db/database.ts';
import type { StateMachine } from '../../src/platform/state-machine.ts';
import { createTestDatabase } from '../support/test-database.ts';
import type { TestDatabase } from '../support/test-database.ts';

let db: TestDatabase;
let userId: number;

beforeAll(async () => {
  db = await createTestDatabase({ poolSize: 2 });
  userId = await idOf(
    `INSERT INTO users (msisdn, name, password_hash) VALUES ('+8801700000009', 'Guarded', 'none') RETURNING id`,
  );
});
afterAll(() => db.drop());

async function idOf(text: string, values: readonly unknown[] = []): Promise<number> {
  const row = (await db.query<{ id: number }>(text, values)).rows[0];
  if (!row) throw new Error('no row');
  return row.id;
}

/** Only the states the database itself demands it of are paid: paying forbids more than the life cycle does. */
function anOrder(status: string): Promise<number> {
  const isPaid = ['SUCCEEDED', 'NEEDS_ATTENTION'].includes(status);
  return idOf(
    `INSERT INTO orders (order_number, user_id, status, subtotal_minor, total_minor, paid_at)
     VALUES ($1, $2, $3, 100, 100, $4) RETURNING id`,
    [randomUUID(), userId, status, isPaid ? new Date() : null],
  );
}

async function aPayment(status: string): Promise<number> {
  const proof = status === 'SUCCEEDED' ? [new Date(), 100, 'BDT'] : [null, null, null];
  return idOf(
    `INSERT INTO payments (order_id, transaction_id, gateway_reference, method, gateway, status, amount_minor, currency,
                           verified_at, verified_amount_minor, verified_currency)
     VALUES ($1, $2, $2, 'gw_aggregator', 'aggregator', $3, 100, 'BDT', $4, $5, $6) RETURNING id`,
    [await anOrder('PENDING'), randomUUID(), status, ...proof],
  );
}

/** Tries every move between two states. @returns those that the guard lets pass, whatever else may refuse them. */
async function movesLetPass(
  table: 'orders' | 'payments',
  machine: StateMachine<string, string>,
  create: (status: string) => Promise<number>,
): Promise<string[]> {
  const moves = machine.states.flatMap((from) =>
    machine.states.filter((to) => to !== from).map((to) => ({ from, to })),
  );
  const passed: string[] = [];
  for (const { from, to } of moves) {
    const id = await create(from);
    const refusedBy = await db.query(`UPDATE ${table} SET status = $2 WHERE id = $1`, [id, to]).then(
      () => undefined,
      (error: unknown) => violatedConstraint(error) ?? String(error),
    );
    if (refusedBy !== `${table}__transition`) passed.push(`${from} > ${to}`);
  }
  return passed.toSorted();
}

const movesOf = (machine: StateMachine<string, string>): string[] =>
  [...new Set(machine.edges.map(({ from, to }) => `${from} > ${to}`))].toSorted();

it('lets an order move in the database exactly where its states lead', async () => {
  expect(await movesLetPass('orders', orderStates, anOrder)).toEqual(movesOf(orderStates));
});

it('lets a payment move in the database exactly where its states lead', async () => {
  expect(await movesLetPass('payments', paymentStates, aPayment)).toEqual(movesOf(paymentStates));
});

it('knows the same states in the program and in the database', async () => {
  const { rows } = await db.query<{ owner: string; definition: string }>(
    `SELECT conrelid::regclass::text AS owner, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE conname IN ('orders_status_check', 'payments_status_check')`,
  );
  const listed = (table: string): string[] => {
    const definition = rows.find(({ owner }) => owner === table)?.definition ?? '';
    return [...definition.matchAll(/'([A-Z_]+)'/g)].map((match) => match[1] ?? '').toSorted();
  };
  expect(listed('orders')).toEqual([...orderStates.states].toSorted());
  expect(listed('payments')).toEqual([...paymentStates.states].toSorted());
});
