import type { Database, Tx } from './db/database.ts';
import { inTransaction } from './db/database.ts';
import type { SecretBox } from './secret-box.ts';

/** Where sealed values stand, so that they can be sealed again with a new key. Names are the program's own. */
export interface SealedTable {
  readonly table: string;
  /** The columns that name a row, numbers all, in the order of an index. */
  readonly key: readonly string[];
  readonly columns: readonly {
    readonly name: string;
    /** What the value is sealed for, by its row's key. */
    readonly contextOf: (key: readonly number[]) => string;
  }[];
}

/** Rows that are read and written together: short locks, flat memory. */
const CHUNK_ROWS = 500;

export interface ResealOptions {
  readonly table: SealedTable;
  /** After every five hundred rows. */
  readonly onProgress?: (values: number) => void;
}

/**
 * Seals every value of a table that another key sealed with the present one, while the program runs: it opens values
 * of both keys. A value that somebody changes meanwhile is left as that somebody wrote it. Running it again goes on.
 *
 * @returns how many values were sealed again.
 */
export async function resealTable(
  db: Database,
  box: SecretBox,
  { table, onProgress = () => undefined }: ResealOptions,
): Promise<number> {
  let done = 0;
  let after: readonly number[] | undefined = table.key.map(() => -1);
  while (after) {
    const rows = await readChunk(db, box, { table, after });
    for (const column of table.columns) {
      const changes = rows.flatMap((row) => changeOf(box, { table, column, row }));
      if (changes.length > 0) done += await inTransaction(db, (tx) => write(tx, { table, column, changes }));
    }
    if (rows.length > 0) onProgress(done);
    const last = rows.at(-1);
    after = last && table.key.map((name) => Number(last[name]));
  }
  return done;
}

type Row = Readonly<Record<string, unknown>>;
type Column = SealedTable['columns'][number];

/** The first bytes of a value that the present key sealed. */
const headerOf = (box: SecretBox): Buffer => {
  const id = Buffer.from(box.currentKeyId);
  return Buffer.concat([Buffer.from([id.length]), id]);
};

const isForeign = (column: string, header: string): string =>
  `(${column} IS NOT NULL AND substring(${column} FROM 1 FOR length(${header})) <> ${header})`;

async function readChunk(
  db: Database,
  box: SecretBox,
  { table, after }: { table: SealedTable; after: readonly number[] },
): Promise<Row[]> {
  const header = `$${table.key.length + 1}::bytea`;
  const keys = table.key.join(', ');
  const columns = table.columns.map(({ name }) => name);
  const given = table.key.map((_, index) => `$${index + 1}::bigint`).join(', ');
  const { rows } = await db.query<Row>(
    `SELECT ${keys}, ${columns.join(', ')} FROM ${table.table}
     WHERE (${keys}) > (${given}) AND (${columns.map((name) => isForeign(name, header)).join(' OR ')})
     ORDER BY ${keys} LIMIT ${CHUNK_ROWS}`,
    [...after, headerOf(box)],
  );
  return rows;
}

interface Change {
  readonly key: readonly number[];
  readonly from: Buffer;
  readonly to: Buffer;
}

function changeOf(
  box: SecretBox,
  { table, column, row }: { table: SealedTable; column: Column; row: Row },
): Change[] {
  const from = row[column.name];
  if (!Buffer.isBuffer(from) || box.keyIdOf(from) === box.currentKeyId) return [];
  const key = table.key.map((name) => Number(row[name]));
  const context = column.contextOf(key);
  return [{ key, from, to: box.seal(box.open(from, context), context) }];
}

async function write(
  tx: Tx,
  { table, column, changes }: { table: SealedTable; column: Column; changes: readonly Change[] },
): Promise<number> {
  const keys = table.key.map((_, index) => `$${index + 3}::bigint[]`).join(', ');
  const names = table.key.map((name) => `key_${name}`).join(', ');
  const matches = table.key.map((name) => `stored.${name} = given.key_${name}`).join(' AND ');
  const { count } = await tx.query(
    `UPDATE ${table.table} AS stored SET ${column.name} = given.later
     FROM unnest($1::bytea[], $2::bytea[], ${keys}) AS given(earlier, later, ${names})
     WHERE ${matches} AND stored.${column.name} = given.earlier`,
    [
      changes.map((change) => change.from),
      changes.map((change) => change.to),
      ...table.key.map((_, index) => changes.map((change) => change.key[index])),
    ],
  );
  return count;
}

export interface ForeignSeals {
  readonly table: string;
  readonly column: string;
  readonly values: number;
}

/** What other keys than the present one still seal, wherever it is: those keys must not be thrown away. */
export async function countForeignSeals(db: Database, box: SecretBox): Promise<ForeignSeals[]> {
  const { rows: columns } = await db.query<{ table: string; column: string }>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'bytea' AND (column_name LIKE '%\\_sealed' OR column_name = 'totp_secret')
     ORDER BY 1, 2`,
  );
  const counts: ForeignSeals[] = [];
  for (const { table, column } of columns) {
    const { rows } = await db.query<{ values: number }>(
      `SELECT count(*)::int AS values FROM "${table}" WHERE ${isForeign(`"${column}"`, '$1::bytea')}`,
      [headerOf(box)],
    );
    counts.push({ table, column, values: rows[0]?.values ?? 0 });
  }
  return counts.filter(({ values }) => values > 0);
}
