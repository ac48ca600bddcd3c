import { auditActor } from '../audit.ts';
import { inTransaction } from '../db/database.ts';
import type { Tx } from '../db/database.ts';
import type { AdminCaller } from '../http/endpoint.ts';
import { isSameEntity } from '../http/kept-answers.ts';
import { auditName } from './resource.ts';
import type { Resource, ResourceDeps, Row } from './resource.ts';
import { deleteRow, findRow, insertRow, lockParent, noteAdmin, updateRow } from './resource-store.ts';
import type { RowAddress } from './resource-store.ts';
import { columnsOf, fieldsOf, rowEntityTag, rowToWire, withDerived } from './row-wire.ts';
import { notFound, staleRow, translateWriteError } from './write-errors.ts';

/** Who writes, and from where. */
export interface Writer {
  readonly caller: AdminCaller;
  readonly request: {
    readonly ip: string;
    readonly id: string;
    readonly headers: {
      readonly 'if-match'?: string | undefined;
      readonly 'user-agent'?: string | undefined;
    };
  };
}

export interface NewRow {
  readonly writer: Writer;
  readonly parentId: number | undefined;
  readonly input: Row;
}

export interface RowChange {
  readonly writer: Writer;
  readonly at: RowAddress;
  /** Wire fields, or how they follow from the row as it stands. Those left out stay. */
  readonly input: Row | ((before: Row) => Row);
}

/** @throws VALIDATION_ERROR, NOT_FOUND (the parent), CONFLICT (a value is taken). @returns the row on the wire. */
export function createRow(deps: ResourceDeps, resource: Resource, write: NewRow): Promise<Row> {
  return writing({ deps, resource }, createRowIn(deps, resource, write));
}

/** @throws VALIDATION_ERROR, NOT_FOUND, CONFLICT (a value is taken, `If-Match` is old). @returns the row on the wire. */
export function changeRow(deps: ResourceDeps, resource: Resource, write: RowChange): Promise<Row> {
  return writing({ deps, resource }, changeRowIn(deps, resource, write));
}

/** `createRow` as a part of a larger transaction, whose errors are still the database's own. */
export function createRowIn(
  deps: Pick<ResourceDeps, 'recordAudit'>,
  resource: Resource,
  { writer, parentId, input: sent }: NewRow,
): (tx: Tx) => Promise<Row> {
  const given = withDerived(resource, sent);
  return async (tx) => {
    await noteAdmin(tx, writer.caller.adminId);
    const { within } = resource;
    if (within && (await lockParent(tx, within.table, parentId ?? 0)) === 0) throw notFound(within.name);
    const change = { id: undefined, before: undefined, input: given };
    const input = (await resource.check?.(tx, change)) ?? given;
    const columns = columnsOf(resource, input);
    if (within) columns.set(within.column, parentId);
    const id = await insertRow(tx, resource, columns);
    await writeLinks(tx, resource, { id, input });
    const after = await readWire(tx, resource, { id });
    await deps.recordAudit(tx, {
      ...auditActor(writer),
      action: `${resource.table}:create`,
      resource: auditName(resource, id),
      after,
    });
    return after;
  };
}

/** `changeRow` as a part of a larger transaction, whose errors are still the database's own. */
export function changeRowIn(
  deps: Pick<ResourceDeps, 'recordAudit'>,
  resource: Resource,
  { writer, at, input: sent }: RowChange,
): (tx: Tx) => Promise<Row> {
  return async (tx) => {
    await noteAdmin(tx, writer.caller.adminId);
    const before = await lockCurrent(tx, resource, { at, writer, lock: 'change' });
    const given = typeof sent === 'function' ? sent(before) : sent;
    const input = (await resource.check?.(tx, { id: at.id, before, input: given })) ?? given;
    await updateRow(tx, resource, { id: at.id, columns: columnsOf(resource, input) });
    await writeLinks(tx, resource, { id: at.id, input });
    const after = await readWire(tx, resource, at);
    const touched = (row: Row): Row =>
      Object.fromEntries(Object.keys(input).map((name) => [name, row[name]]));
    await deps.recordAudit(tx, {
      ...auditActor(writer),
      action: `${resource.table}:update`,
      resource: auditName(resource, at.id),
      before: touched(before),
      after: touched(after),
    });
    return after;
  };
}

/** @throws NOT_FOUND, CONFLICT (still used, `If-Match` is old). */
export function removeRow(
  deps: ResourceDeps,
  resource: Resource,
  write: { readonly writer: Writer; readonly at: RowAddress },
): Promise<void> {
  const { writer, at } = write;
  return writing({ deps, resource, isDelete: true }, async (tx) => {
    const before = await lockCurrent(tx, resource, { at, writer, lock: 'delete' });
    await resource.beforeDelete?.(tx, at.id);
    await deleteRow(tx, resource, at.id);
    await deps.recordAudit(tx, {
      ...auditActor(writer),
      action: `${resource.table}:delete`,
      resource: auditName(resource, at.id),
      before,
    });
  });
}

interface Write {
  readonly deps: ResourceDeps;
  readonly resource: Resource;
  /** Decides what a violated foreign key means. */
  readonly isDelete?: boolean;
}

async function writing<Value>(
  { deps, resource, isDelete = false }: Write,
  work: (tx: Tx) => Promise<Value>,
): Promise<Value> {
  try {
    const value = await inTransaction(deps.db, work);
    deps.onChange();
    return value;
  } catch (error) {
    throw translateWriteError(error, resource, isDelete);
  }
}

async function lockCurrent(
  tx: Tx,
  resource: Resource,
  of: { readonly at: RowAddress; readonly writer: Writer; readonly lock: 'change' | 'delete' },
): Promise<Row> {
  const row = await findRow(tx, resource, { ...of.at, lock: of.lock });
  if (!row) throw notFound(resource.name);
  const wire = rowToWire(resource, row);
  const wanted = of.writer.request.headers['if-match'];
  if (wanted !== undefined && !isSameEntity(wanted, rowEntityTag(resource, wire))) throw staleRow(resource);
  return wire;
}

async function writeLinks(
  tx: Tx,
  resource: Resource,
  { id, input }: { readonly id: number; readonly input: Row },
): Promise<void> {
  for (const [name, { link }] of fieldsOf(resource)) {
    if (link && input[name] !== undefined) await link(tx, id, input[name]);
  }
}

async function readWire(tx: Tx, resource: Resource, at: RowAddress): Promise<Row> {
  const row = await findRow(tx, resource, at);
  if (!row) throw new Error(`${resource.name} ${at.id} was written and is not there`);
  return rowToWire(resource, row);
}
