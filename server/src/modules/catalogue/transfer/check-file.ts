import { isDeepStrictEqual } from 'node:util';

import type { Row } from '../../../platform/resource/resource.ts';
import { transferColumns } from './transfer-columns.ts';

/** What the rows of one file must not do to each other. */

/** A row of the file; numbered from 1, the line of the header not counted. */
export interface NumberedRow {
  readonly number: number;
  readonly row: Row;
}

const productColumns = transferColumns.filter((column) => column.of === 'product').map(({ name }) => name);

/**
 * Row number → why it cannot go in beside an earlier one: it names a SKU that was there already, or it says something
 * else about its product. Without this the last row would win in silence, and a name that was changed in one row of
 * eight would be changed back by the next.
 */
export function findConflicts(rows: readonly NumberedRow[]): ReadonlyMap<number, string> {
  const conflicts = new Map<number, string>();
  const skus = new Map<string, number>();
  const products = new Map<string, Map<string, NumberedRow>>();
  for (const each of rows) {
    const { number, row } = each;
    const { sku, product_slug: slug } = row;
    if (isText(sku)) {
      const twin = skus.get(sku);
      if (twin === undefined) skus.set(sku, number);
      else conflicts.set(number, `sku ${sku} is in row ${twin} already`);
    }
    if (!isText(slug)) continue;
    const said = products.get(slug) ?? new Map<string, NumberedRow>();
    products.set(slug, said);
    for (const name of productColumns.filter((column) => row[column] !== undefined)) {
      const first = said.get(name);
      if (!first) said.set(name, each);
      else if (!isDeepStrictEqual(asSet(first.row[name]), asSet(row[name])))
        conflicts.set(number, `${name} differs from row ${first.number}: rows of one product must agree`);
    }
  }
  return conflicts;
}

/** Columns of the file that mean nothing here: misspelt ones should not pass unseen. */
export function findUnknownColumns(names: Iterable<string>): string[] {
  const known = new Set(transferColumns.map(({ name }) => name));
  return [...new Set(names)].filter((name) => name !== '' && !known.has(name));
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** Tags come in any order. */
const asSet = (value: unknown): unknown =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.toSorted() : value;
