import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { inTransaction, violatedConstraint } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import { findVariantsForSale, isIdentifierKey } from '../../catalogue/index.ts';
import { checkSourceOptions } from '../partners/definitions.ts';
import { findPartner } from '../partner-accounts/partner-store.ts';
import { partnerNotFound } from '../partner-accounts/save-partner.ts';
import {
  deleteSource,
  findSource,
  insertSource,
  listSourcesOfVariant,
  setSourcePriorities,
  updateSource,
} from './source-store.ts';
import type { RequiredField, SourceRow, SourceValues } from './source-store.ts';

export interface SaveSourceDeps {
  readonly db: Database;
  readonly recordAudit: RecordAudit;
}

/** @throws NOT_FOUND for the variant or partner, VALIDATION_ERROR, CONFLICT for the same product twice. */
export async function createSource(
  deps: SaveSourceDeps,
  actor: AuditActor,
  source: SourceValues & Pick<SourceRow, 'variant_id' | 'partner_id'>,
): Promise<SourceRow> {
  return audited(deps, actor, {
    action: 'partner-sources:create',
    async write(tx) {
      const partner = await findPartner(tx, source.partner_id);
      if (!partner) throw partnerNotFound();
      checkSourceOptions(partner.kind, source.options);
      await checkRequiredFields(tx, source.variant_id, source.required_fields);
      return { before: undefined, after: await findSource(tx, await insertSource(tx, source)) };
    },
  });
}

/** Changes what is given and leaves the rest. @throws NOT_FOUND, VALIDATION_ERROR, CONFLICT. */
export async function changeSource(
  deps: SaveSourceDeps,
  actor: AuditActor,
  { id, ...change }: { id: number } & Partial<SourceValues>,
): Promise<SourceRow> {
  return audited(deps, actor, {
    action: 'partner-sources:update',
    async write(tx) {
      const before = await getSource(tx, id);
      const values: SourceValues = { ...before, ...change };
      checkSourceOptions(before.partner_kind, values.options);
      await checkRequiredFields(tx, before.variant_id, values.required_fields);
      await updateSource(tx, id, values);
      return { before, after: await findSource(tx, id) };
    },
  });
}

/** @throws NOT_FOUND; CONFLICT when something was bought there: switch it off instead. */
export async function removeSource(deps: SaveSourceDeps, actor: AuditActor, id: number): Promise<SourceRow> {
  return audited(deps, actor, {
    action: 'partner-sources:delete',
    async write(tx) {
      const before = await getSource(tx, id);
      await deleteSource(tx, id);
      return { before, after: before };
    },
  });
}

/** Sets the order in which a variant's sources are tried. @throws NOT_FOUND when one is not the variant's. */
export async function prioritiseSources(
  deps: SaveSourceDeps,
  actor: AuditActor,
  wanted: { variantId: number; items: readonly { id: number; priority: number }[] },
): Promise<SourceRow[]> {
  const { variantId, items } = wanted;
  if (new Set(items.map(({ id }) => id)).size < items.length)
    throw fieldError('items', 'A source may be named once');
  return inTransaction(deps.db, async (tx) => {
    const before = await listSourcesOfVariant(tx, variantId);
    const changed = await setSourcePriorities(tx, variantId, items);
    if (changed < items.length) throw sourceNotFound();
    const after = await listSourcesOfVariant(tx, variantId);
    const orderOf = (rows: readonly SourceRow[]) =>
      Object.fromEntries(rows.map(({ id, priority }) => [id, priority]));
    await deps.recordAudit(tx, {
      ...actor,
      action: 'partner-sources:prioritise',
      resource: `variants:${variantId}`,
      before: orderOf(before),
      after: orderOf(after),
    });
    return after;
  });
}

interface Saving {
  readonly action: string;
  readonly write: (tx: Tx) => Promise<{ before: SourceRow | undefined; after: SourceRow | undefined }>;
}

async function audited(
  deps: SaveSourceDeps,
  actor: AuditActor,
  { action, write }: Saving,
): Promise<SourceRow> {
  try {
    return await inTransaction(deps.db, async (tx) => {
      const { before, after } = await write(tx);
      if (!after) throw sourceNotFound();
      await deps.recordAudit(tx, {
        ...actor,
        action,
        resource: `partner-sources:${after.id}`,
        ...(before ? { before: { ...before } } : {}),
        ...(action.endsWith(':delete') ? {} : { after: { ...after } }),
      });
      return after;
    });
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  const messages: Readonly<Record<string, string>> = {
    partner_sources__once: 'The variant has this product of this partner already',
    partner_api_transactions__source: 'Something was bought from this source: switch it off instead',
  };
  const message = messages[violatedConstraint(error) ?? ''];
  return message === undefined ? error : new AppError('CONFLICT', message, { cause: error });
}

async function getSource(tx: Tx, id: number): Promise<SourceRow> {
  const source = await findSource(tx, id);
  if (!source) throw sourceNotFound();
  return source;
}

const sourceNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such partner source');

/** A product is delivered to exactly one identifier: a partner cannot ask for another (interface part 2). */
async function checkRequiredFields(
  tx: Tx,
  variantId: number,
  fields: readonly RequiredField[],
): Promise<void> {
  const [variant] = await findVariantsForSale(tx, [variantId]);
  if (!variant) throw new AppError('NOT_FOUND', `There is no variant ${variantId}`);
  const { key } = variant.fulfillment.identifier;
  for (const [index, { name }] of fields.entries()) {
    const field = `required_fields.${index}.name`;
    if (isIdentifierKey(name) && name !== key)
      throw fieldError(field, `this product expects ${key} and cannot ask for ${name}`);
    if (fields.findIndex((other) => other.name === name) < index)
      throw fieldError(field, `${name} is declared twice`);
  }
}
