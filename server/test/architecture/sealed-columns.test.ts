import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { allSeals } from '../../src/commands/vault-seals.ts';
import { createTestDatabase } from '../support/test-database.ts';
import type { TestDatabase } from '../support/test-database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase({ poolSize: 2 });
});
afterAll(() => db.drop());

const listed = (): string[] =>
  allSeals.flatMap(({ table, columns }) => columns.map(({ name }) => `${table}.${name}`));

/** What a column says of itself: sealed values are bytes, and their names end so. */
async function sealedColumns(): Promise<string[]> {
  const { rows } = await db.query<{ column: string }>(
    `SELECT table_name || '.' || column_name AS "column" FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'bytea' AND column_name LIKE '%\\_sealed' ORDER BY 1`,
  );
  return rows.map(({ column }) => column);
}

describe('sealed columns', () => {
  it('are all sealed anew when keys are rotated', async () => {
    const columns = await sealedColumns();
    expect(columns.length).toBeGreaterThan(10);
    expect(columns.filter((column) => !listed().includes(column))).toEqual([]);
  });

  it('would be missed: a table that nobody lists is told of', async () => {
    await db.query('CREATE TABLE planted (id bigint PRIMARY KEY, note_sealed bytea)');
    try {
      expect((await sealedColumns()).filter((column) => !listed().includes(column))).toEqual([
        'planted.note_sealed',
      ]);
    } finally {
      await db.query('DROP TABLE planted');
    }
  });

  it.each(allSeals)(
    'of $table are in the schema, and their rows are named by its primary key',
    async ({ table, columns, key }) => {
      const { rows } = await db.query<{ column: string; type: string; in_key: boolean }>(
        `SELECT attribute.attname AS "column", format_type(attribute.atttypid, NULL) AS type,
         attribute.attnum = ANY (rule.conkey) AS in_key
       FROM pg_attribute AS attribute
       JOIN pg_constraint AS rule ON rule.conrelid = attribute.attrelid AND rule.contype = 'p'
       WHERE attribute.attrelid = to_regclass($1) AND attribute.attnum > 0 AND NOT attribute.attisdropped`,
        [table],
      );
      const typeOf = new Map(rows.map((row) => [row.column, row.type]));
      expect(columns.map(({ name }) => typeOf.get(name))).toEqual(columns.map(() => 'bytea'));
      const named = key.map((column) => (typeof column === 'string' ? column : column.text));
      expect(
        rows
          .filter(({ in_key: isKey }) => isKey)
          .map(({ column }) => column)
          .toSorted(),
      ).toEqual(named.toSorted());
      for (const column of key)
        if (typeof column === 'string') expect(typeOf.get(column)).toMatch(/^(bigint|integer)$/);
        else expect(typeOf.get(column.text)).toBe('text');
    },
  );
});
