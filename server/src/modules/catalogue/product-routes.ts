import { Type } from 'typebox';

import type { Reader } from '../../platform/db/database.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { pageQuery, pageSchema } from '../../platform/http/envelope.ts';
import { parseMinor } from '../../platform/money.ts';
import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import {
  fulfillmentFieldsSchema,
  fulfillmentFieldsToWire,
  productSchema,
  variantSchema,
} from './catalogue-wire.ts';
import { productNotFound, variantNotFound } from './errors.ts';
import { countFacets, facetsSchema } from './product-facets.ts';
import { PRODUCT_SORTS, searchProducts } from './search/product-search.ts';
import type { ProductSearch } from './search/product-search.ts';
import { listProductIdsByText } from './search/search-store.ts';
import { findRelated } from './related-products.ts';
import { cutPage, shelfEndpoint } from './shelf-endpoint.ts';
import { VARIANT_SORTS } from './variant-sort.ts';

const tag = 'Catalogue';

export const variantSortQuery = {
  variant_sort: Type.Enum([...VARIANT_SORTS], {
    default: 'price',
    description: '`price`: price, sort_order, id. `sort`: sort_order, id. `name`: name, id. All ascending.',
  }),
};

export const idParams = {
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
};
export const slugParams = { slug: Type.String({ minLength: 1, maxLength: 200 }) };

const idOrSlug = Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Id or slug.' }));
// As text: a float has no two decimal places to check.
const amount = Type.Optional(Type.String({ pattern: '^\\d{1,9}(\\.\\d{1,2})?$', description: 'BDT' }));

const filterQuery = {
  brand: idOrSlug,
  category: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Id or slug; those below it count.' }),
  ),
  tag: idOrSlug,
  product_type: idOrSlug,
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Every word must occur, half typed or mistyped ones too; English or Bangla.',
    }),
  ),
  in_stock: Type.Optional(Type.Boolean()),
  min_price: amount,
  max_price: amount,
};
const filterSchema = Type.Object(filterQuery);

/** How a list of products is cut and shown, whatever it was found by. */
export const productListQuery = {
  ...pageQuery,
  ...variantSortQuery,
  sort: Type.Enum([...PRODUCT_SORTS], { default: 'sort_order' }),
};

export function productEndpoints(snapshot: CatalogueSnapshot, reader: Reader): Endpoint[] {
  return [
    listProducts(snapshot, reader),
    listFilters(snapshot, reader),
    getProduct(snapshot),
    getProductBySlug(snapshot),
    listRelated(snapshot),
    listVariants(snapshot),
    getFulfillmentFields(snapshot),
  ];
}

function listProducts(snapshot: CatalogueSnapshot, reader: Reader): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/products',
    tag,
    summary: 'Active products with their active variants',
    query: { ...productListQuery, ...filterQuery },
    data: pageSchema(productSchema),
    async read(shelf, { query, language }) {
      const filters = await readFilters(reader, query);
      const found = searchProducts(shelf, { ...filters, sort: query.sort, language });
      return cutPage(found, query, (product) => shelf.show(product, language, query.variant_sort));
    },
  });
}

function listFilters(snapshot: CatalogueSnapshot, reader: Reader): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/products/filters',
    tag,
    summary: 'What a list of products can be narrowed by, with how many each would leave',
    description: 'Every group counts under all filters given but its own.',
    query: filterQuery,
    data: facetsSchema,
    read: async (shelf, { query, language }) =>
      countFacets(shelf, { ...(await readFilters(reader, query)), language }),
  });
}

async function readFilters(
  reader: Reader,
  query: Type.Static<typeof filterSchema>,
): Promise<Omit<ProductSearch, 'language' | 'sort'>> {
  const typed = query.search?.trim() ?? '';
  const found = typed === '' ? undefined : new Set(await listProductIdsByText(reader, typed));
  const minPriceMinor = query.min_price === undefined ? undefined : parseMinor(query.min_price);
  const maxPriceMinor = query.max_price === undefined ? undefined : parseMinor(query.max_price);
  return {
    ...(query.brand === undefined ? {} : { brand: query.brand }),
    ...(query.category === undefined ? {} : { category: query.category }),
    ...(query.tag === undefined ? {} : { tag: query.tag }),
    ...(query.product_type === undefined ? {} : { productType: query.product_type }),
    ...(found === undefined ? {} : { found }),
    ...(query.in_stock === undefined ? {} : { inStock: query.in_stock }),
    ...(minPriceMinor === undefined ? {} : { minPriceMinor }),
    ...(maxPriceMinor === undefined ? {} : { maxPriceMinor }),
  };
}

function getProduct(snapshot: CatalogueSnapshot): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/products/:id',
    tag,
    summary: 'One active product',
    params: idParams,
    query: variantSortQuery,
    data: productSchema,
    errors: ['NOT_FOUND'],
    read(shelf, { params, query, language }) {
      const product = shelf.findProduct(params.id);
      if (!product) throw productNotFound();
      return shelf.show(product, language, query.variant_sort);
    },
  });
}

function getProductBySlug(snapshot: CatalogueSnapshot): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/products/slug/:slug',
    tag,
    summary: 'One active product by its slug',
    params: slugParams,
    query: variantSortQuery,
    data: productSchema,
    errors: ['NOT_FOUND'],
    read(shelf, { params, query, language }) {
      const product = shelf.findProductBySlug(params.slug);
      if (!product) throw productNotFound();
      return shelf.show(product, language, query.variant_sort);
    },
  });
}

function listRelated(snapshot: CatalogueSnapshot): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/products/:id/related',
    tag,
    summary: 'Products that go with this one, the closest first',
    params: idParams,
    query: { ...pageQuery, ...variantSortQuery },
    data: pageSchema(productSchema),
    errors: ['NOT_FOUND'],
    read(shelf, { params, query, language }) {
      const product = shelf.findProduct(params.id);
      if (!product) throw productNotFound();
      const related = findRelated(shelf, product);
      return cutPage(related, query, (each) => shelf.show(each, language, query.variant_sort));
    },
  });
}

function listVariants(snapshot: CatalogueSnapshot): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/products/:id/variants',
    tag,
    summary: 'The active variants of a product',
    params: idParams,
    query: { ...pageQuery, ...variantSortQuery },
    data: pageSchema(variantSchema),
    errors: ['NOT_FOUND'],
    read(shelf, { params, query, language }) {
      const product = shelf.findProduct(params.id);
      if (!product) throw productNotFound();
      const { variants } = shelf.show(product, language, query.variant_sort);
      return cutPage(variants, query, (variant) => variant);
    },
  });
}

function getFulfillmentFields(snapshot: CatalogueSnapshot): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/orders/fulfillment-fields/:variantId',
    tag,
    summary: 'What an order of this variant must say about its recipient',
    params: { variantId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) },
    data: fulfillmentFieldsSchema,
    errors: ['NOT_FOUND'],
    read(shelf, { params, language }) {
      const product = shelf.findProductOfVariant(params.variantId);
      if (!product) throw variantNotFound();
      return fulfillmentFieldsToWire(params.variantId, { language, fulfillment: product.fulfillment });
    },
  });
}
