import { Type } from 'typebox';

import { endpoint } from '../../platform/http/endpoint.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../platform/http/envelope.ts';
import { parseMinor } from '../../platform/money.ts';
import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import { fulfillmentFieldsSchema, fulfillmentFieldsToWire, productSchema } from './catalogue-wire.ts';
import { productNotFound, variantNotFound } from './errors.ts';
import { languageOf, languageQuery } from './language.ts';
import { PRODUCT_SORTS, searchProducts } from './product-search.ts';
import type { ProductSearch } from './product-search.ts';
import { VARIANT_SORTS } from './variant-sort.ts';

const TAG = 'Catalogue';

const variantSortQuery = {
  variant_sort: Type.Enum([...VARIANT_SORTS], {
    default: 'price',
    description: '`price`: price, sort_order, id. `sort`: sort_order, id. `name`: name, id. All ascending.',
  }),
};

const idOrSlug = Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Id or slug.' }));
// As text: a float has no two decimal places to check.
const amount = Type.Optional(Type.String({ pattern: '^\\d{1,9}(\\.\\d{1,2})?$', description: 'BDT' }));

const productsQuery = Type.Object({
  ...pageQuery,
  ...variantSortQuery,
  ...languageQuery,
  brand: idOrSlug,
  category: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Id or slug; those below it count.' }),
  ),
  tag: idOrSlug,
  product_type: idOrSlug,
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Every word must occur; English or Bangla.' }),
  ),
  in_stock: Type.Optional(Type.Boolean()),
  min_price: amount,
  max_price: amount,
  sort: Type.Enum([...PRODUCT_SORTS], { default: 'sort_order' }),
});

export function productEndpoints(snapshot: CatalogueSnapshot): Endpoint[] {
  return [
    listProducts(snapshot),
    getProduct(snapshot),
    getProductBySlug(snapshot),
    getFulfillmentFields(snapshot),
  ];
}

function listProducts(snapshot: CatalogueSnapshot): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/products',
    access: 'anonymous',
    tag: TAG,
    summary: 'Active products with their active variants',
    query: productsQuery,
    data: pageSchema(productSchema),
    async handle({ query, request }) {
      const shelf = await snapshot.current();
      const language = languageOf(query.lang, request.headers['accept-language']);
      const found = searchProducts(shelf, { ...searchOf(query), language });
      const start = (query.page - 1) * query.limit;
      const items = found
        .slice(start, start + query.limit)
        .map((product) => shelf.show(product, language, query.variant_sort));
      return pageOf(items, { page: query.page, limit: query.limit, total: found.length });
    },
  });
}

type ProductsQuery = Type.Static<typeof productsQuery>;

function searchOf(query: ProductsQuery): Omit<ProductSearch, 'language'> {
  const minPriceMinor = query.min_price === undefined ? undefined : parseMinor(query.min_price);
  const maxPriceMinor = query.max_price === undefined ? undefined : parseMinor(query.max_price);
  return {
    sort: query.sort,
    ...(query.brand === undefined ? {} : { brand: query.brand }),
    ...(query.category === undefined ? {} : { category: query.category }),
    ...(query.tag === undefined ? {} : { tag: query.tag }),
    ...(query.product_type === undefined ? {} : { productType: query.product_type }),
    ...(query.search === undefined ? {} : { text: query.search }),
    ...(query.in_stock === undefined ? {} : { inStock: query.in_stock }),
    ...(minPriceMinor === undefined ? {} : { minPriceMinor }),
    ...(maxPriceMinor === undefined ? {} : { maxPriceMinor }),
  };
}

function getProduct(snapshot: CatalogueSnapshot): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/products/:id',
    access: 'anonymous',
    tag: TAG,
    summary: 'One active product',
    params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
    query: Type.Object({ ...variantSortQuery, ...languageQuery }),
    data: productSchema,
    errors: ['NOT_FOUND'],
    async handle({ params, query, request }) {
      const shelf = await snapshot.current();
      const product = shelf.findProduct(params.id);
      if (!product) throw productNotFound();
      return shelf.show(
        product,
        languageOf(query.lang, request.headers['accept-language']),
        query.variant_sort,
      );
    },
  });
}

function getProductBySlug(snapshot: CatalogueSnapshot): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/products/slug/:slug',
    access: 'anonymous',
    tag: TAG,
    summary: 'One active product by its slug',
    params: Type.Object({ slug: Type.String({ minLength: 1, maxLength: 200 }) }),
    query: Type.Object({ ...variantSortQuery, ...languageQuery }),
    data: productSchema,
    errors: ['NOT_FOUND'],
    async handle({ params, query, request }) {
      const shelf = await snapshot.current();
      const product = shelf.findProductBySlug(params.slug);
      if (!product) throw productNotFound();
      return shelf.show(
        product,
        languageOf(query.lang, request.headers['accept-language']),
        query.variant_sort,
      );
    },
  });
}

function getFulfillmentFields(snapshot: CatalogueSnapshot): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/orders/fulfillment-fields/:variantId',
    access: 'anonymous',
    tag: TAG,
    summary: 'What an order of this variant must say about its recipient',
    params: Type.Object({ variantId: Type.Integer({ minimum: 1 }) }),
    query: Type.Object({ ...languageQuery }),
    data: fulfillmentFieldsSchema,
    errors: ['NOT_FOUND'],
    async handle({ params, query, request }) {
      const product = (await snapshot.current()).findProductOfVariant(params.variantId);
      if (!product) throw variantNotFound();
      const language = languageOf(query.lang, request.headers['accept-language']);
      return fulfillmentFieldsToWire(params.variantId, { language, fulfillment: product.fulfillment });
    },
  });
}
