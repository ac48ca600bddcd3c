import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aCode, aDiscount, change, orderWith, usesOf, validate } from '../support/discounts.ts';
import { expectInvariants } from '../support/invariants.ts';
import { anOperator } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, call, pay, readOrder, someCodes } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;
let customer: Customer;
let card: { variantId: number; productId: number; brandId: number };
let game: { variantId: number; productId: number; brandId: number };

beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
  customer = await aCustomer(service);
  card = await aVariant(service, { priceMinor: 50_000, codes: someCodes('CARD', 60) });
  game = await aVariant(service, { priceMinor: 33_333, codes: someCodes('GAME', 60) });
});
afterAll(async () => {
  await expectInvariants(service.db);
  await service.close();
});

const hour = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
const order = (code: string, variants: Parameters<typeof orderWith>[2]['variants'], more = {}) =>
  orderWith(service, customer, { code, variants, ...more });

describe('GET /discounts/validate (interface part 4)', () => {
  it('says what a code takes off, whatever its case, and consumes nothing', async () => {
    const discount = await aDiscount(service, operator, { discount_value: 12.5, usage_limit: 1 });
    for (let time = 0; time < 3; time += 1) {
      const answer = await validate(service, { code: ` ${discount.code.toLowerCase()} `, subtotal: 99.99 });
      expect(answer).toMatchObject({
        status: 200,
        data: {
          code: discount.code,
          discount_type: 'PERCENTAGE',
          discount_value: 12.5,
          subtotal: 99.99,
          discount_amount: 12.5,
          final_total: 87.49,
        },
      });
    }
    expect(await usesOf(service, discount.id)).toEqual({ usage_count: 0, live: 0 });
  });

  it('refuses with the interface’s messages and BAD_REQUEST', async () => {
    const gone = await aDiscount(service, operator, { is_active: false });
    const early = await aDiscount(service, operator, { start_date: hour(1) });
    const late = await aDiscount(service, operator, { start_date: hour(-2), end_date: hour(-1) });
    const dear = await aDiscount(service, operator, { min_purchase_amount: 1000.5 });
    const used = await aDiscount(service, operator, { usage_limit: 1 });
    expect((await order(used.code, [card.variantId])).status).toBe(201);
    const expected: Record<string, string> = {
      'no-Such-code': 'Discount code no-Such-code is not valid or has been deactivated',
      [gone.code]: `Discount code ${gone.code} is not valid or has been deactivated`,
      [early.code]: `Discount code ${early.code} is not active yet`,
      [late.code]: `Discount code ${late.code} has expired`,
      [used.code]: `Discount code ${used.code} has reached its usage limit`,
      [dear.code]: 'Your subtotal (500 BDT) is below the minimum purchase (1000.50 BDT)',
    };
    for (const [code, message] of Object.entries(expected)) {
      const refused = { status: 400, success: false, errorCode: 'BAD_REQUEST', message };
      expect(await validate(service, { code, subtotal: 500 })).toMatchObject(refused);
      expect(await order(code, [card.variantId])).toMatchObject(refused);
    }
  });

  it('tells an unknown code and a deactivated one apart by nothing', async () => {
    const { code } = await aDiscount(service, operator, { is_active: false });
    const [known, unknown] = await Promise.all([
      validate(service, { code, subtotal: 10 }),
      validate(service, { code: aCode(), subtotal: 10 }),
    ]);
    expect(known.data).toEqual(unknown.data);
  });

  it('checks the limit of one customer when there is a token, and a bad token is refused', async () => {
    const { code } = await aDiscount(service, operator, { usage_limit_per_user: 1 });
    expect((await order(code, [card.variantId])).status).toBe(201);
    expect((await validate(service, { code, subtotal: 500 })).status).toBe(200);
    expect(await validate(service, { code, subtotal: 500 }, customer)).toMatchObject({
      status: 400,
      message: `Discount code ${code} has reached its usage limit`,
    });
    expect((await validate(service, { code, subtotal: 500 }, { ...customer, token: 'x' })).status).toBe(401);
  });

  it('checks items when it is told the cart', async () => {
    const { code } = await aDiscount(service, operator, { variant_ids: [card.variantId] });
    expect((await validate(service, { code, subtotal: 100 })).data.discount_amount).toBe(10);
    expect((await validate(service, { code, subtotal: 100, variant_ids: game.variantId })).message).toBe(
      `Discount code ${code} does not apply to these items`,
    );
    const mixed = await validate(service, {
      code,
      subtotal: 1333.33,
      variant_ids: `${card.variantId},${game.variantId}`,
      quantities: '2,1',
    });
    expect(mixed.data.discount_amount).toBe(100);
  });

  it('answers wrong input by field', async () => {
    const { code } = await aDiscount(service, operator);
    for (const query of [{ code }, { subtotal: 5 }, { code, subtotal: -1 }, { code, subtotal: 1.005 }])
      expect(await validate(service, query)).toMatchObject({ status: 400, errorCode: 'VALIDATION_ERROR' });
  });

  it('tells nothing any more to an address that tried 100 codes that do not exist', async () => {
    const other = await startTestService({ beside: service });
    const { code } = await aDiscount(service, operator);
    for (let guess = 0; guess < 100; guess += 1)
      expect((await validate(other, { code: `GUESS-${guess}`, subtotal: 1 })).status).toBe(400);
    const [known, unknown] = await Promise.all([
      validate(other, { code, subtotal: 100 }),
      validate(other, { code: 'GUESS-101', subtotal: 100 }),
    ]);
    expect(known).toMatchObject({ status: 429, errorCode: 'TOO_MANY_REQUESTS', message: unknown.message });
    expect(known.headers.get('retry-after')).toMatch(/^\d+$/);
    // Whoever is signed in has a budget of their own.
    expect((await validate(other, { code, subtotal: 100 }, customer)).status).toBe(200);
    await other.close();
  });
});

describe('POST /orders with a code', () => {
  it('takes the discount off and shows it; the shares of the items sum to it', async () => {
    const { code } = await aDiscount(service, operator, { discount_value: 7 });
    const placed = await order(code.toLowerCase(), [game.variantId, [card.variantId, 2], game.variantId]);
    expect(placed).toMatchObject({
      status: 201,
      data: { discount_code: code, subtotal: 1666.66, discount_amount: 116.67, total_amount: 1549.99 },
    });
    // 7 % of 333.33 is 23.3331; the odd poisha goes to the first.
    expect(placed.data.items.map((item) => item.discount_amount)).toEqual([23.34, 70, 23.33]);
    expect((await readOrder(service, customer, placed.data.id)).data).toMatchObject({
      discount_code: code,
      total_amount: 1549.99,
    });
  });

  it('covers only the items of its products, brands or categories, those below a category too', async () => {
    const { rows } = await service.db.query<{ parent: number }>(
      `WITH parent AS (INSERT INTO categories (name, slug) VALUES ('Above', 'above') RETURNING id)
       UPDATE categories SET parent_id = parent.id FROM parent, products
       WHERE products.id = $1 AND categories.id = products.category_id RETURNING parent.id AS parent`,
      [card.productId],
    );
    for (const restriction of [
      { product_ids: [card.productId] },
      { brand_ids: [card.brandId] },
      { category_ids: [rows[0]?.parent] },
    ]) {
      const { code } = await aDiscount(service, operator, restriction);
      const placed = await order(code, [game.variantId, card.variantId]);
      expect(placed.data.items.map((item) => item.discount_amount)).toEqual([0, 50]);
      expect((await order(code, [game.variantId])).message).toBe(
        `Discount code ${code} does not apply to these items`,
      );
    }
  });

  it('sells for nothing without a gateway when the whole price comes off', async () => {
    const discount = await aDiscount(service, operator, { discount_type: 'FIXED', discount_value: 5000 });
    const placed = await order(discount.code, [card.variantId], { init_payment: true });
    expect(placed.data).toMatchObject({
      discount_amount: 500,
      total_amount: 0,
      payment: { paymentGatewayUrl: null, status: 'SUCCEEDED' },
    });
    await service.drain();
    expect((await readOrder(service, customer, placed.data.id)).data.status).toBe('SUCCEEDED');
  });

  it('writes nothing when the code is refused or the stock is short', async () => {
    const { code, id } = await aDiscount(service, operator);
    const scarce = await aVariant(service, { codes: someCodes('SCARCE', 1) });
    expect((await order(code, [[scarce.variantId, 2]])).status).toBe(409);
    expect(await usesOf(service, id)).toEqual({ usage_count: 0, live: 0 });
    await change(service, operator, { id, is_active: false });
    expect((await order(code, [scarce.variantId])).status).toBe(400);
    expect((await order((await aDiscount(service, operator)).code, [scarce.variantId])).status).toBe(201);
  });

  it('honours a first-order code once, also with two of them, and never after a paid order', async () => {
    const fresh = await aCustomer(service);
    const [one, two] = await Promise.all(
      [0, 1].map(() => aDiscount(service, operator, { first_order_only: true })),
    );
    const wish = { code: one?.code ?? '', variants: [card.variantId] };
    const placed = await orderWith(service, fresh, { ...wish, init_payment: true });
    expect(placed.status).toBe(201);
    const message = `Discount code ${two?.code} is for a first order only`;
    expect(await orderWith(service, fresh, { ...wish, code: two?.code ?? '' })).toMatchObject({
      status: 400,
      message,
    });
    await call(service, { path: `/orders/${placed.data.id}/cancel`, token: fresh.token, body: {} });
    const second = await orderWith(service, fresh, { ...wish, code: two?.code ?? '', init_payment: true });
    await pay(service, second.data.payment?.paymentGatewayUrl ?? '');
    expect((await orderWith(service, fresh, wish)).status).toBe(400);
    await service.drain();
  });

  it('keeps a code for its payment methods, whenever the method is chosen', async () => {
    const { code } = await aDiscount(service, operator, { payment_methods: ['gw_aggregator'] });
    const message = `Discount code ${code} is for these payment methods only: gw_aggregator`;
    expect(await order(code, [card.variantId], { payment_method: 'dcb' })).toMatchObject({
      status: 400,
      message,
    });
    const placed = await order(code, [card.variantId], { payment_method: undefined });
    const path = `/payments/initiate/${placed.data.id}`;
    expect(await call(service, { path, token: customer.token, body: { method: 'dcb' } })).toMatchObject({
      status: 400,
      message,
    });
    const opened = await call(service, { path, token: customer.token, body: { method: 'gw_aggregator' } });
    expect(opened.status).toBe(200);
  });
});

describe('GET /discounts/available', () => {
  it('lists public offers, and what they take off this cart', async () => {
    const offer = await aDiscount(service, operator, {
      is_public: true,
      end_date: hour(2),
      min_purchase_amount: 100,
    });
    const secret = await aDiscount(service, operator);
    const over = await aDiscount(service, operator, {
      is_public: true,
      start_date: hour(-2),
      end_date: hour(-1),
    });
    const list = async (query: string) =>
      (
        await call<{
          items: { code: string; applies: boolean; reason: string | null; discount_amount: number | null }[];
        }>(service, { path: `/discounts/available${query}` })
      ).data.items;
    const codes = (await list('')).map((item) => item.code);
    expect(codes).toContain(offer.code);
    expect(codes).not.toContain(secret.code);
    expect(codes).not.toContain(over.code);
    const find = async (query: string) => (await list(query)).find((item) => item.code === offer.code);
    expect(await find('')).toMatchObject({ applies: true, discount_amount: null });
    expect(await find('?subtotal=250')).toMatchObject({ applies: true, discount_amount: 25 });
    expect(await find(`?variant_ids=${card.variantId}&quantities=2`)).toMatchObject({ discount_amount: 100 });
    expect(await find('?subtotal=99')).toMatchObject({
      applies: false,
      reason: 'Your subtotal (99 BDT) is below the minimum purchase (100 BDT)',
      discount_amount: null,
    });
  });
});
