import { Type } from 'typebox';
import type { TObject, TSchema } from 'typebox';

import { entityTagOf } from '../http/kept-answers.ts';
import type { Field, Resource, Row } from './resource.ts';
import { momentToWire } from './fields.ts';

const timestamps = { created_at: Type.String(), updated_at: Type.String() };

/** One row as it is answered. */
export function rowSchema(resource: Resource): TObject {
  const fields = fieldsOf(resource).map(([name, field]) => [name, field.schema] as const);
  return Type.Object({ id: Type.Integer(), ...Object.fromEntries(fields), ...timestamps });
}

/** What a new row brings: required ones must be there. */
export function createSchema(resource: Resource): TObject {
  return Type.Object(
    inputsOf(
      resource,
      ({ write }) => write !== 'never',
      ({ isRequired }) => isRequired === true,
    ),
  );
}

/** What a change may bring: whatever is left out stays as it is. */
export function updateSchema(resource: Resource): TObject {
  return Type.Object(
    inputsOf(
      resource,
      ({ write }) => write === 'always',
      () => false,
    ),
  );
}

/** At least one of these fields. */
export function partialSchema(resource: Resource, names: readonly string[]): TObject {
  const { properties } = updateSchema(resource);
  const taken = names.map((name) => [name, properties[name] ?? Type.Unknown()] as const);
  return Type.Object(Object.fromEntries(taken), { minProperties: 1 });
}

function inputsOf(
  resource: Resource,
  isTaken: (field: Field) => boolean,
  isRequired: (field: Field) => boolean,
): Record<string, TSchema> {
  const taken = fieldsOf(resource).filter(([, field]) => isTaken(field));
  return Object.fromEntries(
    taken.map(([name, field]) => {
      const schema = field.input ?? field.schema;
      return [name, isRequired(field) ? schema : Type.Optional(schema)];
    }),
  );
}

/** @param row as selected: one property for each field, dates as dates. */
export function rowToWire(resource: Resource, row: Row): Row {
  const fields = fieldsOf(resource).map(([name, { toWire }]) => [
    name,
    toWire ? toWire(row[name]) : row[name],
  ]);
  return {
    id: row['id'],
    ...Object.fromEntries(fields),
    created_at: momentToWire(row['created_at']),
    updated_at: momentToWire(row['updated_at']),
  };
}

/** The columns that a wire input sets, with the values they get. Links are not among them. */
export function columnsOf(resource: Resource, input: Row): Map<string, unknown> {
  const columns = new Map<string, unknown>();
  for (const [name, field] of fieldsOf(resource)) {
    const value = input[name];
    if (value === undefined || field.write === 'never' || field.link) continue;
    columns.set(field.column ?? name, field.toRow ? field.toRow(value, name) : value);
  }
  return columns;
}

/** The input with what a new row derives from it. */
export function withDerived(resource: Resource, input: Row): Row {
  const derived = fieldsOf(resource).filter(([name, { derive }]) => derive && input[name] === undefined);
  return { ...input, ...Object.fromEntries(derived.map(([name, field]) => [name, field.derive?.(input)])) };
}

/**
 * Differs when somebody has written the row in between; `If-Match` takes it. What is only read here belongs to other
 * rows, and their changes are no reason to refuse one of this row.
 */
export function rowEntityTag(resource: Resource, wire: Row): string {
  const written = fieldsOf(resource).filter(([, { write }]) => write === 'always');
  return entityTagOf(
    JSON.stringify([wire['id'], wire['updated_at'], ...written.map(([name]) => wire[name])]),
  );
}

export function fieldsOf(resource: Resource): [string, Field][] {
  return Object.entries(resource.fields);
}
