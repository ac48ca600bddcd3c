import { Type } from 'typebox';
import type { TSchema } from 'typebox';

import type { Endpoint } from '../../platform/http/endpoint.ts';
import { pageQuery, pageSchema } from '../../platform/http/envelope.ts';
import type { Page } from '../../platform/http/envelope.ts';
import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import type { TaxonomyRow } from './catalogue-store.ts';
import {
  brandSchema,
  brandToWire,
  categorySchema,
  categoryToWire,
  categoryTreeToWire,
  paymentMethodSchema,
  paymentMethodToWire,
  productSchema,
  taxonomySchema,
  taxonomyToWire,
} from './catalogue-wire.ts';
import { shelfRowNotFound } from './errors.ts';
import type { Language } from '../../platform/language.ts';
import { productListQuery, slugParams } from './product-routes.ts';
import { searchProducts } from './search/product-search.ts';
import { cutPage, shelfEndpoint } from './shelf-endpoint.ts';
import { findByIdOrSlug } from './shelf.ts';
import type { Shelf } from './shelf.ts';

const tag = 'Catalogue';

const listQuery = {
  ...pageQuery,
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name, as shown.' })),
};

/** Methods whose gateway is configured: one that could not open a session is not offered. */
export type OfferedMethods = () => ReadonlySet<string>;

export function taxonomyEndpoints(snapshot: CatalogueSnapshot, offeredMethods: OfferedMethods): Endpoint[] {
  return [
    ...brandEndpoints(snapshot),
    ...categoryEndpoints(snapshot),
    ...labelEndpoints(snapshot),
    listPaymentMethods(snapshot, offeredMethods),
  ];
}

function brandEndpoints(snapshot: CatalogueSnapshot): Endpoint[] {
  const brands = { path: '/brands', name: 'brand', rowsOf: ({ rows }: Shelf) => rows.brands };
  return [
    listEndpoint(snapshot, {
      path: '/brands',
      summary: 'Active brands',
      item: brandSchema,
      list: ({ rows }, language) => rows.brands.map((row) => brandToWire(row, language)),
    }),
    oneEndpoint(snapshot, { ...brands, item: brandSchema, show: brandToWire }),
    productsEndpoint(snapshot, { ...brands, filter: 'brand' }),
  ];
}

function categoryEndpoints(snapshot: CatalogueSnapshot): Endpoint[] {
  const categories = { path: '/categories', name: 'category', rowsOf: ({ rows }: Shelf) => rows.categories };
  return [
    listCategories(snapshot),
    oneEndpoint(snapshot, {
      ...categories,
      item: categorySchema,
      show: (row, language, shelf) => categoryTreeToWire(row, language, (id) => shelf.childrenOf(id)),
    }),
    productsEndpoint(snapshot, { ...categories, filter: 'category' }),
  ];
}

/** Tags and product types: a name and no more. */
function labelEndpoints(snapshot: CatalogueSnapshot): Endpoint[] {
  const tags = { path: '/tags', name: 'tag', rowsOf: ({ rows }: Shelf) => rows.tags };
  const types = {
    path: '/product-types',
    name: 'product type',
    rowsOf: ({ rows }: Shelf) => rows.product_types,
  };
  return [
    listEndpoint(snapshot, {
      path: '/tags',
      summary: 'Active tags',
      item: taxonomySchema,
      list: ({ rows }, language) => rows.tags.map((row) => taxonomyToWire(row, language)),
    }),
    productsEndpoint(snapshot, { ...tags, filter: 'tag' }),
    listEndpoint(snapshot, {
      path: '/product-types',
      summary: 'Active product types',
      item: taxonomySchema,
      list: ({ rows }, language) => rows.product_types.map((row) => taxonomyToWire(row, language)),
    }),
    oneEndpoint(snapshot, { ...types, item: taxonomySchema, show: taxonomyToWire }),
    productsEndpoint(snapshot, { ...types, filter: 'productType' }),
  ];
}

function listPaymentMethods(snapshot: CatalogueSnapshot, offeredMethods: OfferedMethods): Endpoint {
  return listEndpoint(snapshot, {
    path: '/payment-methods',
    summary: 'Payment methods that can be used now, with their limits',
    item: paymentMethodSchema,
    variesBy: () => [...offeredMethods()].join(' '),
    list: ({ paymentMethods }, language) =>
      paymentMethods
        .filter(({ method }) => offeredMethods().has(method))
        .map((row) => paymentMethodToWire(row, language)),
  });
}

interface Named {
  readonly name: string;
}

interface ListDefinition {
  readonly path: string;
  readonly summary: string;
  readonly item: TSchema;
  readonly list: (shelf: Shelf, language: Language) => Named[];
  readonly variesBy?: () => string;
}

function listEndpoint(snapshot: CatalogueSnapshot, definition: ListDefinition): Endpoint {
  const { path, summary, item, list, variesBy } = definition;
  return shelfEndpoint(snapshot, {
    path,
    tag,
    summary,
    query: listQuery,
    data: pageSchema(item),
    ...(variesBy ? { variesBy } : {}),
    read: (shelf, { query, language }) => pageOfNamed(list(shelf, language), query),
  });
}

function listCategories(snapshot: CatalogueSnapshot): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/categories',
    tag,
    summary: 'Active categories, flat or as a tree',
    query: {
      ...listQuery,
      tree: Type.Boolean({
        default: false,
        description: 'Top categories with `children[]`; paging counts the top.',
      }),
    },
    data: pageSchema(categorySchema),
    read(shelf, { query, language }) {
      const all = query.tree
        ? shelf.childrenOf(null).map((row) => categoryTreeToWire(row, language, (id) => shelf.childrenOf(id)))
        : shelf.rows.categories.map((row) => categoryToWire(row, language));
      return pageOfNamed(all, query);
    },
  });
}

/** One kind of rows that products are filed under. */
interface Kind<Row extends TaxonomyRow> {
  readonly path: string;
  readonly name: string;
  readonly rowsOf: (shelf: Shelf) => readonly Row[];
}

function oneEndpoint<Row extends TaxonomyRow>(
  snapshot: CatalogueSnapshot,
  kind: Kind<Row> & {
    readonly item: TSchema;
    readonly show: (row: Row, language: Language, shelf: Shelf) => unknown;
  },
): Endpoint {
  const { path, name, rowsOf, item, show } = kind;
  return shelfEndpoint(snapshot, {
    path: `${path}/:slug`,
    tag,
    summary: `One active ${name}, by its slug or id`,
    params: slugParams,
    data: item,
    errors: ['NOT_FOUND'],
    read(shelf, { params, language }) {
      const row = findByIdOrSlug(rowsOf(shelf), params.slug);
      if (!row) throw shelfRowNotFound(name);
      return show(row, language, shelf);
    },
  });
}

function productsEndpoint<Row extends TaxonomyRow>(
  snapshot: CatalogueSnapshot,
  kind: Kind<Row> & { readonly filter: 'brand' | 'category' | 'tag' | 'productType' },
): Endpoint {
  const { path, name, rowsOf, filter } = kind;
  return shelfEndpoint(snapshot, {
    path: `${path}/:slug/products`,
    tag,
    summary: `Active products of a ${name}, by its slug or id`,
    params: slugParams,
    query: productListQuery,
    data: pageSchema(productSchema),
    errors: ['NOT_FOUND'],
    read(shelf, { params, query, language }) {
      const row = findByIdOrSlug(rowsOf(shelf), params.slug);
      if (!row) throw shelfRowNotFound(name);
      const found = searchProducts(shelf, { [filter]: row.slug, sort: query.sort, language });
      return cutPage(found, query, (product) => shelf.show(product, language, query.variant_sort));
    },
  });
}

/** These lists are short and in memory: filtered and cut here. */
function pageOfNamed<Item extends Named>(
  all: readonly Item[],
  query: { page: number; limit: number; search?: string },
): Page<Item> {
  const wanted = (query.search ?? '').trim().normalize('NFC').toLowerCase();
  const found = all.filter(({ name }) => name.normalize('NFC').toLowerCase().includes(wanted));
  return cutPage(found, query, (item) => item);
}
