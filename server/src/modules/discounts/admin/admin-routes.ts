import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import type { Reader } from '../../../platform/db/database.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { changeDiscount, createDiscount, deleteDiscount } from './change-discounts.ts';
import type { ChangeDiscountsDeps } from './change-discounts.ts';
import { discountSorts, findDiscountById, listDiscounts } from '../discount-store.ts';
import type { DiscountRow } from '../discount-store.ts';
import {
  discountChangeSchema,
  discountSchema,
  idSchema,
  newDiscountSchema,
  toDiscountWire,
} from './discount-wire.ts';
import { discountNotFound } from '../errors.ts';
import {
  discountStatsSchema,
  simulatedSchema,
  simulationFrom,
  simulationSchema,
  toSimulatedWire,
  toStatsWire,
  toUseWire,
  useOfOrderSchema,
} from './report-wire.ts';
import type { DiscountedOrder } from './report-wire.ts';
import { simulateDiscount } from './simulate-discount.ts';
import { listUsesOf, summariseUses } from '../use-store.ts';
import type { ValidateDiscountDeps } from '../validate-discount.ts';

const tag = 'Discount codes';
const params = Type.Object({ id: idSchema });
const read = { permission: 'discounts:read' } as const;
const write = { permission: 'discounts:write' } as const;

export interface AdminDiscountsDeps extends ChangeDiscountsDeps, ValidateDiscountDeps {
  readonly listOrders: (reader: Reader, orderIds: readonly number[]) => Promise<readonly DiscountedOrder[]>;
}

export function adminDiscountRoutes(deps: AdminDiscountsDeps): Endpoint[] {
  return [
    list(deps),
    create(deps),
    simulate(deps),
    get(deps),
    change(deps),
    remove(deps),
    orders(deps),
    stats(deps),
  ];
}

function list(deps: AdminDiscountsDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/discounts',
    access: read,
    summary: 'Discounts',
    tag,
    query: Type.Object({
      ...pageQuery,
      search: Type.Optional(
        Type.String({ maxLength: 200, description: 'A part of code or name, or one code of a batch' }),
      ),
      is_active: Type.Optional(Type.Boolean()),
      is_public: Type.Optional(Type.Boolean()),
      discount_type: Type.Optional(Type.Union([Type.Literal('PERCENTAGE'), Type.Literal('FIXED')])),
      sort: Type.Optional(Type.Union(discountSorts.map((sort) => Type.Literal(sort)))),
    }),
    data: pageSchema(discountSchema),
    handle: async ({ query }) => {
      const { page, limit } = query;
      const { rows, total } = await listDiscounts(deps.db, {
        search: query.search?.trim() || null,
        isActive: query.is_active ?? null,
        isPublic: query.is_public ?? null,
        type: query.discount_type ?? null,
        sort: query.sort ?? '-id',
        limit,
        offset: (page - 1) * limit,
      });
      return pageOf(rows.map(toDiscountWire), { page, limit, total });
    },
  });
}

function create(deps: AdminDiscountsDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/discounts',
    access: write,
    summary: 'Create a discount',
    tag,
    body: newDiscountSchema,
    data: discountSchema,
    status: 201,
    errors: ['CONFLICT'],
    handle: async (call) => {
      const created = await createDiscount(deps, call.body, auditActor(call));
      return answer(toDiscountWire(created), { message: `Discount ${created.code} created` });
    },
  });
}

async function getDiscount(deps: AdminDiscountsDeps, id: number): Promise<DiscountRow> {
  const row = await findDiscountById(deps.db, id);
  if (!row) throw discountNotFound();
  return row;
}

function get(deps: AdminDiscountsDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/discounts/:id',
    access: read,
    summary: 'One discount',
    tag,
    params,
    data: discountSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ params: { id } }) => toDiscountWire(await getDiscount(deps, id)),
  });
}

function change(deps: AdminDiscountsDeps): Endpoint {
  return endpoint({
    method: 'PUT',
    path: '/discounts/:id',
    access: write,
    summary: 'Change a discount; it holds at once',
    description:
      'Fields left out stay as they are, null takes a limit away. Orders keep the price they were made with; ' +
      '`is_active` false stops every further use, and keeps the history.',
    tag,
    params,
    body: discountChangeSchema,
    data: discountSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) =>
      toDiscountWire(await changeDiscount(deps, { id: call.params.id, change: call.body }, auditActor(call))),
  });
}

function remove(deps: AdminDiscountsDeps): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: '/discounts/:id',
    access: write,
    summary: 'Delete a discount that no order has ever used',
    tag,
    params,
    data: Type.Null(),
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      await deleteDiscount(deps, call.params.id, auditActor(call));
      return answer(null, { message: 'Discount deleted' });
    },
  });
}

function orders(deps: AdminDiscountsDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/discounts/:id/orders',
    access: read,
    summary: 'Orders that used a discount, newest first, those that gave it back included',
    tag,
    params,
    query: Type.Object(pageQuery),
    data: pageSchema(useOfOrderSchema),
    errors: ['NOT_FOUND'],
    handle: async ({ params: { id }, query: { page, limit } }) => {
      await getDiscount(deps, id);
      const { rows, total } = await listUsesOf(deps.db, {
        discountId: id,
        limit,
        offset: (page - 1) * limit,
      });
      const known = await deps.listOrders(
        deps.db,
        rows.map((row) => row.order_id),
      );
      const items = rows.flatMap((row) => {
        const order = known.find((one) => one.id === row.order_id);
        return order ? [toUseWire(row, order)] : [];
      });
      return pageOf(items, { page, limit, total });
    },
  });
}

function stats(deps: AdminDiscountsDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/discounts/:id/stats',
    access: read,
    summary: 'Uses, revenue, cost and refused tries by reason',
    tag,
    params,
    data: discountStatsSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ params: { id } }) => {
      const row = await getDiscount(deps, id);
      return toStatsWire(row, await summariseUses(deps.db, id));
    },
  });
}

function simulate(deps: AdminDiscountsDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/discounts/simulate',
    access: read,
    summary: 'Explain, rule by rule, what a discount says to a hypothetical cart, customer and time',
    tag,
    body: simulationSchema,
    data: simulatedSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ body }) => toSimulatedWire(await simulateDiscount(deps, simulationFrom(body))),
  });
}
