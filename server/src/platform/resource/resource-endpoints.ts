import { Type } from 'typebox';
import type { TObject, TSchema } from 'typebox';

import { answer, endpoint } from '../http/endpoint.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../http/envelope.ts';
import type { Operation, PartialOperation, Resource, ResourceDeps, Row } from './resource.ts';
import { countParents, findRow, listRows } from './resource-store.ts';
import type { RowAddress } from './resource-store.ts';
import { reorderedSchema, reorderRows, reorderSchema } from './reorder.ts';
import { createSchema, partialSchema, rowEntityTag, rowSchema, rowToWire, updateSchema } from './row-wire.ts';
import { notFound } from './write-errors.ts';
import { changeRow, createRow, removeRow } from './write-row.ts';

/** The operations that the resource declares, in that order. */
export function resourceEndpoints(resource: Resource, deps: ResourceDeps): Endpoint[] {
  return resource.operations.map((operation) => makeEndpoint(operation, resource, deps));
}

function makeEndpoint(operation: Operation, resource: Resource, deps: ResourceDeps): Endpoint {
  switch (operation) {
    case 'list':
      return listEndpoint(resource, deps);
    case 'get':
      return getEndpoint(resource, deps);
    case 'create':
      return createEndpoint(resource, deps);
    case 'update':
      return updateEndpoint(resource, deps);
    case 'delete':
      return deleteEndpoint(resource, deps);
    default:
      return 'patch' in operation
        ? partialEndpoint(operation, resource, deps)
        : reorderEndpoint(operation.reorder, resource, deps);
  }
}

const id = Type.Unsafe<number>({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const IF_MATCH =
  'With `If-Match` (the `ETag` of a read, the `etag` of a row in a list) a row that has changed meanwhile is 409 `StaleResource`.';

const named = (params: Record<string, TSchema>): TObject => Type.Object(params);
const parentParams = ({ within }: Resource): Record<string, TSchema> =>
  within ? { [within.param]: id } : {};
const itemPathOf = (resource: Resource): string => resource.itemPath ?? `${resource.path}/:id`;

function itemParams(resource: Resource): TObject {
  const hasParent = resource.within && itemPathOf(resource).includes(`:${resource.within.param}`);
  return named({ ...(hasParent ? parentParams(resource) : {}), id });
}

function parentIdIn(resource: Resource, params: unknown): number | undefined {
  return resource.within ? (params as Record<string, number>)[resource.within.param] : undefined;
}

function addressIn(resource: Resource, params: unknown): RowAddress {
  return { id: (params as { id: number }).id, parentId: parentIdIn(resource, params) };
}

/** Rows of a list bring their entity tags along: not every resource has a read of one. */
const listedSchema = (resource: Resource): TObject =>
  Type.Object({
    ...rowSchema(resource).properties,
    etag: Type.String({ description: 'What `If-Match` takes' }),
  });

/** Rows as they leave a list, with what `complete` adds. */
async function toListed(resource: Resource, deps: ResourceDeps, rows: readonly Row[]): Promise<Row[]> {
  const wires = rows.map((row) => rowToWire(resource, row));
  const completed = resource.complete ? await resource.complete(deps.db, wires) : wires;
  return completed.map((row) => ({ ...row, etag: rowEntityTag(resource, row) }));
}

async function answerRow(resource: Resource, deps: ResourceDeps, wire: Row) {
  const [completed = wire] = resource.complete ? await resource.complete(deps.db, [wire]) : [wire];
  return answer(completed, { headers: { etag: rowEntityTag(resource, wire) } });
}

function listEndpoint(resource: Resource, deps: ResourceDeps): Endpoint {
  const filters = Object.entries(resource.filters ?? {}).map(
    ([name, { schema }]) => [name, Type.Optional(schema)] as const,
  );
  const [first = 'id'] = resource.sorts;
  const sorts = resource.sorts.flatMap((name) => [name, `-${name}`]);
  return endpoint({
    method: 'GET',
    path: resource.path,
    access: { permission: resource.permission.read },
    tag: resource.tag,
    summary: `List: every ${resource.name}, active or not`,
    ...(resource.within ? { params: named(parentParams(resource)) } : {}),
    query: Type.Object({
      ...pageQuery,
      ...(resource.search ? { search: Type.Optional(Type.String({ maxLength: 200 })) } : {}),
      sort: Type.Enum(sorts, { default: first }),
      ...Object.fromEntries(filters),
    }),
    data: pageSchema(listedSchema(resource)),
    errors: resource.within ? ['NOT_FOUND'] : [],
    async handle({ params, query }) {
      const asked = query as Row & { page: number; limit: number; sort: string; search?: string };
      const { page, limit, sort, search } = asked;
      const parentId = parentIdIn(resource, params);
      const { within } = resource;
      if (within && (await countParents(deps.db, within.table, parentId ?? 0)) === 0)
        throw notFound(within.name);
      const offset = (page - 1) * limit;
      const found = await listRows(deps.db, resource, {
        parentId,
        search,
        filters: asked,
        sort,
        limit,
        offset,
      });
      return pageOf(await toListed(resource, deps, found.rows), { page, limit, total: found.total });
    },
  });
}

function getEndpoint(resource: Resource, deps: ResourceDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: itemPathOf(resource),
    access: { permission: resource.permission.read },
    tag: resource.tag,
    summary: `One ${resource.name}`,
    params: itemParams(resource),
    data: rowSchema(resource),
    errors: ['NOT_FOUND'],
    async handle({ params }) {
      const row = await findRow(deps.db, resource, addressIn(resource, params));
      if (!row) throw notFound(resource.name);
      return answerRow(resource, deps, rowToWire(resource, row));
    },
  });
}

function createEndpoint(resource: Resource, deps: ResourceDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: resource.path,
    access: { permission: resource.permission.write },
    tag: resource.tag,
    summary: `New ${resource.name}`,
    ...(resource.within ? { params: named(parentParams(resource)) } : {}),
    body: createSchema(resource),
    data: rowSchema(resource),
    status: 201,
    errors: resource.within ? ['NOT_FOUND', 'CONFLICT'] : ['CONFLICT'],
    async handle(call) {
      const parentId = parentIdIn(resource, call.params);
      const wire = await createRow(deps, resource, { writer: call, parentId, input: call.body });
      return answerRow(resource, deps, wire);
    },
  });
}

function updateEndpoint(resource: Resource, deps: ResourceDeps): Endpoint {
  return endpoint({
    method: 'PUT',
    path: itemPathOf(resource),
    access: { permission: resource.permission.write },
    tag: resource.tag,
    summary: `Change a ${resource.name}`,
    description: `Fields that are left out stay as they are. ${IF_MATCH}`,
    params: itemParams(resource),
    body: updateSchema(resource),
    data: rowSchema(resource),
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      const at = addressIn(resource, call.params);
      const wire = await changeRow(deps, resource, { writer: call, at, input: call.body });
      return answerRow(resource, deps, wire);
    },
  });
}

function partialEndpoint(operation: PartialOperation, resource: Resource, deps: ResourceDeps): Endpoint {
  const { patch, fields, summary, description = '' } = operation;
  return endpoint({
    method: 'PATCH',
    path: `${itemPathOf(resource)}/${patch}`,
    access: { permission: resource.permission.write },
    tag: resource.tag,
    summary,
    description: `${description} ${IF_MATCH}`.trim(),
    params: itemParams(resource),
    body: partialSchema(resource, fields),
    data: rowSchema(resource),
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      const at = addressIn(resource, call.params);
      const wire = await changeRow(deps, resource, { writer: call, at, input: call.body });
      return answerRow(resource, deps, wire);
    },
  });
}

function deleteEndpoint(resource: Resource, deps: ResourceDeps): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: itemPathOf(resource),
    access: { permission: resource.permission.write },
    tag: resource.tag,
    summary: `Delete a ${resource.name}`,
    description: `While something still refers to it: 409 \`StillReferenced\`, and \`data.referenced_by\` says what. ${IF_MATCH}`,
    params: itemParams(resource),
    data: Type.Object({ id: Type.Integer(), deleted: Type.Boolean() }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      const at = addressIn(resource, call.params);
      await removeRow(deps, resource, { writer: call, at });
      return { id: at.id, deleted: true };
    },
  });
}

function reorderEndpoint(method: 'PATCH' | 'POST', resource: Resource, deps: ResourceDeps): Endpoint {
  return endpoint({
    method,
    path: `${resource.path}/reorder`,
    access: { permission: resource.permission.write },
    tag: resource.tag,
    summary: `Reorder: give each ${resource.name} its sort_order, all or none`,
    ...(resource.within ? { params: named(parentParams(resource)) } : {}),
    body: reorderSchema,
    data: reorderedSchema,
    errors: ['NOT_FOUND', 'BAD_REQUEST'],
    handle: (call) =>
      reorderRows(deps, resource, {
        writer: call,
        parentId: parentIdIn(resource, call.params),
        items: call.body.items,
      }),
  });
}
