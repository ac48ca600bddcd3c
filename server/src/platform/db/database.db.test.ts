import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import { createOutboundClient } from '../outbound/outbound-client.ts';
import {
  inOneStatement,
  inTransaction,
  isInTransaction,
  openDatabase,
  sqlStateOf,
  violatedConstraint,
} from './database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  await db.query('CREATE TABLE notes (id int PRIMARY KEY, text text NOT NULL CONSTRAINT notes__text UNIQUE)');
});
afterAll(() => db.drop());

const texts = async (): Promise<string[]> =>
  (await db.query<{ text: string }>('SELECT text FROM notes ORDER BY id')).rows.map((row) => row.text);

describe('inTransaction', () => {
  it('keeps everything when the work returns and nothing when it throws', async () => {
    await inTransaction(db, async (tx) => {
      await tx.query(`INSERT INTO notes VALUES (1, 'kept')`);
    });
    const failing = inTransaction(db, async (tx) => {
      await tx.query(`INSERT INTO notes VALUES (2, 'lost')`);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await texts()).toEqual(['kept']);
  });

  it('does not tell of success when an error was swallowed and nothing is kept', async () => {
    const before = await texts();
    const swallowing = inTransaction(db, async (tx) => {
      await tx.query(`INSERT INTO notes VALUES (90, 'written')`);
      await tx.query('SELECT 1 / 0').catch(() => undefined);
    });
    await expect(swallowing).rejects.toThrow('rolled back');
    expect(await texts()).toEqual(before);
  });

  it('runs the whole work again after a deadlock, and only then', async () => {
    let runs = 0;
    const value = await inTransaction(db, async () => {
      runs += 1;
      if (runs === 1) throw Object.assign(new Error('deadlock'), { code: '40P01' });
      return 'done';
    });
    expect([value, runs]).toEqual(['done', 2]);

    let others = 0;
    const other = inTransaction(db, async (tx) => {
      others += 1;
      await tx.query('SELECT 1 / 0');
    });
    await expect(other).rejects.toSatisfy((error) => sqlStateOf(error) === '22012');
    expect(others).toBe(1);
  });

  it('gives up after three tries', async () => {
    let runs = 0;
    const hopeless = inTransaction(db, async () => {
      runs += 1;
      throw Object.assign(new Error('serialisation'), { code: '40001' });
    });
    await expect(hopeless).rejects.toThrow('serialisation');
    expect(runs).toBe(3);
  });

  it('refuses a second transaction inside the first', async () => {
    await expect(inTransaction(db, () => inTransaction(db, async () => 1))).rejects.toThrow('already open');
  });

  it('names the constraint that refused a write', async () => {
    const twice = inTransaction(db, (tx) => tx.query(`INSERT INTO notes VALUES (9, 'kept')`));
    await expect(twice).rejects.toSatisfy((error) => violatedConstraint(error) === 'notes__text');
  });

  it('lets nobody call the network while it is open', async () => {
    const outbound = createOutboundClient({ connections: 1 });
    const calling = inTransaction(db, () =>
      outbound.send({ method: 'GET', url: 'http://127.0.0.1:9/', timeoutMs: 100 }),
    );
    await expect(calling).rejects.toThrow('No network inside a transaction');
    expect(isInTransaction()).toBe(false);
    await outbound.close();
  });
});

describe('inOneStatement', () => {
  it('allows one statement and refuses the second', async () => {
    const two = inOneStatement(db, async (tx) => {
      await tx.query(`INSERT INTO notes VALUES (3, 'one')`);
      await tx.query(`INSERT INTO notes VALUES (4, 'two')`);
    });
    await expect(two).rejects.toThrow('one statement');
    expect(await texts()).toEqual(['kept', 'one']);
  });

  it('marks no connection for good: what a later notification starts is in no transaction', async () => {
    const fresh = openDatabase({
      url: db.url,
      poolSize: 1,
      statementTimeoutMs: 1_000,
      lockTimeoutMs: 1_000,
      applicationName: 'test',
      onIdleError: () => undefined,
    });
    await inOneStatement(fresh, (tx) => tx.query('SELECT 1'));
    const listener = await fresh.pool.connect();
    await listener.query('LISTEN anything');
    const heard = new Promise<boolean>((resolve) => {
      listener.once('notification', () => resolve(isInTransaction()));
    });
    await db.query(`NOTIFY anything`);
    expect(await heard).toBe(false);
    listener.release();
    await fresh.close();
  });
});
