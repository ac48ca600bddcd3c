import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import type { CatalogueSnapshot } from '../catalogue-snapshot.ts';
import type { BrandRow } from '../catalogue-store.ts';
import { labelToWire, productSchema } from '../catalogue-wire.ts';
import type { Language } from '../language.ts';
import { inLanguage } from '../language.ts';
import { variantSortQuery } from '../product-routes.ts';
import { cutPage, shelfEndpoint } from '../shelf-endpoint.ts';
import type { Shelf, ShelfProduct } from '../shelf.ts';
import { wordsIn } from './search-text-rules.ts';

const tag = 'Search';
const q = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'English, Bangla or both.',
});

const suggestionSchema = Type.Object({
  type: Type.Enum(['brand', 'category', 'product']),
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  image_url: Type.Union([Type.String(), Type.Null()]),
});
type Suggestion = Static<typeof suggestionSchema>;

export function searchEndpoints(snapshot: CatalogueSnapshot): Endpoint[] {
  return [search(snapshot), suggest(snapshot)];
}

function search(snapshot: CatalogueSnapshot): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/search',
    tag,
    summary: 'Products by words in any order, half typed or mistyped ones too, best first',
    query: { ...pageQuery, ...variantSortQuery, q },
    data: pageSchema(productSchema),
    read: (shelf, { query, language }) =>
      cutPage(productsFor(shelf, query.q), query, (product) =>
        shelf.show(product, language, query.variant_sort),
      ),
  });
}

function suggest(snapshot: CatalogueSnapshot): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/search/suggest',
    tag,
    summary: 'What somebody who types this may mean: brands and categories, then products',
    query: { q, limit: Type.Integer({ minimum: 1, maximum: 20, default: 8 }) },
    data: Type.Object({ items: Type.Array(suggestionSchema) }),
    read(shelf, { query, language }) {
      const shelves = [
        ...suggestRows(shelf.rows.brands, { type: 'brand', typed: query.q, language }),
        ...suggestRows(shelf.rows.categories, { type: 'category', typed: query.q, language }),
      ];
      // Names of shelves may take half the room: most people look for a product.
      const products = productsFor(shelf, query.q).map((product) => suggestProduct(product, language));
      const kept = shelves.slice(0, Math.max(Math.ceil(query.limit / 2), query.limit - products.length));
      return { items: [...kept, ...products].slice(0, query.limit) };
    },
  });
}

function productsFor(shelf: Shelf, typed: string): ShelfProduct[] {
  return shelf.search
    .find(typed)
    .map(({ productId }) => shelf.findProduct(productId))
    .filter((product) => product !== undefined);
}

/** Rows of which every typed word begins a word, in either language. */
function suggestRows(
  rows: readonly Omit<BrandRow, 'description'>[],
  asked: { readonly type: Suggestion['type']; readonly typed: string; readonly language: Language },
): Suggestion[] {
  const typed = wordsIn(asked.typed);
  if (typed.length === 0) return [];
  return rows
    .filter((row) => {
      const words = wordsIn(`${row.name} ${row.name_bn ?? ''}`);
      return typed.every((start) => words.some((word) => word.startsWith(start)));
    })
    .map((row) => ({ type: asked.type, ...labelToWire(row, asked.language), image_url: row.image_url }));
}

function suggestProduct({ row }: ShelfProduct, language: Language): Suggestion {
  const name = inLanguage(language, row.name, row.name_bn);
  return { type: 'product', id: row.id, name, slug: row.slug, image_url: row.image_url };
}
