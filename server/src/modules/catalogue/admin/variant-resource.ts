import { Type } from 'typebox';

import {
  amount,
  byFlag,
  choice,
  equals,
  flag,
  integer,
  optionalAmount,
  optionalText,
  readOnly,
  sortOrder,
  text,
} from '../../../platform/resource/fields.ts';
import { toWireAmount } from '../../../platform/money.ts';
import { refuseLowCompareAt } from '../pricing/price-rules.ts';
import type { Resource } from '../../../platform/resource/resource.ts';

const ENGINES = ['PRELOADED', 'PARTNER'] as const;

const nullableNumber = Type.Union([Type.Number(), Type.Null()]);

interface ScheduledPrice {
  readonly effective_at: string;
  readonly price_minor: number;
  readonly compare_at_price_minor: number | null;
}

/** A variant is what is priced, stocked and sold; it is ordered within its product only. */
export const variantResource: Resource = {
  name: 'variant',
  tag: 'Variants',
  table: 'product_variants',
  path: '/products/:productId/variants',
  itemPath: '/variants/:id',
  permission: { read: 'catalogue:read', write: 'catalogue:write' },
  fields: {
    product_id: readOnly(Type.Integer()),
    name: text({ max: 200 }),
    name_bn: optionalText(200),
    sku: text({ max: 64, pattern: '^\\S(.*\\S)?$', description: 'Unique in the whole shop' }),
    price: amount({ column: 'price_minor' }),
    compare_at_price: optionalAmount({ column: 'compare_at_price_minor' }),
    currency: readOnly(Type.String()),
    engine: choice(ENGINES),
    max_quantity: integer({ min: 1, max: 100 }),
    is_active: flag(),
    sort_order: sortOrder(),
    scheduled_prices: readOnly(
      Type.Array(
        Type.Object({
          effective_at: Type.String(),
          price: Type.Number(),
          compare_at_price: nullableNumber,
        }),
      ),
      {
        select: `(SELECT COALESCE(json_agg(json_build_object('effective_at', s.effective_at, 'price_minor', s.price_minor,
          'compare_at_price_minor', CASE WHEN s.changes_compare_at THEN s.compare_at_price_minor
            ELSE r.compare_at_price_minor END) ORDER BY s.effective_at), '[]')
          FROM scheduled_prices s WHERE s.variant_id = r.id)`,
        toWire: (value) => (value as ScheduledPrice[]).map(scheduledToWire),
      },
    ),
  },
  search: ['name', 'name_bn', 'sku'],
  filters: { is_active: byFlag('is_active'), engine: equals('engine', Type.Enum([...ENGINES])) },
  sorts: ['sort_order', 'id', 'name', 'sku', 'price', 'created_at'],
  within: { param: 'productId', column: 'product_id', table: 'products', name: 'product' },
  operations: [
    'list',
    'create',
    'get',
    'update',
    'delete',
    { patch: 'status', fields: ['is_active'], summary: 'Switch the sale of a variant on or off' },
    { reorder: 'PATCH' },
  ],
  async check(_tx, { before, input }) {
    refuseLowCompareAt(input, { ...before, ...input }['price']);
    return undefined;
  },
};

function scheduledToWire(row: ScheduledPrice) {
  return {
    effective_at: new Date(row.effective_at).toISOString(),
    price: toWireAmount(row.price_minor),
    compare_at_price: row.compare_at_price_minor === null ? null : toWireAmount(row.compare_at_price_minor),
  };
}
