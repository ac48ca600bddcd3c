import { Type } from 'typebox';

import { endpoint } from '../../platform/http/endpoint.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { limitAddress } from '../../platform/http/throttle-address.ts';
import { fieldError } from '../../platform/errors.ts';
import { parseMinor, toWireAmount } from '../../platform/money.ts';
import { findOffers } from './find-offers.ts';
import { validateDiscount } from './validate-discount.ts';
import type { ValidateDiscountDeps, VariantInCart } from './validate-discount.ts';

const tag = 'Discounts';
const listOfIntegers = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ pattern: '^\\d{1,12}(,\\d{1,12}){0,19}$' }), { maxItems: 20, description }),
  );

const cartQuery = {
  variant_ids: listOfIntegers('The cart’s variants, repeated or separated by commas'),
  quantities: listOfIntegers('How many of each, in the same order; 1 where left out'),
  payment_method: Type.Optional(Type.String({ maxLength: 40 })),
};
const amount = Type.Number({ minimum: 0, maximum: 1_000_000_000, description: 'BDT, at most two decimals' });

export function discountRoutes(deps: ValidateDiscountDeps): Endpoint[] {
  return [validate(deps), available(deps)];
}

function validate(deps: ValidateDiscountDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/discounts/validate',
    access: 'client_optional',
    summary: 'What a discount code takes off a subtotal; consumes nothing',
    description:
      'Without `variant_ids` a code that is restricted to items is checked against them when the order is created. ' +
      'Limits for one customer are checked when a token is sent.',
    tag,
    limits: [{ name: 'discount-validate', per: 'address', requests: 30, windowSeconds: 60 }],
    query: Type.Object({
      code: Type.String({ minLength: 1, maxLength: 64 }),
      subtotal: amount,
      ...cartQuery,
    }),
    data: Type.Object({
      code: Type.String(),
      discount_type: Type.String(),
      discount_value: Type.Number(),
      subtotal: Type.Number(),
      discount_amount: Type.Number(),
      final_total: Type.Number(),
    }),
    errors: ['BAD_REQUEST'],
    handle: async ({ caller, query, request }) => {
      const { candidate, assessed } = await validateDiscount(deps, {
        code: query.code,
        subtotalMinor: toMinor(query.subtotal),
        variants: toVariants(query),
        paymentMethod: query.payment_method,
        userId: caller?.userId ?? null,
        address: limitAddress(request.ip),
      });
      return {
        code: candidate.shown_code,
        discount_type: candidate.discount_type,
        discount_value: toWireAmount(candidate.value_hundredths),
        ...totals(assessed),
      };
    },
  });
}

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

const offerSchema = Type.Object({
  code: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  discount_type: Type.String(),
  discount_value: Type.Number(),
  max_discount_amount: nullable(Type.Number()),
  min_purchase_amount: nullable(Type.Number()),
  end_date: nullable(Type.String({ format: 'date-time' })),
  applies: Type.Boolean({ description: 'To this caller and cart, as far as they are known' }),
  reason: nullable(Type.String({ description: 'Why it does not apply' })),
  discount_amount: nullable(
    Type.Number({ description: 'Null where it does not apply or there is no subtotal' }),
  ),
  final_total: nullable(Type.Number()),
});

function available(deps: ValidateDiscountDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/discounts/available',
    access: 'client_optional',
    summary: 'Public offers, and which of them apply to me and my cart',
    tag,
    query: Type.Object({ subtotal: Type.Optional(amount), ...cartQuery }),
    data: Type.Object({ items: Type.Array(offerSchema) }),
    handle: async ({ caller, query }) => {
      const offers = await findOffers(deps, {
        subtotalMinor: query.subtotal === undefined ? undefined : toMinor(query.subtotal),
        variants: toVariants(query),
        paymentMethod: query.payment_method,
        userId: caller?.userId ?? null,
      });
      const items = offers.map(({ candidate, assessed, isPriced }) => ({
        code: candidate.shown_code,
        name: candidate.name,
        description: candidate.description,
        discount_type: candidate.discount_type,
        discount_value: toWireAmount(candidate.value_hundredths),
        max_discount_amount: wireOrNull(candidate.max_discount_minor),
        min_purchase_amount: wireOrNull(candidate.min_purchase_minor),
        end_date: candidate.end_date?.toISOString() ?? null,
        applies: !assessed.failure,
        reason: assessed.failure?.message ?? null,
        ...(isPriced ? totals(assessed) : { discount_amount: null, final_total: null }),
      }));
      return { items };
    },
  });
}

const wireOrNull = (minor: number | null): number | null => (minor === null ? null : toWireAmount(minor));

function totals(assessed: { subtotalMinor: number; discountMinor: number }) {
  const { subtotalMinor, discountMinor } = assessed;
  return {
    subtotal: toWireAmount(subtotalMinor),
    discount_amount: toWireAmount(discountMinor),
    final_total: toWireAmount(subtotalMinor - discountMinor),
  };
}

function toMinor(subtotal: number): number {
  const minor = parseMinor(subtotal);
  if (minor === undefined)
    throw fieldError('subtotal', 'subtotal must be an amount with at most two decimals');
  return minor;
}

function toVariants(query: { variant_ids?: string[]; quantities?: string[] }): VariantInCart[] | undefined {
  if (!query.variant_ids) return undefined;
  const numbers = (texts: readonly string[]): number[] =>
    texts.flatMap((text) => text.split(',').map(Number));
  const quantities = numbers(query.quantities ?? []);
  return numbers(query.variant_ids).map((variantId, index) => ({
    variantId,
    quantity: Math.min(quantities[index] ?? 1, 100),
  }));
}
