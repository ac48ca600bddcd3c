import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { inFlightStatuses, openStatuses, purchaseStates } from './purchase-states.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const definitionOf = async (sql: string): Promise<string> =>
  (await db.query<{ text: string }>(sql)).rows[0]?.text ?? '';

describe('the states of a purchase', () => {
  it('are the same in the database: its list, and the edges of its guard', async () => {
    const check = await definitionOf(
      `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint
       WHERE conrelid = 'partner_api_transactions'::regclass AND contype = 'c'
         AND pg_get_constraintdef(oid) LIKE '%LATE%' AND pg_get_constraintdef(oid) NOT LIKE '%first_sent_at%'`,
    );
    expect(new Set([...check.matchAll(/'([A-Z]+)'/g)].map((match) => match[1]))).toEqual(
      new Set(purchaseStates.states),
    );
    const guard = await definitionOf(
      `SELECT prosrc AS text FROM pg_proc WHERE proname = 'guard_partner_transaction'`,
    );
    const guarded = [...guard.matchAll(/\('([A-Z]+)', '([A-Z]+)'\)/g)].map(
      (match) => `${match[1]} ${match[2]}`,
    );
    const edges = new Set(purchaseStates.edges.map(({ from, to }) => `${from} ${to}`));
    expect(guarded.toSorted()).toEqual([...edges].toSorted());
  });

  it('that block another purchase are those of the unique index', async () => {
    const index = await definitionOf(
      `SELECT indexdef AS text FROM pg_indexes WHERE indexname = 'partner_api_transactions__one_per_unit'`,
    );
    const blocking = [...index.matchAll(/'([A-Z]+)'/g)].map((match) => match[1] ?? '');
    expect(blocking.toSorted()).toEqual([...openStatuses, 'OK'].toSorted());
    expect(openStatuses).toEqual(expect.arrayContaining([...inFlightStatuses]));
  });

  it('never leave OK or LATE', () => {
    expect(purchaseStates.edges.filter(({ from }) => from === 'OK' || from === 'LATE')).toEqual([]);
  });
});
