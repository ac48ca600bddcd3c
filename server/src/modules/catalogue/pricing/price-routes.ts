import { Type } from 'typebox';
import type { Static } from 'typebox';

import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { toWireAmount } from '../../../platform/money.ts';
import type { ResourceDeps } from '../../../platform/resource/resource.ts';
import type { Clock } from '../../../platform/time.ts';
import { bulkResultSchema } from '../admin/bulk-results.ts';
import { variantNotFound } from '../errors.ts';
import { changePrices } from './change-prices.ts';
import { listPriceChanges } from './price-store.ts';
import type { PriceChangeRow } from './price-store.ts';

const TAG = 'Variants';
const nullableAmount = Type.Union([Type.Number(), Type.Null()]);
const bdt = { minimum: 0, maximum: 1_000_000_000 };
const amountOrNull = (description: string) =>
  Type.Unsafe<number | null>({ ...bdt, type: ['number', 'null'], description });
const safeId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

const bulkPriceBody = Type.Object({
  items: Type.Array(
    Type.Object({
      id: safeId,
      price: amountOrNull(
        'BDT, at most two decimals; null takes back the price that was scheduled for `effective_at`',
      ),
      compare_at_price: Type.Optional(
        amountOrNull('BDT, above the price; null for none; stays when left out'),
      ),
    }),
    { minItems: 1, maxItems: 500 },
  ),
  effective_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'When it takes effect; at once when left out or past.' }),
  ),
});

const changeSchema = Type.Object({
  id: Type.Integer(),
  old_price: nullableAmount,
  old_compare_at_price: nullableAmount,
  price: Type.Number(),
  compare_at_price: nullableAmount,
  changed_by: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Admin id; null for the program itself',
  }),
  changed_at: Type.String(),
});

export function priceEndpoints(deps: ResourceDeps & { readonly clock: Clock }): Endpoint[] {
  return [changePricesEndpoint(deps), priceHistory(deps)];
}

function changePricesEndpoint(deps: ResourceDeps & { readonly clock: Clock }): Endpoint {
  return endpoint({
    method: 'PATCH',
    path: '/variants/bulk-price',
    access: { permission: 'catalogue:write' },
    tag: TAG,
    summary: 'New prices for up to 500 variants, now or later, or no longer',
    description: 'Every row stands for itself: the good ones are done although others fail.',
    body: bulkPriceBody,
    data: bulkResultSchema,
    handle: (call) =>
      changePrices(deps, { writer: call, items: call.body.items, effectiveAt: call.body.effective_at }),
  });
}

function priceHistory(deps: ResourceDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/variants/:id/price-history',
    access: { permission: 'catalogue:read' },
    tag: TAG,
    summary: 'Who changed the price when, newest first',
    params: Type.Object({ id: safeId }),
    query: Type.Object(pageQuery),
    data: pageSchema(changeSchema),
    errors: ['NOT_FOUND'],
    async handle({ params, query }) {
      const { page, limit } = query;
      const found = await listPriceChanges(deps.db, params.id, { limit, offset: (page - 1) * limit });
      if (found.total === 0) throw variantNotFound();
      return pageOf(found.rows.map(changeToWire), { page, limit, total: found.total });
    },
  });
}

function changeToWire(row: PriceChangeRow): Static<typeof changeSchema> {
  const orNull = (minor: number | null): number | null => (minor === null ? null : toWireAmount(minor));
  return {
    id: row.id,
    old_price: orNull(row.old_price_minor),
    old_compare_at_price: orNull(row.old_compare_at_price_minor),
    price: toWireAmount(row.price_minor),
    compare_at_price: orNull(row.compare_at_price_minor),
    changed_by: row.changed_by,
    changed_at: row.changed_at.toISOString(),
  };
}
