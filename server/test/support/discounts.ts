import { randomUUID } from 'node:crypto';

import { operate } from './operator.ts';
import type { Operator } from './operator.ts';
import { call } from './shop.ts';
import type { Answered, Customer } from './shop.ts';
import type { TestService } from './test-service.ts';

export interface DiscountAnswer {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly discount_value: number;
  readonly usage_limit: number | null;
  readonly usage_count: number;
  readonly is_active: boolean;
  readonly end_date: string | null;
}

/** A discount of 10 % that everybody may use, but for what is said. */
export async function aDiscount(
  service: TestService,
  operator: Operator,
  values: Readonly<Record<string, unknown>> = {},
): Promise<DiscountAnswer> {
  const body = { code: aCode(), discount_type: 'PERCENTAGE', discount_value: 10, ...values };
  const created = await operate<DiscountAnswer>(service, operator, { path: '/discounts', body });
  if (created.status !== 201) throw new Error(`${created.status} ${created.message}`);
  return created.data;
}

export const aCode = (): string => `D-${randomUUID().slice(0, 13).toUpperCase()}`;

export function change(
  service: TestService,
  operator: Operator,
  { id, ...body }: { readonly id: number } & Readonly<Record<string, unknown>>,
): Promise<Answered<DiscountAnswer>> {
  return operate<DiscountAnswer>(service, operator, { path: `/discounts/${id}`, method: 'PUT', body });
}

export interface Validated {
  readonly code: string;
  readonly discount_type: string;
  readonly discount_value: number;
  readonly subtotal: number;
  readonly discount_amount: number;
  readonly final_total: number;
}

export function validate(
  service: TestService,
  query: Readonly<Record<string, string | number>>,
  customer?: Customer,
): Promise<Answered<Validated>> {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return call<Validated>(service, {
    path: `/discounts/validate?${text.toString()}`,
    ...(customer ? { token: customer.token } : {}),
  });
}

export interface DiscountedOrder {
  readonly id: number;
  readonly discount_code: string | null;
  readonly subtotal: number;
  readonly discount_amount: number;
  readonly total_amount: number;
  readonly status: string;
  readonly items: readonly { readonly variant_id: number; readonly discount_amount: number }[];
  readonly payment?: { readonly paymentGatewayUrl: string | null; readonly status: string };
}

/** Orders some variants with a code; without a payment session unless asked for. */
export function orderWith(
  service: TestService,
  customer: Customer,
  wanted: {
    readonly code: string;
    readonly variants: readonly (number | readonly [variantId: number, quantity: number])[];
  } & Readonly<Record<string, unknown>>,
): Promise<Answered<DiscountedOrder>> {
  const { code, variants, ...more } = wanted;
  const items = variants.map((wish) => {
    const [variant_id, quantity] = typeof wish === 'number' ? [wish, 1] : wish;
    return { variant_id, quantity, fulfillment_input: { email: customer.email } };
  });
  return call<DiscountedOrder>(service, {
    path: '/orders',
    token: customer.token,
    body: { items, discount_code: code, payment_method: 'gw_aggregator', init_payment: false, ...more },
  });
}

export async function usesOf(
  service: TestService,
  discountId: number,
): Promise<{ usage_count: number; live: number }> {
  const { rows } = await service.db.query<{ usage_count: number; live: number }>(
    `SELECT usage_count, (SELECT count(*)::int FROM discount_uses u
       WHERE u.discount_id = d.id AND u.released_at IS NULL AND u.is_counted) AS live
     FROM discounts d WHERE id = $1`,
    [discountId],
  );
  if (!rows[0]) throw new Error('no such discount');
  return rows[0];
}
