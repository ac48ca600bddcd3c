import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { readSourceTexts } from '../../src/docs-generation/source-texts.ts';
import { findStateMachines } from '../../src/docs-generation/states-page.ts';
import type { StateMachine } from '../../src/platform/state-machine.ts';
import { createTestDatabase } from '../support/test-database.ts';
import type { TestDatabase } from '../support/test-database.ts';

const project = resolve(fileURLToPath(new URL('../../..', import.meta.url)));
type Machine = StateMachine<string, string>;

/** Where the database keeps a life cycle: the column whose CHECK lists its states, and the trigger that guards it. */
interface Place {
  readonly table: string;
  readonly states: string[];
  readonly guard: string | undefined;
}

let db: TestDatabase;
let machines: Machine[];
let places: Place[];

beforeAll(async () => {
  db = await createTestDatabase({ poolSize: 2 });
  const found = await findStateMachines(project, await readSourceTexts(project, 'server/src'));
  machines = found.map(({ machine }) => machine);
  places = await listPlaces();
});
afterAll(() => db.drop());

async function listPlaces(): Promise<Place[]> {
  const { rows } = await db.query<{ table: string; definition: string; guard: string | null }>(
    `SELECT rule.conrelid::regclass::text AS "table", pg_get_constraintdef(rule.oid) AS definition,
       (SELECT procedure.proname FROM pg_trigger JOIN pg_proc AS procedure ON procedure.oid = tgfoid
        WHERE tgrelid = rule.conrelid AND tgenabled = 'O' AND prosrc LIKE '%\\_\\_transition%') AS guard
     FROM pg_constraint AS rule WHERE rule.contype = 'c' AND rule.conname LIKE '%\\_status\\_check'`,
  );
  return rows.map(({ table, definition, guard }) => ({
    table,
    states: [...definition.matchAll(/'(\w+)'/g)].map((match) => match[1] ?? '').toSorted(),
    guard: guard ?? undefined,
  }));
}

const placesOf = (machine: Machine): Place[] =>
  places.filter(({ states }) => states.join() === machine.states.toSorted().join());

/** Tries every move on a table that has nothing but the guard. @returns those that it lets pass. */
async function movesLetPass({ table, guard }: Place, machine: Machine): Promise<string[]> {
  const alone = `guarded_${table}`;
  await db.query(`CREATE TABLE ${alone} AS SELECT * FROM ${table} WHERE false`);
  await db.query(`CREATE TRIGGER guard BEFORE UPDATE ON ${alone} FOR EACH ROW EXECUTE FUNCTION ${guard}()`);
  const passed: string[] = [];
  for (const { from, to } of movesAmong(machine.states)) {
    await db.query(`TRUNCATE ${alone}`);
    await db.query(`INSERT INTO ${alone} (status) VALUES ($1)`, [from]);
    const isRefused = await db.query(`UPDATE ${alone} SET status = $1`, [to]).then(
      () => false,
      (error: unknown) => {
        expect(error).toMatchObject({ code: '23514' });
        return true;
      },
    );
    if (!isRefused) passed.push(`${from} > ${to}`);
  }
  return passed.toSorted();
}

const movesAmong = (states: readonly string[]): { from: string; to: string }[] =>
  states.flatMap((from) => states.filter((to) => to !== from).map((to) => ({ from, to })));

const movesOf = (machine: Machine): string[] =>
  [...new Set(machine.edges.map(({ from, to }) => `${from} > ${to}`))].toSorted();

it('knows the same states in the program and in the database', () => {
  expect(machines.map(({ name }) => name)).toEqual(expect.arrayContaining(['order', 'payment']));
  for (const machine of machines) expect(placesOf(machine), machine.name).toHaveLength(1);
});

it('lets everything move in the database exactly where its states lead', async () => {
  for (const machine of machines) {
    for (const place of placesOf(machine)) {
      expect(place.guard, `${place.table} needs a trigger that guards its transitions`).toBeDefined();
      expect(await movesLetPass(place, machine), machine.name).toEqual(movesOf(machine));
    }
  }
});
