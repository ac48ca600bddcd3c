import { Type } from 'typebox';
import type { Static, TSchema } from 'typebox';

import { fieldError } from '../../../platform/errors.ts';
import { parseMinor, toWireAmount } from '../../../platform/money.ts';
import type { Minor } from '../../../platform/money.ts';
import type { DiscountRow, DiscountValues } from '../discount-store.ts';

const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });
const discountType = Type.Union([Type.Literal('PERCENTAGE'), Type.Literal('FIXED')]);
/** Interface part 4. */
const method = Type.Union([
  Type.Literal('gw_aggregator'),
  Type.Literal('gw_wallet_tokenized'),
  Type.Literal('gw_multi_wallet'),
  Type.Literal('dcb'),
  Type.Literal('gw_wallet_direct'),
]);
/** What a bigint column and a JSON number can both hold. */
export const idSchema = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const ids = (of: string) => Type.Array(idSchema, { maxItems: 1000, uniqueItems: true, description: of });
const taka = (description: string) => Type.Number({ minimum: 0, maximum: 1_000_000_000, description });

const targets = {
  variant_ids: ids('Only these variants; empty means all'),
  product_ids: ids('Only these products; empty means all'),
  brand_ids: ids('Only these brands; empty means all'),
  category_ids: ids('Only these categories and those below them; empty means all'),
};

/** Decisions part 5, with the rules that go beyond it. */
export const discountSchema = Type.Object({
  id: Type.Integer(),
  code: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  discount_type: discountType,
  discount_value: Type.Number({ description: 'Percent, or BDT' }),
  max_discount_amount: nullable(Type.Number()),
  min_purchase_amount: nullable(Type.Number()),
  usage_limit: nullable(Type.Integer()),
  usage_limit_per_user: nullable(Type.Integer()),
  usage_count: Type.Integer({
    description: 'Live uses: of paid orders, and of unpaid ones that still hold theirs',
  }),
  start_date: nullable(timestamp),
  end_date: nullable(timestamp),
  is_active: Type.Boolean(),
  is_public: Type.Boolean({ description: 'Listed by `GET /discounts/available`' }),
  first_order_only: Type.Boolean(),
  unique_codes_only: Type.Boolean({
    description: 'Its own code is only a name; the single-use codes of its batches can be used',
  }),
  ...targets,
  payment_methods: Type.Array(Type.String(), { description: 'Only these; empty means all' }),
  created_at: timestamp,
  updated_at: timestamp,
});
export type DiscountWire = Static<typeof discountSchema>;

const changeable = {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'The code when left out' })),
  description: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
  max_discount_amount: Type.Optional(nullable(taka('The most it takes off, BDT'))),
  min_purchase_amount: Type.Optional(nullable(taka('The least subtotal, BDT'))),
  usage_limit: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }))),
  usage_limit_per_user: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }))),
  start_date: Type.Optional(nullable(timestamp)),
  end_date: Type.Optional(nullable(timestamp)),
  is_active: Type.Optional(Type.Boolean()),
  is_public: Type.Optional(Type.Boolean()),
  first_order_only: Type.Optional(Type.Boolean()),
  unique_codes_only: Type.Optional(Type.Boolean()),
  variant_ids: Type.Optional(targets.variant_ids),
  product_ids: Type.Optional(targets.product_ids),
  brand_ids: Type.Optional(targets.brand_ids),
  category_ids: Type.Optional(targets.category_ids),
  payment_methods: Type.Optional(Type.Array(method, { uniqueItems: true })),
};
const code = Type.String({
  maxLength: 64,
  pattern: '^\\s*[A-Za-z0-9][A-Za-z0-9._%+-]*\\s*$',
  description: 'Unique; upper and lower case are the same',
});
const discountValue = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1_000_000_000,
  description: 'Percent, or BDT',
});

export const newDiscountSchema = Type.Object({
  code,
  discount_type: discountType,
  discount_value: discountValue,
  ...changeable,
});

/** What is left out stays as it is; null takes a limit away. */
export const discountChangeSchema = Type.Object({
  code: Type.Optional(code),
  discount_type: Type.Optional(discountType),
  discount_value: Type.Optional(discountValue),
  ...changeable,
});
export type DiscountChange = Static<typeof discountChangeSchema>;

/** A new discount before anything is said about it. */
export const blankDiscount = (given: { code: string }): DiscountValues => ({
  code: given.code,
  name: given.code,
  description: null,
  discount_type: 'PERCENTAGE',
  value_hundredths: 1,
  max_discount_minor: null,
  min_purchase_minor: null,
  usage_limit: null,
  usage_limit_per_user: null,
  start_date: null,
  end_date: null,
  is_active: true,
  is_public: false,
  first_order_only: false,
  unique_codes_only: false,
  variant_ids: [],
  product_ids: [],
  brand_ids: [],
  category_ids: [],
  payment_methods: [],
});

/**
 * What a discount becomes by a change from the wire.
 *
 * @throws VALIDATION_ERROR for amounts with more than two decimals, a percentage over 100 and dates the wrong way round.
 */
export function changedValues(before: DiscountValues, change: DiscountChange): DiscountValues {
  const { discount_value, max_discount_amount, min_purchase_amount, start_date, end_date, ...plain } = change;
  const after: DiscountValues = {
    ...before,
    ...plain,
    code: plain.code?.trim() ?? before.code,
    value_hundredths: amount('discount_value', discount_value) ?? before.value_hundredths,
    max_discount_minor: amountOr(before.max_discount_minor, 'max_discount_amount', max_discount_amount),
    min_purchase_minor: amountOr(before.min_purchase_minor, 'min_purchase_amount', min_purchase_amount),
    start_date: dateOr(before.start_date, 'start_date', start_date),
    end_date: dateOr(before.end_date, 'end_date', end_date),
  };
  if (after.discount_type === 'PERCENTAGE' && after.value_hundredths > 10_000)
    throw fieldError('discount_value', 'discount_value must be at most 100 percent');
  if (after.max_discount_minor === 0)
    throw fieldError('max_discount_amount', 'max_discount_amount must be more than 0');
  if (after.start_date && after.end_date && after.end_date <= after.start_date)
    throw fieldError('end_date', 'end_date must be after start_date');
  return after;
}

function amount(field: string, value: number | undefined): Minor | undefined {
  if (value === undefined) return undefined;
  const minor = parseMinor(value);
  if (minor === undefined) throw fieldError(field, `${field} must have at most two decimals`);
  return minor;
}

function amountOr(before: Minor | null, field: string, value: number | null | undefined): Minor | null {
  return value === null ? null : (amount(field, value) ?? before);
}

function dateOr(before: Date | null, field: string, value: string | null | undefined): Date | null {
  if (value === undefined) return before;
  return value === null ? null : momentFrom(field, value);
}

/** @throws VALIDATION_ERROR for what has the form of a time and is none, as a leap second. */
export function momentFrom(field: string, value: string): Date {
  const moment = new Date(value);
  if (Number.isNaN(moment.getTime()))
    throw fieldError(field, `${field} must be a moment, as 2026-01-31T18:00:00Z`);
  return moment;
}

const wireOrNull = (minor: Minor | null): number | null => (minor === null ? null : toWireAmount(minor));

export function toDiscountWire(row: DiscountRow): DiscountWire {
  const { value_hundredths, max_discount_minor, min_purchase_minor, revision: _, ...plain } = row;
  return {
    ...plain,
    discount_value: toWireAmount(value_hundredths),
    max_discount_amount: wireOrNull(max_discount_minor),
    min_purchase_amount: wireOrNull(min_purchase_minor),
    start_date: row.start_date?.toISOString() ?? null,
    end_date: row.end_date?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** A discount for the audit log: its code is no secret, so it goes by a name that is not masked. */
export function toAudit(row: DiscountRow): Record<string, unknown> {
  const { code: discount_code, ...rest } = toDiscountWire(row);
  return { discount_code, ...rest };
}
