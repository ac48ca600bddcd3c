import type { TSchema } from 'typebox';

import type { RecordAudit } from '../audit.ts';
import type { Database, Reader, Tx } from '../db/database.ts';

/**
 * Uniform rows that operators look after, declared and not copied: table, fields, permission, search and filters give
 * the endpoints list, get, create, update, delete and reorder with audit, `If-Match`, reasons for a 409 and docs.
 */
export interface Resource {
  /** In the singular, for messages and the audit log: `brand`, `product type`. */
  readonly name: string;
  readonly tag: string;
  readonly table: string;
  /** Of the collection, below /admin; may name the parent: `/products/:productId/variants`. */
  readonly path: string;
  /** Of one row when it is not `path/:id`. */
  readonly itemPath?: string;
  readonly permission: { readonly read: string; readonly write: string };
  /** In the order in which they are shown. `id`, `created_at` and `updated_at` come by themselves. */
  readonly fields: Readonly<Record<string, Field>>;
  /** Columns that `search` looks in. */
  readonly search?: readonly string[];
  readonly filters?: Readonly<Record<string, Filter>>;
  /** Names of fields a list can be sorted by; the first one is how it comes unasked. Ties go by `id`. */
  readonly sorts: readonly string[];
  readonly within?: Parent;
  readonly operations: readonly Operation[];
  /**
   * Says no, by throwing, to a change that the fields one by one cannot judge; what it returns is written instead of
   * what was sent. Runs in the transaction of the change, with the row locked.
   */
  readonly check?: (tx: Tx, change: Change) => Promise<Row | undefined>;
  /** Takes away what belongs to a row before the row itself goes. */
  readonly beforeDelete?: (tx: Tx, id: number) => Promise<void>;
  /** Adds to wire rows, just before they leave, what no column of theirs holds: their `isLive` fields. */
  readonly complete?: (reader: Reader, rows: readonly Row[]) => Promise<Row[]>;
  /** Unique constraint → what a person is told; those named `<table>__<field>` explain themselves. */
  readonly conflicts?: Readonly<Record<string, string>>;
}

export type Operation = 'list' | 'get' | 'create' | 'update' | 'delete' | ReorderOperation | PartialOperation;

export interface ReorderOperation {
  readonly reorder: 'PATCH' | 'POST';
}

/** `PATCH` of some fields only, at an address of its own: `/products/:id/status`. */
export interface PartialOperation {
  readonly patch: string;
  readonly fields: readonly string[];
  readonly summary: string;
  readonly description?: string;
}

/** A row as the database or the wire has it, by field names. */
export type Row = Readonly<Record<string, unknown>>;

export interface Change {
  /** Undefined while the row is being created. */
  readonly id: number | undefined;
  readonly before: Row | undefined;
  /** What was sent, as on the wire. */
  readonly input: Row;
}

/** Rows that belong to a row of another table and are ordered among their kin only. */
export interface Parent {
  /** In the path: `productId`. */
  readonly param: string;
  /** Here: `product_id`. */
  readonly column: string;
  readonly table: string;
  readonly name: string;
}

export interface Filter {
  readonly schema: TSchema;
  /** SQL over the row `r`; `value` is the placeholder. */
  readonly where: (value: string) => string;
}

export interface Field {
  /** On the wire, as read. */
  readonly schema: TSchema;
  /** As written; `schema` when left out. */
  readonly input?: TSchema;
  readonly write: 'always' | 'onCreate' | 'never';
  readonly isRequired?: boolean;
  /** The field's own name when left out. */
  readonly column?: string;
  /** SQL over the row `r`, for what is not a column. */
  readonly select?: string;
  /** Comes from `complete` and not from this table. */
  readonly isLive?: boolean;
  /** @throws fieldError with the name it is given. */
  readonly toRow?: (value: unknown, name: string) => unknown;
  readonly toWire?: (value: unknown) => unknown;
  /** Made from the other fields when a new row does not say. */
  readonly derive?: (input: Row) => unknown;
  /** Writes what is kept in rows of other tables, instead of a column. */
  readonly link?: (tx: Tx, id: number, value: unknown) => Promise<void>;
}

export interface ResourceDeps {
  readonly db: Database;
  readonly recordAudit: RecordAudit;
  /** Told after every committed change. */
  readonly onChange: () => void;
}

/** `brand:17`, `product_type:3`: how the audit log names a row. */
export function auditName(resource: Pick<Resource, 'name'>, id: number | string): string {
  return `${resource.name.replaceAll(' ', '_')}:${id}`;
}
