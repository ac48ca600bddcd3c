import { Type } from 'typebox';
import type { Static } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import type { RecordAudit } from '../../../platform/audit.ts';
import type { Database, Reader } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { daysOfCover, isLow } from './stock-rules.ts';
import {
  findStockThreshold,
  listHolds,
  listMovements,
  listStock,
  PACE_DAYS,
  storeStockThreshold,
} from './stock-store.ts';
import type { LevelRow } from './stock-store.ts';

export interface StockRoutesDeps {
  readonly db: Database;
  readonly recordAudit: RecordAudit;
}

const tag = 'Stock';
const read = { permission: 'vouchers:read' } as const;
const params = Type.Object({ variantId: Type.Integer({ minimum: 1 }) });
const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const variantFilter = Type.Optional(Type.Integer({ minimum: 1 }));

const levelSchema = Type.Object({
  variant_id: Type.Integer(),
  product_name: Type.String(),
  variant_name: Type.String(),
  sku: Type.String(),
  engine: Type.String(),
  is_active: Type.Boolean(),
  available: Type.Integer({ description: 'Can be sold now' }),
  expiring: Type.Integer({ description: 'Of these, within 30 days' }),
  expired: Type.Integer({ description: 'Past their expiry: never sold' }),
  held: Type.Integer({ description: 'Reserved by unpaid orders' }),
  sold: Type.Integer(),
  voided: Type.Integer(),
  sold_last_14_days: Type.Integer(),
  days_of_cover: Type.Union([Type.Integer(), Type.Null()], {
    description: 'At the pace of the last 14 days',
  }),
  threshold: nullableInteger,
  threshold_cover_days: nullableInteger,
  is_low: Type.Boolean(),
});

export function stockRoutes(deps: StockRoutesDeps): Endpoint[] {
  return [levelsRoute(deps), holdsRoute(deps), movementsRoute(deps), thresholdRoute(deps)];
}

function toLevelWire(row: LevelRow): Static<typeof levelSchema> {
  const { sold_lately: soldLately, low_units: lowUnits, low_cover_days: lowCoverDays, ...level } = row;
  const facts = { available: row.available, soldLately, paceDays: PACE_DAYS, lowUnits, lowCoverDays };
  return {
    ...level,
    sold_last_14_days: soldLately,
    days_of_cover: daysOfCover(facts),
    threshold: lowUnits,
    threshold_cover_days: lowCoverDays,
    is_low: isLow(facts),
  };
}

function levelsRoute(deps: StockRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/stock',
    access: read,
    summary: 'How much of each variant there is, and how long it lasts',
    tag,
    query: Type.Object({
      ...pageQuery,
      search: Type.Optional(Type.String({ maxLength: 200, description: 'In product, variant or SKU' })),
      engine: Type.Optional(Type.Enum(['PRELOADED', 'PARTNER'])),
      variant_id: variantFilter,
    }),
    data: pageSchema(levelSchema),
    handle: async ({ query }) => {
      const { page, limit } = query;
      const filter = {
        search: query.search ?? null,
        engine: query.engine ?? null,
        variantId: query.variant_id ?? null,
      };
      const { rows, total } = await listStock(deps.db, filter, { limit, offset: (page - 1) * limit });
      return pageOf(rows.map(toLevelWire), { page, limit, total });
    },
  });
}

function holdsRoute(deps: StockRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/stock/holds',
    access: read,
    summary: 'Units that orders hold, with their order and until when',
    tag,
    query: Type.Object({ ...pageQuery, variant_id: variantFilter }),
    data: pageSchema(
      Type.Object({
        order_id: Type.Integer(),
        order_number: Type.String(),
        order_status: Type.String(),
        orderItemId: Type.Integer(),
        variant_id: Type.Integer(),
        product_name: Type.String(),
        variant_name: Type.String(),
        units: Type.Integer(),
        held_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
      }),
    ),
    handle: async ({ query: { page, limit, variant_id: variantId = null } }) => {
      const { rows, total } = await listHolds(deps.db, variantId, { limit, offset: (page - 1) * limit });
      const items = rows.map(({ order_item_id: orderItemId, held_until: until, ...row }) => ({
        ...row,
        orderItemId,
        held_until: until?.toISOString() ?? null,
      }));
      return pageOf(items, { page, limit, total });
    },
  });
}

const unitsSchema = Type.Object({
  available: Type.Integer(),
  reserved: Type.Integer(),
  assigned: Type.Integer(),
  voided: Type.Integer(),
});

const movementSchema = Type.Object({
  id: Type.Integer(),
  from: Type.Union([Type.String(), Type.Null()], { description: 'Null: came into the vault' }),
  to: Type.Union([Type.String(), Type.Null()]),
  units: Type.Integer(),
  batch_id: nullableInteger,
  order_id: nullableInteger,
  orderItemId: nullableInteger,
  occurred_at: Type.String({ format: 'date-time' }),
});

function movementsRoute(deps: StockRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/stock/:variantId/movements',
    access: read,
    summary: 'Every movement of a variant’s units, newest first, and what they add up to',
    tag,
    params,
    query: Type.Object(pageQuery),
    data: Type.Interface([pageSchema(movementSchema)], {
      balance: Type.Object({ by_movements: unitsSchema, by_vouchers: unitsSchema, is_equal: Type.Boolean() }),
    }),
    errors: ['NOT_FOUND'],
    handle: async ({ params: { variantId }, query: { page, limit } }) => {
      await requireVariant(deps.db, variantId);
      const ledger = await listMovements(deps.db, variantId, { limit, offset: (page - 1) * limit });
      const { rows, total, byMovements, byVouchers } = ledger;
      const items = rows.map((row) => ({
        id: row.id,
        from: row.from_status,
        to: row.to_status,
        units: row.units,
        batch_id: row.batch_id,
        order_id: row.order_id,
        orderItemId: row.order_item_id,
        occurred_at: row.occurred_at.toISOString(),
      }));
      const states = ['available', 'reserved', 'assigned', 'voided'] as const;
      const isEqual = states.every((state) => byMovements[state] === byVouchers[state]);
      const balance = { by_movements: byMovements, by_vouchers: byVouchers, is_equal: isEqual };
      return { ...pageOf(items, { page, limit, total }), balance };
    },
  });
}

async function requireVariant(reader: Reader, variantId: number): Promise<void> {
  const filter = { search: null, engine: null, variantId };
  const { total } = await listStock(reader, filter, { limit: 1, offset: 0 });
  if (total === 0) throw new AppError('NOT_FOUND', `There is no variant ${variantId}`);
}

function thresholdRoute(deps: StockRoutesDeps): Endpoint {
  const limit = (description: string) =>
    Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()], { description }),
    );
  return endpoint({
    method: 'PUT',
    path: '/stock/:variantId/threshold',
    access: { permission: 'vouchers:write' },
    summary: 'When to be told that a variant runs low; nothing given: never',
    tag,
    params,
    body: Type.Object({
      threshold: limit('Fewer units than this'),
      cover_days: limit('Fewer days than this, at the pace of the last 14'),
    }),
    data: Type.Object({
      variant_id: Type.Integer(),
      threshold: nullableInteger,
      cover_days: nullableInteger,
    }),
    errors: ['NOT_FOUND'],
    handle: async (call) => {
      const { variantId } = call.params;
      const { threshold = null, cover_days: coverDays = null } = call.body;
      await requireVariant(deps.db, variantId);
      await inTransaction(deps.db, async (tx) => {
        const before = await findStockThreshold(tx, variantId);
        await storeStockThreshold(tx, { variantId, lowUnits: threshold, lowCoverDays: coverDays });
        await deps.recordAudit(tx, {
          ...auditActor(call),
          action: 'vouchers:threshold',
          resource: `variant:${variantId}`,
          before: { threshold: before?.low_units ?? null, cover_days: before?.low_cover_days ?? null },
          after: { threshold, cover_days: coverDays },
        });
      });
      return { variant_id: variantId, threshold, cover_days: coverDays };
    },
  });
}
