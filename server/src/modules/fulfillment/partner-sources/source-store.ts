import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import { USABLE } from '../partner-accounts/partner-store.ts';

/** What a partner must be told of the recipient (decisions 6.5). */
export interface RequiredField {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly required: boolean;
}

export interface SourceRow {
  readonly id: number;
  readonly variant_id: number;
  readonly partner_id: number;
  readonly partner_product: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly cost_minor: number | null;
  readonly priority: number;
  readonly is_active: boolean;
  readonly required_fields: readonly RequiredField[];
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Of its partner. */
  readonly partner_name: string;
  readonly partner_kind: string;
}

const columns = `
  SELECT source.*, partner.name AS partner_name, partner.kind AS partner_kind
  FROM partner_sources AS source JOIN partners AS partner ON partner.id = source.partner_id`;

const find = statement('partner_sources_find', `${columns} WHERE source.id = $1`);
const listUsable = statement(
  'partner_sources_list_usable',
  `${columns} WHERE source.variant_id = ANY ($1) AND source.is_active AND ${USABLE} ORDER BY source.priority, source.id`,
);
const listOfVariant = statement(
  'partner_sources_list_of_variant',
  `${columns} WHERE source.variant_id = $1 ORDER BY source.priority, source.id`,
);
const list = statement(
  'partner_sources_list',
  `SELECT *, count(*) OVER ()::int AS total FROM (${columns}) AS listed
   WHERE ($1::bigint IS NULL OR variant_id = $1) AND ($2::bigint IS NULL OR partner_id = $2)
     AND ($3::boolean IS NULL OR is_active = $3)
   ORDER BY variant_id, priority, id LIMIT $4 OFFSET $5`,
);
const variantsWithUsable = statement(
  'partner_sources_variants',
  `SELECT DISTINCT source.variant_id FROM partner_sources AS source JOIN partners AS partner ON partner.id = source.partner_id
   JOIN product_variants AS variant ON variant.id = source.variant_id AND variant.engine = 'PARTNER'
   WHERE source.is_active AND ${USABLE}`,
);

const insert = statement(
  'partner_sources_insert',
  `INSERT INTO partner_sources (variant_id, partner_id, partner_product, options, cost_minor, priority, is_active,
     required_fields)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
);
const update = statement(
  'partner_sources_update',
  `UPDATE partner_sources SET partner_product = $2, options = $3, cost_minor = $4, priority = $5, is_active = $6,
     required_fields = $7
   WHERE id = $1`,
);
const remove = statement('partner_sources_delete', 'DELETE FROM partner_sources WHERE id = $1');
const setPriorities = statement(
  'partner_sources_set_priorities',
  `UPDATE partner_sources SET priority = given.priority
   FROM unnest($2::bigint[], $3::int[]) AS given(id, priority)
   WHERE partner_sources.id = given.id AND partner_sources.variant_id = $1`,
);

export async function findSource(reader: Reader, id: number): Promise<SourceRow | undefined> {
  return (await reader.query<SourceRow>(find, [id])).rows[0];
}

/** Active sources of usable partners, best first. */
export async function listUsableSources(reader: Reader, variantIds: readonly number[]): Promise<SourceRow[]> {
  if (variantIds.length === 0) return [];
  return (await reader.query<SourceRow>(listUsable, [variantIds])).rows;
}

/** All of a variant, in the order in which they are tried, inactive ones included. */
export async function listSourcesOfVariant(reader: Reader, variantId: number): Promise<SourceRow[]> {
  return (await reader.query<SourceRow>(listOfVariant, [variantId])).rows;
}

/** Variants of the PARTNER engine that could be bought somewhere at this moment: what "in stock" means for them. */
export async function listVariantsWithActiveSource(reader: Reader): Promise<Set<number>> {
  const { rows } = await reader.query<{ variant_id: number }>(variantsWithUsable);
  return new Set(rows.map((row) => row.variant_id));
}

export async function listSources(
  reader: Reader,
  filter: {
    variantId: number | null;
    partnerId: number | null;
    isActive: boolean | null;
    limit: number;
    offset: number;
  },
): Promise<{ rows: SourceRow[]; total: number }> {
  const { variantId, partnerId, isActive, limit, offset } = filter;
  const values = [variantId, partnerId, isActive, limit, offset];
  const { rows } = await reader.query<SourceRow & { total: number }>(list, values);
  return { rows, total: rows[0]?.total ?? 0 };
}

export type SourceValues = Pick<
  SourceRow,
  'partner_product' | 'options' | 'cost_minor' | 'priority' | 'is_active' | 'required_fields'
>;

export async function insertSource(
  tx: Tx,
  source: SourceValues & Pick<SourceRow, 'variant_id' | 'partner_id'>,
): Promise<number> {
  const { variant_id: variantId, partner_id: partnerId } = source;
  const { rows } = await tx.query<{ id: number }>(insert, [variantId, partnerId, ...valuesOf(source)]);
  if (!rows[0]) throw new Error('INSERT … RETURNING gave no row');
  return rows[0].id;
}

export async function updateSource(tx: Tx, id: number, source: SourceValues): Promise<void> {
  await tx.query(update, [id, ...valuesOf(source)]);
}

/** @throws a violation of `partner_api_transactions__source` when something was bought there. */
export async function deleteSource(tx: Tx, id: number): Promise<number> {
  return (await tx.query(remove, [id])).count;
}

/** @returns how many of them are the variant's. */
export async function setSourcePriorities(
  tx: Tx,
  variantId: number,
  priorities: readonly { id: number; priority: number }[],
): Promise<number> {
  const ids = priorities.map(({ id }) => id);
  const values = priorities.map(({ priority }) => priority);
  return (await tx.query(setPriorities, [variantId, ids, values])).count;
}

function valuesOf(source: SourceValues): unknown[] {
  return [
    source.partner_product,
    JSON.stringify(source.options),
    source.cost_minor,
    source.priority,
    source.is_active,
    JSON.stringify(source.required_fields),
  ];
}
