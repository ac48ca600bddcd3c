import { isDeepStrictEqual } from 'node:util';

import { inTransaction } from '../../../platform/db/database.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { fieldError } from '../../../platform/errors.ts';
import { toAppError } from '../../../platform/http/errors-to-envelope.ts';
import type { Resource, ResourceDeps, Row } from '../../../platform/resource/resource.ts';
import { findRow } from '../../../platform/resource/resource-store.ts';
import { rowToWire } from '../../../platform/resource/row-wire.ts';
import { translateWriteError } from '../../../platform/resource/write-errors.ts';
import { changeRowIn, createRowIn } from '../../../platform/resource/write-row.ts';
import type { Writer } from '../../../platform/resource/write-row.ts';
import { variantResource } from '../admin/variant-resource.ts';
import { createInputCheck } from './check-input.ts';
import type { InputCheck } from './check-input.ts';
import { findConflicts } from './check-file.ts';
import type { NumberedRow } from './check-file.ts';
import { fieldsFor } from './transfer-columns.ts';
import {
  beginPart,
  dropPart,
  findProductId,
  findVariantBySku,
  keepPart,
  listSlugs,
} from './transfer-store.ts';

export type RowOutcome = 'created' | 'updated' | 'unchanged' | 'failed';

export interface ImportedRow {
  /** From 1, the line of the header not counted. */
  readonly row: number;
  readonly product_slug: string | null;
  readonly sku: string | null;
  readonly outcome: RowOutcome;
  readonly message?: string;
}

export interface CatalogueImport {
  readonly deps: ResourceDeps;
  readonly products: Resource;
  readonly writer: Writer;
  readonly rows: readonly Row[];
  readonly dryRun: boolean;
}

/**
 * Creates what is new and changes what differs, row by row: good rows go in although others fail, each by the rules
 * and with the audit entry of the admin API. A dry run does all of it and takes it back, so it tells what would happen
 * and not what somebody guesses.
 *
 * The rows of one product are one transaction, and not the whole file: it holds the audit log and the catalogue's
 * version, and for thousands of rows every other operator would wait until the database gives up.
 */
export async function importCatalogue(wanted: CatalogueImport): Promise<ImportedRow[]> {
  const run = await openRun(wanted);
  const products = Map.groupBy(run.rows, ({ row }) => textOrNull(row['product_slug']));
  const results: ImportedRow[] = [];
  try {
    for (const rows of products.values()) results.push(...(await importProduct(run, rows)));
  } finally {
    wanted.deps.onChange();
  }
  return results.toSorted((a, b) => a.row - b.row);
}

async function importProduct(run: Run, rows: readonly NumberedRow[]): Promise<ImportedRow[]> {
  try {
    return await inTransaction(run.deps.db, async (tx) => {
      const done: ImportedRow[] = [];
      for (const each of rows) done.push(await importPart({ ...run, tx }, each));
      if (run.dryRun) throw new DryRun(done);
      return done;
    });
  } catch (error) {
    if (error instanceof DryRun) return error.results;
    throw error;
  }
}

/** Takes the transaction back and the results out of it. */
class DryRun extends Error {
  readonly results: ImportedRow[];

  constructor(results: ImportedRow[]) {
    super('A dry run changes nothing');
    this.results = results;
  }
}

interface Run extends Omit<CatalogueImport, 'rows'> {
  readonly rows: readonly NumberedRow[];
  /** Row number → what an earlier row has against it. */
  readonly conflicts: ReadonlyMap<number, string>;
  /** Field → slug → id. */
  readonly ids: Readonly<Record<string, ReadonlyMap<string, number>>>;
  readonly check: InputCheck;
}

interface RunInTx extends Run {
  readonly tx: Tx;
}

async function openRun(wanted: CatalogueImport): Promise<Run> {
  const { db } = wanted.deps;
  const [brand_id, category_id, product_type_id, tag_ids] = await Promise.all([
    listSlugs(db, 'brands'),
    listSlugs(db, 'categories'),
    listSlugs(db, 'product_types'),
    listSlugs(db, 'tags'),
  ]);
  const check = createInputCheck(wanted.products, variantResource);
  const rows = wanted.rows.map((row, at) => ({ number: at + 1, row }));
  return {
    ...wanted,
    rows,
    conflicts: findConflicts(rows),
    ids: { brand_id, category_id, product_type_id, tag_ids },
    check,
  };
}

async function importPart(run: RunInTx, { number, row }: NumberedRow): Promise<ImportedRow> {
  const named = {
    row: number,
    product_slug: textOrNull(row['product_slug']),
    sku: textOrNull(row['sku']),
  };
  const conflict = run.conflicts.get(number);
  if (conflict !== undefined) return { ...named, outcome: 'failed', message: conflict };
  await beginPart(run.tx);
  try {
    const outcome = await importRow(run, row);
    await keepPart(run.tx);
    return { ...named, outcome };
  } catch (error) {
    const resource = named.sku === null ? run.products : variantResource;
    const known = toAppError(translateWriteError(error, resource, false));
    if (known.status >= 500) throw error;
    await dropPart(run.tx);
    return { ...named, outcome: 'failed', message: known.message };
  }
}

async function importRow(run: RunInTx, row: Row): Promise<RowOutcome> {
  const product = productFields(run, row);
  const slug = product['slug'];
  if (typeof slug !== 'string' || slug === '')
    throw fieldError('product_slug', 'product_slug says which product it is: it must be there');
  const [productId, first] = await writeProduct(run, slug, product);
  const variant = fieldsFor('variant', row);
  if (textOrNull(variant['sku']) === null) return first;
  const second = await writeVariant(run, productId, variant);
  if (second === 'created' || first === 'unchanged') return second;
  return first;
}

/** With ids for slugs, and the configuration around its fields. */
function productFields(run: Run, row: Row): Record<string, unknown> {
  const fields = fieldsFor('product', row);
  const idOf = (field: string, slug: unknown): number => {
    const id = run.ids[field]?.get(String(slug));
    if (id === undefined)
      throw fieldError(field, `There is no ${field.replace(/_ids?$/, '')} ${String(slug)}`);
    return id;
  };
  for (const field of ['brand_id', 'category_id', 'product_type_id'])
    if (fields[field] !== undefined) fields[field] = idOf(field, fields[field]);
  if (Array.isArray(fields['tag_ids']))
    fields['tag_ids'] = fields['tag_ids'].map((slug) => idOf('tag_ids', slug));
  if (fields['fulfillment_config'] !== undefined)
    fields['fulfillment_config'] = { fields: fields['fulfillment_config'] };
  return fields;
}

async function writeProduct(
  run: RunInTx,
  slug: string,
  input: Record<string, unknown>,
): Promise<[number, RowOutcome]> {
  const { tx, deps, products, writer } = run;
  const id = await findProductId(tx, slug);
  if (id !== undefined) return [id, await writeChanges(run, products, { id, input })];
  run.check.newProduct(input);
  const created = await createRowIn(deps, products, { writer, parentId: undefined, input })(tx);
  return [created['id'] as number, 'created'];
}

async function writeVariant(
  run: RunInTx,
  productId: number,
  input: Record<string, unknown>,
): Promise<RowOutcome> {
  const { tx, deps, writer } = run;
  const known = await findVariantBySku(tx, String(input['sku']));
  if (known && known.product_id !== productId)
    throw fieldError('sku', `sku ${String(input['sku'])} belongs to another product`);
  if (known) return writeChanges(run, variantResource, { id: known.id, input });
  run.check.newVariant(input);
  await createRowIn(deps, variantResource, { writer, parentId: productId, input })(tx);
  return 'created';
}

/** Only what differs is written: an export that comes back unchanged leaves no trace. */
async function writeChanges(
  run: RunInTx,
  resource: Resource,
  { id, input }: { readonly id: number; readonly input: Record<string, unknown> },
): Promise<RowOutcome> {
  run.check.change(resource, input);
  const row = await findRow(run.tx, resource, { id });
  const wire = row ? rowToWire(resource, row) : {};
  const isSame = (name: string): boolean =>
    isDeepStrictEqual(comparable(input[name]), comparable(wire[name]));
  const changed = Object.fromEntries(Object.entries(input).filter(([name]) => !isSame(name)));
  if (Object.keys(changed).length === 0) return 'unchanged';
  await changeRowIn(run.deps, resource, { writer: run.writer, at: { id }, input: changed })(run.tx);
  return 'updated';
}

/** Tags are a set. */
function comparable(value: unknown): unknown {
  return Array.isArray(value) && value.every((each) => typeof each === 'number')
    ? value.toSorted((a, b) => a - b)
    : value;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
