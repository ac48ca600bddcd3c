import { statement } from '../../../platform/db/database.ts';
import type { Reader } from '../../../platform/db/database.ts';

const SEARCH_PRODUCTS = statement(
  'catalogue_search_products',
  `SELECT product_id FROM search_products($1) JOIN products ON products.id = product_id
   ORDER BY score DESC, sort_order, product_id`,
);

/**
 * Ids of the products, on sale or not, that have every word of a text in either language, the best first: by full text,
 * and by trigrams for words that nothing has (migration 0040).
 */
export async function listProductIdsByText(reader: Reader, typed: string): Promise<number[]> {
  const { rows } = await reader.query<{ product_id: number }>(SEARCH_PRODUCTS, [typed]);
  return rows.map((row) => row.product_id);
}

export interface ShelfIdRow {
  readonly type: 'brand' | 'category';
  readonly id: number;
}

// Brands and categories are few: their names are folded as they are asked for.
const LIST_SHELVES = statement(
  'catalogue_list_shelves_by_text',
  `SELECT shelf.type, shelf.id FROM (
     SELECT 'brand' AS type, id, sort_order, fold_search_words(concat_ws(' ', name, name_bn)) AS words FROM brands
     UNION ALL
     SELECT 'category', id, sort_order, fold_search_words(concat_ws(' ', name, name_bn)) FROM categories
   ) AS shelf
   WHERE (SELECT bool_and(' ' || shelf.words LIKE '% ' || word || '%')
          FROM string_to_table(fold_search_words($1), ' ') AS asked (word) WHERE word <> '')
   ORDER BY shelf.type, shelf.sort_order, shelf.id`,
);

/** Brands, then categories, of which every typed word begins a word, in either language. */
export async function listShelfIdsByText(reader: Reader, typed: string): Promise<ShelfIdRow[]> {
  return (await reader.query<ShelfIdRow>(LIST_SHELVES, [typed])).rows;
}
