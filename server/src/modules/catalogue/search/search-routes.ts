import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { Reader } from '../../../platform/db/database.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import type { CatalogueSnapshot } from '../catalogue-snapshot.ts';
import { labelToWire, productSchema } from '../catalogue-wire.ts';
import type { Language } from '../../../platform/language.ts';
import { inLanguage } from '../../../platform/language.ts';
import { variantSortQuery } from '../product-routes.ts';
import { cutPage, shelfEndpoint } from '../shelf-endpoint.ts';
import type { Shelf, ShelfProduct } from '../shelf.ts';
import { listProductIdsByText, listShelfIdsByText } from './search-store.ts';
import type { ShelfIdRow } from './search-store.ts';

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

export function searchEndpoints(snapshot: CatalogueSnapshot, reader: Reader): Endpoint[] {
  return [search(snapshot, reader), suggest(snapshot, reader)];
}

function search(snapshot: CatalogueSnapshot, reader: Reader): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/search',
    tag,
    summary: 'Products by words in any order, half typed or mistyped ones too, best first',
    query: { ...pageQuery, ...variantSortQuery, q },
    data: pageSchema(productSchema),
    async read(shelf, { query, language }) {
      const found = productsWith(shelf, await listProductIdsByText(reader, query.q));
      return cutPage(found, query, (product) => shelf.show(product, language, query.variant_sort));
    },
  });
}

function suggest(snapshot: CatalogueSnapshot, reader: Reader): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/search/suggest',
    tag,
    summary: 'What somebody who types this may mean: brands and categories, then products',
    query: { q, limit: Type.Integer({ minimum: 1, maximum: 20, default: 8 }) },
    data: Type.Object({ items: Type.Array(suggestionSchema) }),
    async read(shelf, { query, language }) {
      const [shelfIds, productIds] = await Promise.all([
        listShelfIdsByText(reader, query.q),
        listProductIdsByText(reader, query.q),
      ]);
      const shelves = shelfIds.flatMap((found) => suggestShelf(shelf, found, language));
      const products = productsWith(shelf, productIds).map((product) => suggestProduct(product, language));
      // Names of shelves may take half the room: most people look for a product.
      const kept = shelves.slice(0, Math.max(Math.ceil(query.limit / 2), query.limit - products.length));
      return { items: [...kept, ...products].slice(0, query.limit) };
    },
  });
}

/** Those of them that are on sale, in this order. */
function productsWith(shelf: Shelf, ids: readonly number[]): ShelfProduct[] {
  return ids.map((id) => shelf.findProduct(id)).filter((product) => product !== undefined);
}

function suggestShelf({ rows }: Shelf, { type, id }: ShelfIdRow, language: Language): Suggestion[] {
  const row = (type === 'brand' ? rows.brands : rows.categories).find((each) => each.id === id);
  return row ? [{ type, ...labelToWire(row, language), image_url: row.image_url }] : [];
}

function suggestProduct({ row }: ShelfProduct, language: Language): Suggestion {
  const name = inLanguage(language, row.name, row.name_bn);
  return { type: 'product', id: row.id, name, slug: row.slug, image_url: row.image_url };
}
