import type { Database, Tx } from './db/database.ts';
import { inTransaction } from './db/database.ts';
import type { SecretBox } from './secret-box.ts';

/** Where sealed values stand, so that they can be sealed again with a new key. Names are the program's own. */
export interface SealedTable {
  readonly table: string;
  /** The columns that name a row, numbers unless they are said to be text, in the order of an index. */
  readonly key: readonly (string | { readonly text: string })[];
  readonly columns: readonly {
    readonly name: string;
    /** What the value is sealed for, by its row's key. */
    readonly contextOf: (key: readonly KeyValue[]) => string;
  }[];
  /** Of values that are long, fewer than five hundred are read at once. */
  readonly rowsAtOnce?: number;
}

export type KeyValue = number | string;

/** Rows that are read and written together: short locks, flat memory. */
const CHUNK_ROWS = 500;

export interface ResealOptions {
  readonly table: SealedTable;
  /** After every five hundred rows, or as many as the table says. */
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
  const keyColumns = keyColumnsOf(table);
  let after: readonly KeyValue[] | undefined = keyColumns.map(({ isText }) => (isText ? '' : -1));
  while (after) {
    const rows = await readChunk(db, box, { table, after });
    for (const column of table.columns) {
      const changes = rows.flatMap((row) => changeOf(box, { table, column, row }));
      if (changes.length > 0) done += await inTransaction(db, (tx) => write(tx, { table, column, changes }));
    }
    if (rows.length > 0) onProgress(done);
    const last = rows.at(-1);
    after = last && keyOf(keyColumns, last);
  }
  return done;
}

interface KeyColumn {
  readonly name: string;
  readonly isText: boolean;
}

const keyColumnsOf = (table: SealedTable): KeyColumn[] =>
  table.key.map((column) =>
    typeof column === 'string' ? { name: column, isText: false } : { name: column.text, isText: true },
  );

const keyOf = (columns: readonly KeyColumn[], row: Row): KeyValue[] =>
  columns.map(({ name, isText }) => (isText ? (row[name] as string) : Number(row[name])));

const typeOf = ({ isText }: KeyColumn): string => (isText ? 'text' : 'bigint');

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
  { table, after }: { table: SealedTable; after: readonly KeyValue[] },
): Promise<Row[]> {
  const header = `$${table.key.length + 1}::bytea`;
  const keyColumns = keyColumnsOf(table);
  const keys = keyColumns.map(({ name }) => name).join(', ');
  const columns = table.columns.map(({ name }) => name);
  const given = keyColumns.map((column, index) => `$${index + 1}::${typeOf(column)}`).join(', ');
  const { rows } = await db.query<Row>(
    `SELECT ${keys}, ${columns.join(', ')} FROM ${table.table}
     WHERE (${keys}) > (${given}) AND (${columns.map((name) => isForeign(name, header)).join(' OR ')})
     ORDER BY ${keys} LIMIT ${table.rowsAtOnce ?? CHUNK_ROWS}`,
    [...after, headerOf(box)],
  );
  return rows;
}

interface Change {
  readonly key: readonly KeyValue[];
  readonly from: Buffer;
  readonly to: Buffer;
}

function changeOf(
  box: SecretBox,
  { table, column, row }: { table: SealedTable; column: Column; row: Row },
): Change[] {
  const from = row[column.name];
  if (!Buffer.isBuffer(from) || box.keyIdOf(from) === box.currentKeyId) return [];
  const key = keyOf(keyColumnsOf(table), row);
  const context = column.contextOf(key);
  return [{ key, from, to: box.seal(box.open(from, context), context) }];
}

async function write(
  tx: Tx,
  { table, column, changes }: { table: SealedTable; column: Column; changes: readonly Change[] },
): Promise<number> {
  const keyColumns = keyColumnsOf(table);
  const keys = keyColumns.map((key, index) => `$${index + 3}::${typeOf(key)}[]`).join(', ');
  const names = keyColumns.map(({ name }) => `key_${name}`).join(', ');
  const matches = keyColumns.map(({ name }) => `stored.${name} = given.key_${name}`).join(' AND ');
  const { count } = await tx.query(
    `UPDATE ${table.table} AS stored SET ${column.name} = given.later
     FROM unnest($1::bytea[], $2::bytea[], ${keys}) AS given(earlier, later, ${names})
     WHERE ${matches} AND stored.${column.name} = given.earlier`,
    [
      changes.map((change) => change.from),
      changes.map((change) => change.to),
      ...keyColumns.map((_, index) => changes.map((change) => change.key[index])),
    ],
  );
  return count;
}

export interface ForeignSeals {
  readonly table: string;
  readonly column: string;
  readonly values: number;
}

/**
 * What other keys than the present one still seal, in these tables and wherever else a column says that it is sealed:
 * those keys must not be thrown away.
 */
export async function countForeignSeals(
  db: Database,
  box: SecretBox,
  tables: readonly SealedTable[],
): Promise<ForeignSeals[]> {
  const known = tables.flatMap(({ table, columns }) => columns.map(({ name }) => `${table}.${name}`));
  const { rows: columns } = await db.query<{ table: string; column: string }>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'bytea'
       AND (column_name LIKE '%\\_sealed' OR table_name || '.' || column_name = ANY ($1))
     ORDER BY 1, 2`,
    [known],
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
