import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';

import pg from 'pg';

/**
 * A statement with a name: PostgreSQL parses and plans it once per connection. Stores keep theirs as constants.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export function statement(name: string, text: string): Statement {
  return { name, text };
}

export interface Result<Row> {
  readonly rows: Row[];
  /** Rows written or returned: a guarded write decides by this, never by a read before it. */
  readonly count: number;
}

/** Can read. Stores take it for queries that need no lock. */
export interface Reader {
  query<Row>(query: Statement | string, values?: readonly unknown[]): Promise<Result<Row>>;
}

declare const insideTransaction: unique symbol;

/**
 * Proof of an open transaction. Only `inTransaction` and `inOneStatement` make one, so a function that locks,
 * enqueues or records an event cannot be called outside a transaction: it does not compile.
 */
export interface Tx extends Reader {
  readonly [insideTransaction]: true;
}

export interface Database extends Reader {
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly applicationName: string;
  readonly onIdleError: (error: Error) => void;
}

// int8 (ids, minor units) and numeric arrive as text by default. Both stay below 2^53 by CHECKs on the amounts.
const INT8 = 20;
const parsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** Opens the pool. Connections are made on demand; an unreachable database shows at the first query. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    types: parsers,
    application_name: options.applicationName,
    connectionTimeoutMillis: 2_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: 10_000,
    // BEGIN travels with the first statement and independent statements travel together.
    pipeline: true,
  });
  pool.on('error', options.onIdleError);
  // A connection that breaks while it is checked out fails its query; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', options.onIdleError));
  return { pool, query: (query, values) => run(pool, query, values), close: () => pool.end() };
}

async function run<Row>(
  target: pg.Pool | pg.ClientBase,
  query: Statement | string,
  values: readonly unknown[] = [],
): Promise<Result<Row>> {
  const result =
    typeof query === 'string'
      ? await target.query({ text: query, values: [...values] })
      : await target.query({ name: query.name, text: query.text, values: [...values] });
  return { rows: result.rows as Row[], count: result.rowCount ?? 0 };
}

const openTransaction = new AsyncLocalStorage<true>();

/** True inside a transaction. The outbound client refuses to call anybody then: a lock must not wait on a network. */
export function isInTransaction(): boolean {
  return openTransaction.getStore() === true;
}

const RETRYABLE = new Set(['40001', '40P01']);
const ATTEMPTS = 3;

/**
 * Runs `work` in one READ COMMITTED transaction; commits when it returns, rolls back when it throws.
 * The whole function runs again, at most three times, after a deadlock or serialisation failure and nothing else,
 * so it must have no effect outside the transaction.
 */
export async function inTransaction<Value>(db: Database, work: (tx: Tx) => Promise<Value>): Promise<Value> {
  if (isInTransaction())
    throw new Error('A transaction is already open: pass its Tx instead of opening another');
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptTransaction(db, work);
    } catch (error) {
      if (attempt >= ATTEMPTS || !RETRYABLE.has(sqlStateOf(error))) throw error;
    }
  }
}

async function attemptTransaction<Value>(db: Database, work: (tx: Tx) => Promise<Value>): Promise<Value> {
  const client = await db.pool.connect();
  let broken: Error | undefined;
  let committed: Promise<void> | undefined;
  let isOver = false;
  const commit = (sent?: Promise<unknown>): Promise<void> => {
    isOver = true;
    committed ??= sent ? sendCommitBehind(client, sent) : sendCommit(client);
    return committed;
  };
  try {
    sendTogether(client);
    const begun = client.query('BEGIN');
    // Awaited below through the first statement: both leave in one packet. A failure to begin fails that one too.
    begun.catch(() => undefined);
    const tx = {
      query: (query: Statement | string, values?: readonly unknown[]) => {
        // A branch that outlives its transaction must not write into whatever the connection does next.
        if (isOver) throw new Error('This transaction has ended');
        sendTogether(client);
        return run(client, query, values);
      },
    } as Tx;
    commits.set(tx, commit);
    const value = await openTransaction.run(true, () => work(tx));
    await begun;
    await commit();
    return value;
  } catch (error) {
    isOver = true;
    broken = await rollBack(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

async function sendCommit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT');
  // After a swallowed error PostgreSQL answers COMMIT with ROLLBACK: nothing was written, whatever `work` believes.
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back: an error in it was swallowed');
}

/**
 * In the packet of what was sent in this turn. What fails before it reaches the connection is no error that PostgreSQL
 * knows of; that comes out before the turn ends, and the COMMIT stays here then.
 */
function sendCommitBehind(client: pg.PoolClient, sent: Promise<unknown>): Promise<void> {
  const stream = streamOf(client);
  stream.cork();
  return new Promise((resolve, reject) => {
    let hasFailed = false;
    sent.catch((error: unknown) => {
      hasFailed = true;
      reject(error);
    });
    process.nextTick(() => {
      if (!hasFailed) resolve(sendCommit(client));
      stream.uncork();
    });
  });
}

const commits = new WeakMap<Tx, (sent: Promise<unknown>) => Promise<void>>();

/**
 * The last statements of a transaction, with the COMMIT behind them in the same packet: one wait instead of two. Only
 * for statements whose answers decide nothing, since the COMMIT does not wait for them. One that fails takes
 * everything with it: PostgreSQL answers the COMMIT with a rollback, and the statement's error is thrown. So does whatever
 * else `send` throws before it waits for an answer.
 *
 * @param send must have sent all of them when it returns its promise; one that comes later throws.
 */
export async function commitWith<Value>(tx: Tx, send: () => Promise<Value>): Promise<Value> {
  const commit = commits.get(tx);
  if (!commit) throw new Error('commitWith needs the Tx of inTransaction');
  const sent = send();
  const committed = commit(sent);
  // The statement's own error tells more than the rollback that follows from it.
  committed.catch(() => undefined);
  const value = await sent;
  await committed;
  return value;
}

/** A transaction of statements whose answers decide nothing: all of it in one packet, in the order they are sent. */
export function inOneBatch<Value>(db: Database, send: (tx: Tx) => Promise<Value>): Promise<Value> {
  return inTransaction(db, (tx) => commitWith(tx, () => send(tx)));
}

/** Reads that do not need each other's answers, on one connection and in one packet: one wait, one connection. */
export async function readTogether<Value>(
  db: Database,
  send: (reader: Reader) => Promise<Value>,
): Promise<Value> {
  const client = await db.pool.connect();
  let failure: Error | undefined;
  try {
    return await send({
      query: (query, values) => {
        sendTogether(client);
        return run(client, query, values);
      },
    });
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    // After a failure it is closed, as the pool does with its own: it may be one that PostgreSQL is just ending.
    client.release(failure);
  }
}

/** What is asked of a connection in one turn leaves in one write instead of one for each statement. */
function sendTogether(client: pg.PoolClient): void {
  const stream = streamOf(client);
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

function streamOf(client: pg.PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/**
 * A transaction of exactly one statement: PostgreSQL opens and commits it by itself, which saves two round trips.
 * A second query through the same Tx throws.
 */
export function inOneStatement<Value>(db: Database, work: (tx: Tx) => Promise<Value>): Promise<Value> {
  let used = false;
  const tx = {
    query: (query: Statement | string, values?: readonly unknown[]) => {
      if (used) throw new Error('inOneStatement allows one statement: use inTransaction');
      used = true;
      // A connection opened here would remember the mark and give it to everything its notifications start, jobs too.
      return openTransaction.exit(() => db.query(query, values));
    },
  } as Tx;
  return openTransaction.run(true, () => work(tx));
}

/** The five-character SQLSTATE of a database error, or an empty string. */
export function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** A row that others name could not go, or one was named that is not there. PostgreSQL 18 has a code of its own for RESTRICT. */
export function isForeignKeyViolation(error: unknown): boolean {
  return ['23503', '23001'].includes(sqlStateOf(error));
}

/** The name of the constraint that refused a write, or undefined: modules turn it into their own error. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('constraint' in error)) return undefined;
  return typeof error.constraint === 'string' ? error.constraint : undefined;
}
