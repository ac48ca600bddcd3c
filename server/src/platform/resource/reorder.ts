import { Type } from 'typebox';
import type { Static } from 'typebox';

import { auditActor } from '../audit.ts';
import { inTransaction } from '../db/database.ts';
import { AppError, fieldError } from '../errors.ts';
import { auditName } from './resource.ts';
import type { Resource, ResourceDeps } from './resource.ts';
import { countParents, lockPlaces, updatePlaces } from './resource-store.ts';
import type { Place } from './resource-store.ts';
import { notFound } from './write-errors.ts';
import type { Writer } from './write-row.ts';

const safe = Number.MAX_SAFE_INTEGER;
const int32 = { minimum: -2_147_483_648, maximum: 2_147_483_647 };
const place = Type.Object({
  // An id that cannot exist is an unknown one, 404.
  id: Type.Integer({ minimum: -safe, maximum: safe }),
  sort_order: Type.Integer(int32),
});

/** Interface part 4, "Reorder body": 1 to 500 items, no duplicate ids. */
export const reorderSchema = Type.Object({ items: Type.Array(place, { minItems: 1, maxItems: 500 }) });
export const reorderedSchema = Type.Object({ items: Type.Array(place) });

/**
 * Gives all the rows their places, or none: an id that is unknown (or belongs to another parent) is 404 for the whole.
 * @throws VALIDATION_ERROR (duplicate ids), NOT_FOUND. @returns the places as stored, in order.
 */
export async function reorderRows(
  deps: ResourceDeps,
  resource: Resource,
  wanted: {
    readonly writer: Writer;
    readonly parentId: number | undefined;
    readonly items: readonly Place[];
  },
): Promise<Static<typeof reorderedSchema>> {
  const { writer, parentId, items } = wanted;
  refuseRepeats(items);
  await inTransaction(deps.db, async (tx) => {
    const parent = resource.within;
    if (parent && (await countParents(tx, parent.table, parentId ?? 0)) === 0) throw notFound(parent.name);
    const before = await lockPlaces(tx, resource, { ids: items.map(({ id }) => id), parentId });
    refuseUnknown(resource, items, before);
    await updatePlaces(tx, resource, items);
    await deps.recordAudit(tx, {
      ...auditActor(writer),
      action: `${resource.table}:reorder`,
      resource: auditName(parent ?? resource, parentId ?? 'all'),
      before: { items: before },
      after: { items },
    });
  });
  deps.onChange();
  const stored = items.toSorted((a, b) => a.sort_order - b.sort_order || a.id - b.id);
  return { items: stored.map(({ id, sort_order }) => ({ id, sort_order })) };
}

function refuseRepeats(items: readonly Place[]): void {
  const seen = new Set<number>();
  for (const [at, { id }] of items.entries()) {
    if (seen.has(id)) throw fieldError(`items.${at}.id`, `items names the id ${id} twice`);
    seen.add(id);
  }
}

function refuseUnknown(resource: Resource, items: readonly Place[], known: readonly Place[]): void {
  const ids = new Set(known.map(({ id }) => id));
  const unknown = items.map(({ id }) => id).filter((id) => !ids.has(id));
  if (unknown.length === 0) return;
  const where = resource.within ? ` in this ${resource.within.name}` : '';
  throw new AppError('NOT_FOUND', `There is no ${resource.name} ${unknown.join(', ')}${where}`, {
    data: { type: 'UnknownIds', ids: unknown },
  });
}
