import { Type } from 'typebox';
import type { Static } from 'typebox';

import { fieldError } from '../../../platform/errors.ts';
import { parseMinor, toWireAmount } from '../../../platform/money.ts';
import type { DiscountRow } from '../discount-store.ts';
import { idSchema, momentFrom } from './discount-wire.ts';
import type { Simulated, Simulation } from './simulate-discount.ts';
import type { UseOfOrderRow, UseSummaryRow } from '../use-store.ts';

const timestamp = Type.String({ format: 'date-time' });
const nullableTime = Type.Union([timestamp, Type.Null()]);

/** An order as the list of uses shows it: the orders module knows. */
export interface DiscountedOrder {
  readonly id: number;
  readonly order_number: string;
  readonly status: string;
  readonly paid_at: Date | null;
}

export const useOfOrderSchema = Type.Object({
  order_id: Type.Integer(),
  order_number: Type.String(),
  order_status: Type.String(),
  user_id: Type.Integer(),
  code: Type.String({ description: 'As used: the discount’s own, or one of a batch' }),
  subtotal: Type.Number(),
  discount_amount: Type.Number(),
  total_amount: Type.Number(),
  use: Type.String({ description: '`held` (unpaid), `paid` or `released`' }),
  over_limit: Type.Boolean({
    description: 'Paid after its use had gone to somebody else: honoured, and counted nowhere',
  }),
  used_at: timestamp,
  paid_at: nullableTime,
  released_at: nullableTime,
});

export function toUseWire(row: UseOfOrderRow, order: DiscountedOrder): Static<typeof useOfOrderSchema> {
  const held = row.released_at === null ? 'held' : 'released';
  return {
    order_id: row.order_id,
    order_number: order.order_number,
    order_status: order.status,
    user_id: row.user_id,
    code: row.code,
    subtotal: toWireAmount(row.subtotal_minor),
    discount_amount: toWireAmount(row.discount_minor),
    total_amount: toWireAmount(row.subtotal_minor - row.discount_minor),
    use: row.settled_at === null ? held : 'paid',
    over_limit: !row.is_counted,
    used_at: row.taken_at.toISOString(),
    paid_at: order.paid_at?.toISOString() ?? null,
    released_at: row.released_at?.toISOString() ?? null,
  };
}

export const discountStatsSchema = Type.Object({
  usage_limit: Type.Union([Type.Integer(), Type.Null()]),
  usage_count: Type.Integer(),
  remaining: Type.Union([Type.Integer(), Type.Null()]),
  uses: Type.Object({
    held: Type.Integer({ description: 'By orders that are not paid yet' }),
    paid: Type.Integer(),
    over_limit: Type.Integer({ description: 'Of the paid ones: honoured beyond the limit' }),
    released: Type.Integer({ description: 'Given back by orders that died unpaid' }),
  }),
  customers: Type.Integer({ description: 'Who paid with it' }),
  revenue: Type.Number({ description: 'What they paid, BDT' }),
  discount_total: Type.Number({ description: 'What it took off paid orders, BDT' }),
  refusals: Type.Record(Type.String(), Type.Integer(), {
    description: 'Refused tries of the last 90 days by the rule that refused',
  }),
});

export function toStatsWire(row: DiscountRow, uses: UseSummaryRow): Static<typeof discountStatsSchema> {
  const { usage_limit, usage_count } = row;
  return {
    usage_limit,
    usage_count,
    remaining: usage_limit === null ? null : usage_limit - usage_count,
    uses: { held: uses.pending, paid: uses.paid, over_limit: uses.over_limit, released: uses.released },
    customers: uses.customers,
    revenue: toWireAmount(uses.revenue_minor),
    discount_total: toWireAmount(uses.discount_minor),
    refusals: uses.refusals,
  };
}

export const simulationSchema = Type.Object({
  code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'As a customer would type it' }),
  ),
  discount_id: Type.Optional(idSchema),
  items: Type.Optional(
    Type.Array(
      Type.Object({
        variant_id: idSchema,
        quantity: Type.Integer({ minimum: 1, maximum: 100 }),
      }),
      { maxItems: 20 },
    ),
  ),
  subtotal: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1_000_000_000, description: 'Where no items are given' }),
  ),
  user_id: Type.Optional(idSchema),
  payment_method: Type.Optional(Type.String({ maxLength: 40 })),
  at: Type.Optional(Type.String({ format: 'date-time', description: 'Now when left out' })),
});

/** @throws VALIDATION_ERROR without a discount, or for an amount with more than two decimals. */
export function simulationFrom(body: Static<typeof simulationSchema>): Simulation {
  const { code, discount_id: id, subtotal } = body;
  const subtotalMinor = subtotal === undefined ? undefined : parseMinor(subtotal);
  if (subtotal !== undefined && subtotalMinor === undefined)
    throw fieldError('subtotal', 'subtotal must be an amount with at most two decimals');
  if ((code === undefined) === (id === undefined))
    throw fieldError('code', 'Say which discount: either code or discount_id');
  return {
    discount: id === undefined ? { code: code ?? '' } : { id },
    variants: body.items?.map((item) => ({ variantId: item.variant_id, quantity: item.quantity })),
    subtotalMinor,
    userId: body.user_id ?? null,
    paymentMethod: body.payment_method,
    at: body.at === undefined ? undefined : momentFrom('at', body.at),
  };
}

export const simulatedSchema = Type.Object({
  discount: Type.Union([
    Type.Object({ id: Type.Integer(), code: Type.String(), name: Type.String() }),
    Type.Null(),
  ]),
  applies: Type.Boolean(),
  message: Type.Union([
    Type.String({ description: 'What the customer would be told; null when it applies' }),
    Type.Null(),
  ]),
  checks: Type.Array(
    Type.Object({
      check: Type.String(),
      outcome: Type.String({ description: '`pass`, `fail` or `not_checked` (what it needs was not given)' }),
      message: Type.String(),
    }),
  ),
  subtotal: Type.Number(),
  discount_amount: Type.Number(),
  final_total: Type.Number(),
  items: Type.Array(
    Type.Object({
      variant_id: Type.Integer(),
      total: Type.Number(),
      covered: Type.Boolean(),
      discount_amount: Type.Number({ description: 'Its share; the shares sum to `discount_amount`' }),
    }),
  ),
});

export function toSimulatedWire(simulated: Simulated): Static<typeof simulatedSchema> {
  const { candidate, checks, failure, subtotalMinor, discountMinor, lines } = simulated;
  return {
    discount: candidate ? { id: candidate.id, code: candidate.shown_code, name: candidate.name } : null,
    applies: !failure,
    message: failure?.message ?? null,
    checks: checks.map(({ check, outcome, message }) => ({ check, outcome, message })),
    subtotal: toWireAmount(subtotalMinor),
    discount_amount: toWireAmount(discountMinor),
    final_total: toWireAmount(subtotalMinor - discountMinor),
    items: lines.map(({ line, isCovered, discountMinor: share }) => ({
      variant_id: line.variantId,
      total: toWireAmount(line.totalMinor),
      covered: isCovered,
      discount_amount: toWireAmount(share),
    })),
  };
}
