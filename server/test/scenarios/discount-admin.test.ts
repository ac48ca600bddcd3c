import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aCode, aDiscount, change, orderWith, usesOf, validate } from '../support/discounts.ts';
import type { DiscountAnswer } from '../support/discounts.ts';
import { expectInvariants } from '../support/invariants.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, call, pay, someCodes } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;
let customer: Customer;
let variantId: number;

beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
  customer = await aCustomer(service);
  ({ variantId } = await aVariant(service, { priceMinor: 50_000, codes: someCodes('ADMIN', 60) }));
});
afterAll(async () => {
  await expectInvariants(service.db);
  await service.close();
});

interface Listed<Item> {
  readonly items: Item[];
  readonly pagination: { readonly total: number };
}
const admin = <Data>(path: string, method?: string, body?: unknown) =>
  operate<Data>(service, operator, {
    path: `/discounts${path}`,
    ...(method ? { method } : {}),
    ...(body === undefined ? {} : { body }),
  });
const order = (code: string, more = {}) =>
  orderWith(service, customer, { code, variants: [variantId], ...more });

describe('CRUD at /admin/discounts (interface part 4)', () => {
  it('stores every field and shows it again', async () => {
    const values = {
      code: aCode(),
      name: 'Eid sale',
      description: 'For Eid',
      discount_type: 'FIXED',
      discount_value: 99.5,
      max_discount_amount: 80.25,
      min_purchase_amount: 100,
      usage_limit: 5,
      usage_limit_per_user: 2,
      start_date: '2026-01-01T00:00:00.000Z',
      end_date: '2099-01-01T00:00:00.000Z',
      is_active: true,
      is_public: true,
      first_order_only: false,
      unique_codes_only: false,
      variant_ids: [variantId],
      product_ids: [],
      brand_ids: [],
      category_ids: [],
      payment_methods: ['dcb'],
    };
    const created = await admin<DiscountAnswer>('', 'POST', values);
    expect(created).toMatchObject({ status: 201, data: { ...values, usage_count: 0 } });
    expect((await admin(`/${created.data.id}`)).data).toEqual(created.data);
    const changed = await admin(`/${created.data.id}`, 'PUT', { usage_limit: null, discount_value: 10 });
    expect(changed.data).toMatchObject({ ...values, usage_limit: null, discount_value: 10 });
  });

  it('finds discounts by a part of code or name, filters and sorts', async () => {
    const mark = aCode();
    const one = await aDiscount(service, operator, { code: `${mark}-B`, name: 'zeta', is_active: false });
    const two = await aDiscount(service, operator, { code: `${mark}-A`, name: `Of ${mark}` });
    const list = async (query: string) =>
      (await admin<Listed<DiscountAnswer>>(`?${query}`)).data.items.map(({ id }) => id);
    expect(await list(`search=${mark.toLowerCase()}&sort=code`)).toEqual([two.id, one.id]);
    expect(await list(`search=${mark}&sort=-code`)).toEqual([one.id, two.id]);
    expect(await list(`search=${mark}&is_active=false`)).toEqual([one.id]);
    expect(await list(`search=${mark}&discount_type=FIXED`)).toEqual([]);
    expect((await admin('?sort=revision')).status).toBe(400);
  });

  it.each([
    ['a percentage over 100', { discount_value: 100.5 }, 'discount_value'],
    ['three decimals', { discount_value: 1.005 }, 'discount_value'],
    [
      'an end before the start',
      { start_date: '2026-02-01T00:00:00Z', end_date: '2026-01-01T00:00:00Z' },
      'end_date',
    ],
    ['a variant that does not exist', { variant_ids: [987_654_321] }, 'variant_ids'],
    ['a category that does not exist', { category_ids: [987_654_321] }, 'category_ids'],
    ['a code with a space in it', { code: 'TWO WORDS' }, 'code'],
    ['no use at all', { usage_limit: 0 }, 'usage_limit'],
  ])('refuses %s by field', async (_, wrong, field) => {
    const body = { code: aCode(), discount_type: 'PERCENTAGE', discount_value: 10, ...wrong };
    const answer = await admin('', 'POST', body);
    expect(answer).toMatchObject({ status: 400, errorCode: 'VALIDATION_ERROR' });
    expect(answer.errors?.map((problem) => problem.field)).toContain(field);
  });

  it('keeps codes unique whatever their case, also on change', async () => {
    const { code } = await aDiscount(service, operator);
    const twin = { code: code.toLowerCase(), discount_type: 'FIXED', discount_value: 1 };
    expect(await admin('', 'POST', twin)).toMatchObject({ status: 409, errorCode: 'CONFLICT' });
    const other = await aDiscount(service, operator);
    expect((await admin(`/${other.id}`, 'PUT', { code: code.toLowerCase() })).status).toBe(409);
    const renamed = aCode();
    expect((await admin(`/${other.id}`, 'PUT', { code: renamed })).status).toBe(200);
    expect((await validate(service, { code: other.code, subtotal: 1 })).status).toBe(400);
    expect((await validate(service, { code: renamed, subtotal: 1 })).status).toBe(200);
  });

  it('never lets a limit fall below the uses there are', async () => {
    const discount = await aDiscount(service, operator, { usage_limit: 5 });
    for (let n = 0; n < 2; n += 1) expect((await order(discount.code)).status).toBe(201);
    expect(await admin(`/${discount.id}`, 'PUT', { usage_limit: 1 })).toMatchObject({ status: 409 });
    expect((await admin(`/${discount.id}`, 'PUT', { usage_limit: 2 })).status).toBe(200);
    expect((await order(discount.code)).status).toBe(400);
  });

  it('deletes a discount nobody used, and refuses once any order has, even one that died', async () => {
    const unused = await aDiscount(service, operator);
    expect((await admin(`/${unused.id}`, 'DELETE')).status).toBe(200);
    expect((await admin(`/${unused.id}`)).status).toBe(404);
    expect((await admin(`/${unused.id}`, 'DELETE')).status).toBe(404);
    expect((await admin('', 'POST', { ...unused, discount_type: 'FIXED' })).status).toBe(201);

    const used = await aDiscount(service, operator);
    const placed = await order(used.code);
    await call(service, { path: `/orders/${placed.data.id}/cancel`, token: customer.token, body: {} });
    expect(await admin(`/${used.id}`, 'DELETE')).toMatchObject({ status: 409, data: { orders: 1 } });
  });

  it('stops at once on every process when is_active is set to false', async () => {
    const second = await startTestService({ beside: service });
    const { code, id } = await aDiscount(service, operator);
    expect((await validate(second, { code, subtotal: 100 })).status).toBe(200);
    await change(service, operator, { id, is_active: false });
    expect((await validate(second, { code, subtotal: 100 })).status).toBe(400);
    expect((await orderWith(second, customer, { code, variants: [variantId] })).status).toBe(400);
    await change(second, operator, { id, is_active: true });
    expect((await validate(service, { code, subtotal: 100 })).status).toBe(200);
    await second.close();
  });

  it('is for those who may, and every change is in the audit log', async () => {
    const reader = await anOperator(service, ['support']);
    const { id, code } = await aDiscount(service, operator);
    expect((await operate(service, reader, { path: `/discounts/${id}` })).status).toBe(200);
    const forbidden = { path: `/discounts/${id}`, method: 'PUT', body: { is_active: false } };
    expect((await operate(service, reader, forbidden)).status).toBe(403);
    await change(service, operator, { id, is_active: false });
    const { rows } = await service.db.query<{ action: string; after: Record<string, unknown> }>(
      `SELECT action, after FROM audit_logs WHERE resource_type = 'discount' AND resource_id = $1 ORDER BY id`,
      [String(id)],
    );
    expect(rows.map(({ action }) => action)).toEqual(['discounts:create', 'discounts:update']);
    expect(rows[1]?.after).toMatchObject({ discount_code: code, is_active: false });
  });
});

describe('what became of a discount', () => {
  it('lists the orders that used it, paid, held and released', async () => {
    const { code, id } = await aDiscount(service, operator);
    const paid = await order(code, { init_payment: true });
    await pay(service, paid.data.payment?.paymentGatewayUrl ?? '');
    const held = await order(code);
    const dead = await order(code);
    await call(service, { path: `/orders/${dead.data.id}/cancel`, token: customer.token, body: {} });
    await service.drain();
    const { items, pagination } = (await admin<Listed<object>>(`/${id}/orders`)).data;
    expect(pagination.total).toBe(3);
    expect(items).toMatchObject([
      { order_id: dead.data.id, use: 'released', order_status: 'CANCELLED', over_limit: false },
      { order_id: held.data.id, use: 'held', discount_amount: 50, total_amount: 450 },
      { order_id: paid.data.id, use: 'paid', order_status: 'SUCCEEDED', user_id: customer.userId },
    ]);
    expect((await admin('/987654321/orders')).status).toBe(404);
  });

  it('sums uses, revenue, cost and refused tries by reason', async () => {
    const { code, id } = await aDiscount(service, operator, { usage_limit: 2, min_purchase_amount: 100 });
    const paid = await order(code, { init_payment: true });
    await pay(service, paid.data.payment?.paymentGatewayUrl ?? '');
    await validate(service, { code, subtotal: 99 });
    await order(code);
    await order(code);
    await validate(service, { code, subtotal: 500 });
    expect((await admin(`/${id}/stats`)).data).toEqual({
      usage_limit: 2,
      usage_count: 2,
      remaining: 0,
      uses: { held: 1, paid: 1, over_limit: 0, released: 0 },
      customers: 1,
      revenue: 450,
      discount_total: 50,
      refusals: { minimum_purchase: 1, usage_limit: 2 },
    });
    await service.drain();
  });
});

describe('POST /admin/discounts/simulate', () => {
  it('explains every rule, passed, failed or not checked, and takes nothing', async () => {
    const { code, id } = await aDiscount(service, operator, {
      min_purchase_amount: 2000,
      usage_limit_per_user: 1,
      payment_methods: ['dcb'],
      end_date: '2026-12-31T00:00:00.000Z',
    });
    const body = {
      code,
      items: [{ variant_id: variantId, quantity: 3 }],
      payment_method: 'gw_aggregator',
      at: '2027-01-01T00:00:00.000Z',
    };
    const answer = await admin<{ checks: { check: string; outcome: string }[] }>('/simulate', 'POST', body);
    expect(answer.data).toMatchObject({
      discount: { id, code },
      applies: false,
      message: `Discount code ${code} has expired`,
      subtotal: 1500,
      discount_amount: 0,
    });
    const outcomes = answer.data.checks.map(({ check, outcome }) => [check, outcome]);
    expect(Object.fromEntries(outcomes)).toEqual({
      active: 'pass',
      started: 'pass',
      not_ended: 'fail',
      usage_limit: 'pass',
      usage_limit_per_user: 'not_checked',
      minimum_purchase: 'fail',
      first_order: 'pass',
      payment_method: 'fail',
      items: 'pass',
    });
    expect(await usesOf(service, id)).toEqual({ usage_count: 0, live: 0 });
  });

  it('shows the share of each item for a cart, a customer and a time it applies to', async () => {
    const { id } = await aDiscount(service, operator, { variant_ids: [variantId], discount_value: 33.33 });
    const other = await aVariant(service, { priceMinor: 10_001 });
    const items = [
      { variant_id: other.variantId, quantity: 1 },
      { variant_id: variantId, quantity: 1 },
    ];
    const body = { discount_id: id, items, user_id: customer.userId };
    expect((await admin('/simulate', 'POST', body)).data).toMatchObject({
      applies: true,
      message: null,
      subtotal: 600.01,
      discount_amount: 166.65,
      final_total: 433.36,
      items: [
        { covered: false, discount_amount: 0 },
        { covered: true, discount_amount: 166.65 },
      ],
    });
  });

  it('answers for a code that does not exist, and asks which discount is meant', async () => {
    const answer = await admin('/simulate', 'POST', { code: 'NO-SUCH', subtotal: 10 });
    expect(answer).toMatchObject({ status: 200, data: { discount: null, applies: false, final_total: 10 } });
    expect((await admin('/simulate', 'POST', { subtotal: 10 })).status).toBe(400);
    expect((await admin('/simulate', 'POST', { discount_id: 987_654_321 })).status).toBe(404);
  });
});
