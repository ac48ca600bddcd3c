import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import { createOutboundClient } from '../outbound/outbound-client.ts';
import {
  commitWith,
  inOneBatch,
  inOneStatement,
  inTransaction,
  isInTransaction,
  openDatabase,
  readTogether,
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

describe('commitWith', () => {
  it('commits what it sends, in one packet, and gives the answers', async () => {
    const count = await inOneBatch(db, async (tx) => {
      const [first] = await Promise.all([
        tx.query(`INSERT INTO notes VALUES (20, 'first')`),
        tx.query(`INSERT INTO notes VALUES (21, 'second')`),
      ]);
      return first.count;
    });
    expect(count).toBe(1);
    expect(await texts()).toEqual(expect.arrayContaining(['first', 'second']));
  });

  it('keeps nothing when one of its statements fails, and throws that one’s error', async () => {
    const before = await texts();
    const failing = inTransaction(db, async (tx) => {
      await tx.query(`INSERT INTO notes VALUES (22, 'earlier')`);
      await commitWith(tx, () =>
        Promise.all([
          tx.query(`INSERT INTO notes VALUES (23, 'beside')`),
          tx.query('SELECT 1 / 0'),
          tx.query(`INSERT INTO notes VALUES (24, 'behind')`),
        ]),
      );
    });
    await expect(failing).rejects.toSatisfy((error) => sqlStateOf(error) === '22012');
    expect(await texts()).toEqual(before);
  });

  it('keeps nothing when something fails before its statement is sent', async () => {
    const before = await texts();
    const failing = inTransaction(db, async (tx) => {
      await tx.query(`INSERT INTO notes VALUES (28, 'before')`);
      const unwritable = async (): Promise<never> => {
        await Promise.resolve();
        throw new Error('nothing to write');
      };
      await commitWith(tx, () =>
        Promise.all([tx.query(`INSERT INTO notes VALUES (29, 'with it')`), unwritable()]),
      );
    });
    await expect(failing).rejects.toThrow('nothing to write');
    expect(await texts()).toEqual(before);
  });

  it('does not tell of success when an error in it was swallowed', async () => {
    const before = await texts();
    const swallowing = inOneBatch(db, async (tx) => {
      const failed = tx.query('SELECT 1 / 0').catch(() => undefined);
      await Promise.all([failed, tx.query(`INSERT INTO notes VALUES (25, 'lost')`).catch(() => undefined)]);
    });
    await expect(swallowing).rejects.toThrow('rolled back');
    expect(await texts()).toEqual(before);
  });

  it('runs the whole transaction again after a deadlock in it', async () => {
    let runs = 0;
    await inTransaction(db, async (tx) => {
      runs += 1;
      const code = runs === 1 ? '40P01' : undefined;
      await commitWith(tx, () =>
        code === undefined
          ? tx.query(`INSERT INTO notes VALUES (26, 'once')`)
          : tx.query(`DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '${code}'; END $$`),
      );
    });
    expect(runs).toBe(2);
    expect((await texts()).filter((text) => text === 'once')).toHaveLength(1);
  });

  it('sends nothing behind the COMMIT', async () => {
    const late = inTransaction(db, async (tx) => {
      await commitWith(tx, () => tx.query('SELECT 1'));
      await tx.query(`INSERT INTO notes VALUES (27, 'too late')`);
    });
    await expect(late).rejects.toThrow('has ended');
    expect(await texts()).not.toContain('too late');
  });

  it('is for transactions, not for single statements', async () => {
    const single = inOneStatement(db, (tx) => commitWith(tx, () => tx.query('SELECT 1')));
    await expect(single).rejects.toThrow('inTransaction');
  });
});

describe('readTogether', () => {
  it('answers each read, all on one connection', async () => {
    const [first, second] = await readTogether(db, (reader) =>
      Promise.all([
        reader.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'),
        reader.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'),
      ]),
    );
    expect(first.rows).toEqual(second.rows);
  });

  it('gives nobody a connection that is being ended', async () => {
    const own = openDatabase({
      url: db.url,
      poolSize: 1,
      statementTimeoutMs: 1_000,
      lockTimeoutMs: 1_000,
      applicationName: 'test',
      onIdleError: () => undefined,
    });
    const ended = readTogether(own, (reader) =>
      Promise.all([reader.query('SELECT pg_terminate_backend(pg_backend_pid())'), reader.query('SELECT 1')]),
    );
    const waiting = own.query('SELECT 1');
    await expect(ended).rejects.toThrow('terminating connection');
    expect((await waiting).count).toBe(1);
    await own.close();
  });

  it('leaves the pool usable when one of them fails', async () => {
    const failing = readTogether(db, (reader) =>
      Promise.all([reader.query('SELECT 1 / 0'), reader.query('SELECT 1')]),
    );
    await expect(failing).rejects.toSatisfy((error) => sqlStateOf(error) === '22012');
    expect((await db.query('SELECT 1')).count).toBe(1);
  });
});
