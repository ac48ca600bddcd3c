import { Type } from 'typebox';
import type { TSchema } from 'typebox';

import { fieldError } from '../errors.ts';
import { parseMinor, toWireAmount } from '../money.ts';
import type { Field, Filter } from './resource.ts';

/** How a field behaves, besides what its kind says. */
type More = Partial<Omit<Field, 'schema'>>;

const INT32_MAX = 2_147_483_647;
const isText = (value: unknown): value is string => typeof value === 'string';
const trimmed = (value: unknown): unknown => (isText(value) ? value.trim().normalize('NFC') : value);
const emptyIsNull = (value: unknown): unknown => trimmed(value) || null;

// One schema with two types and not a union of two: a wrong value gets one message and not three.
const nullable = (schema: { type: string } & Record<string, unknown>): TSchema =>
  Type.Unsafe({ ...schema, type: [schema.type, 'null'] });

/** Text that is always there. */
export function text(
  limits: { max: number; pattern?: string; description?: string },
  more: More = {},
): Field {
  const { max, pattern = '\\S', description } = limits;
  return {
    schema: Type.String(description === undefined ? {} : { description }),
    input: Type.String({
      minLength: 1,
      maxLength: max,
      pattern,
      ...(description === undefined ? {} : { description }),
    }),
    write: 'always',
    isRequired: true,
    toRow: trimmed,
    ...more,
  };
}

/** Text that may be missing; empty is the same as null. */
export function optionalText(max: number, more: More = {}): Field {
  return {
    schema: nullable({ type: 'string' }),
    input: nullable({ type: 'string', maxLength: max }),
    write: 'always',
    toRow: emptyIsNull,
    ...more,
  };
}

/** The name in addresses. Made from `from` when a new row brings none. */
export function slug(from: string): Field {
  const description = 'The name in addresses; made from the name when left out.';
  return {
    ...text({ max: 120, pattern: '^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$', description }),
    isRequired: false,
    derive: (input) => slugOf(input[from] as string),
  };
}

/** @throws when nothing is left of the text: Bangla letters have no place in an address. */
function slugOf(name: string): string {
  const made = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
    .replaceAll(' ', '-')
    .slice(0, 120)
    .replace(/-$/, '');
  if (made === '') throw fieldError('slug', 'slug is required where the name has no Latin letter');
  return made;
}

/** An address of a page or a picture: http, https, or a path on our own host. */
export function optionalUrl(): Field {
  return {
    ...optionalText(2_000),
    toRow: (value, name) => {
      const url = emptyIsNull(value);
      if (!isText(url)) return null;
      // A browser reads `//host` and `/\host` as another host.
      const isPath = /^\/(?![/\\])[^\s\\]*$/.test(url);
      if (isPath || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) return url;
      throw fieldError(name, `${name} must be an http or https address, or a path that begins with /`);
    },
  };
}

export function flag(): Field {
  return { schema: Type.Boolean(), write: 'always' };
}

/** Where a row stands among its kin (interface part 2, "Ordering field"). */
export function sortOrder(): Field {
  return integer({ min: -INT32_MAX, max: INT32_MAX });
}

export function integer(limits: { min: number; max: number }, more: More = {}): Field {
  return {
    schema: Type.Integer(),
    input: Type.Integer({ minimum: limits.min, maximum: limits.max }),
    write: 'always',
    ...more,
  };
}

export function choice(values: readonly string[], more: More = {}): Field {
  return { schema: Type.Enum([...values]), write: 'always', ...more };
}

const idSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;

/** The id of a row of another table; one that is not there is a 400 about this field. */
export function reference(more: More = {}): Field {
  return { schema: Type.Integer(), input: Type.Unsafe(idSchema), write: 'always', isRequired: true, ...more };
}

export function optionalReference(): Field {
  return { schema: nullable({ type: 'integer' }), input: nullable(idSchema), write: 'always' };
}

const MOST_BDT = 1_000_000_000;

/** An amount of BDT on the wire, minor units in the column. */
export function amount(more: More = {}): Field {
  return {
    schema: Type.Number(),
    input: Type.Number({ minimum: 0, maximum: MOST_BDT, description: 'BDT, at most two decimals' }),
    write: 'always',
    isRequired: true,
    toRow: toMinor,
    toWire: (value) => toWireAmount(value as number),
    ...more,
  };
}

export function optionalAmount(more: More = {}): Field {
  return {
    ...amount(more),
    schema: nullable({ type: 'number' }),
    input: nullable({ type: 'number', minimum: 0, maximum: MOST_BDT, description: 'BDT' }),
    isRequired: false,
    toRow: (value, name) => (value === null ? null : toMinor(value, name)),
    toWire: (value) => (value === null ? null : toWireAmount(value as number)),
  };
}

export function toMinor(value: unknown, name: string): number {
  const minor = parseMinor(value as number);
  if (minor === undefined) throw fieldError(name, `${name} must have at most two decimals`);
  return minor;
}

/** A moment or none. */
export function optionalMoment(more: More = {}): Field {
  const schema = nullable({ type: 'string', format: 'date-time' });
  return {
    schema,
    write: 'always',
    toRow: (value, name) => (value === null ? null : toMoment(value, name)),
    toWire: momentToWire,
    ...more,
  };
}

/** @throws for what the format allows and no calendar has: a 60th second, the year 0. */
export function toMoment(value: unknown, name: string): Date {
  const at = new Date(value as string);
  const year = at.getUTCFullYear();
  if (!(year >= 1970 && year <= 9999)) throw fieldError(name, `${name} must be a moment from 1970 to 9999`);
  return at;
}

export function momentToWire(value: unknown): string | null {
  return value instanceof Date ? value.toISOString() : null;
}

/** Something made by the database or by `complete`, never written. */
export function readOnly(schema: TSchema, more: More = {}): Field {
  return { schema, write: 'never', ...more };
}

/** `?<column>=` keeps the rows that have exactly this value. */
export function equals(column: string, schema: TSchema): Filter {
  return { schema, where: (value) => `r.${column} = ${value}` };
}

export const byFlag = (column: string): Filter => equals(column, Type.Boolean());
export const byReference = (column: string): Filter => equals(column, Type.Unsafe(idSchema));
