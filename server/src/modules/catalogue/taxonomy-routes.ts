import type { IncomingHttpHeaders } from 'node:http';

import { Type } from 'typebox';
import type { TSchema } from 'typebox';

import { endpoint } from '../../platform/http/endpoint.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../platform/http/envelope.ts';
import type { Page } from '../../platform/http/envelope.ts';
import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import {
  brandSchema,
  brandToWire,
  categorySchema,
  categoryToWire,
  categoryTreeToWire,
  paymentMethodSchema,
  paymentMethodToWire,
  taxonomySchema,
  taxonomyToWire,
} from './catalogue-wire.ts';
import { languageOf, languageQuery } from './language.ts';
import type { Language } from './language.ts';
import type { Shelf } from './shelf.ts';

const TAG = 'Catalogue';

const listQuery = {
  ...pageQuery,
  ...languageQuery,
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name, as shown.' })),
};

/** Methods whose gateway is configured: one that could not open a session is not offered. */
export type OfferedMethods = () => ReadonlySet<string>;

export function taxonomyEndpoints(snapshot: CatalogueSnapshot, offeredMethods: OfferedMethods): Endpoint[] {
  return [
    listEndpoint(snapshot, {
      path: '/brands',
      summary: 'Active brands',
      item: brandSchema,
      list: ({ rows }, language) => rows.brands.map((row) => brandToWire(row, language)),
    }),
    listCategories(snapshot),
    listEndpoint(snapshot, {
      path: '/tags',
      summary: 'Active tags',
      item: taxonomySchema,
      list: ({ rows }, language) => rows.tags.map((row) => taxonomyToWire(row, language)),
    }),
    listEndpoint(snapshot, {
      path: '/product-types',
      summary: 'Active product types',
      item: taxonomySchema,
      list: ({ rows }, language) => rows.product_types.map((row) => taxonomyToWire(row, language)),
    }),
    listEndpoint(snapshot, {
      path: '/payment-methods',
      summary: 'Payment methods that can be used now, with their limits',
      item: paymentMethodSchema,
      list: ({ rows }, language) =>
        rows.payment_methods
          .filter(({ method }) => offeredMethods().has(method))
          .map((row) => paymentMethodToWire(row, language)),
    }),
  ];
}

interface Named {
  readonly name: string;
}

interface ListDefinition {
  readonly path: string;
  readonly summary: string;
  readonly item: TSchema;
  list(shelf: Shelf, language: Language): Named[];
}

function listEndpoint(snapshot: CatalogueSnapshot, definition: ListDefinition): Endpoint {
  return endpoint({
    method: 'GET',
    path: definition.path,
    access: 'anonymous',
    tag: TAG,
    summary: definition.summary,
    query: Type.Object(listQuery),
    data: pageSchema(definition.item),
    async handle({ query, request }) {
      const shelf = await snapshot.current();
      return pageOfNamed(definition.list(shelf, languageIn(query, request)), query);
    },
  });
}

function listCategories(snapshot: CatalogueSnapshot): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/categories',
    access: 'anonymous',
    tag: TAG,
    summary: 'Active categories, flat or as a tree',
    query: Type.Object({
      ...listQuery,
      tree: Type.Boolean({
        default: false,
        description: 'Top categories with `children[]`; paging counts the top.',
      }),
    }),
    data: pageSchema(categorySchema),
    async handle({ query, request }) {
      const shelf = await snapshot.current();
      const language = languageIn(query, request);
      const all = query.tree
        ? shelf.childrenOf(null).map((row) => categoryTreeToWire(row, language, (id) => shelf.childrenOf(id)))
        : shelf.rows.categories.map((row) => categoryToWire(row, language));
      return pageOfNamed(all, query);
    },
  });
}

function languageIn(query: { lang?: string }, request: { headers: IncomingHttpHeaders }): Language {
  return languageOf(query.lang, request.headers['accept-language']);
}

/** These lists are short and in memory: filtered and cut here. */
function pageOfNamed<Item extends Named>(
  all: readonly Item[],
  query: { page: number; limit: number; search?: string },
): Page<Item> {
  const wanted = (query.search ?? '').trim().normalize('NFC').toLowerCase();
  const found = all.filter(({ name }) => name.normalize('NFC').toLowerCase().includes(wanted));
  const start = (query.page - 1) * query.limit;
  const { page, limit } = query;
  return pageOf(found.slice(start, start + limit), { page, limit, total: found.length });
}
