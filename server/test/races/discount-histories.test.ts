import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aDiscount, change, orderWith, usesOf } from '../support/discounts.ts';
import type { DiscountAnswer } from '../support/discounts.ts';
import { expectInvariants } from '../support/invariants.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, call, pay, readOrder, someCodes } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;
let customers: Customer[];
let variantId: number;

beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
  customers = [await aCustomer(service), await aCustomer(service), await aCustomer(service)];
  ({ variantId } = await aVariant(service, { priceMinor: 50_000, codes: someCodes('STORY', 1000) }));
});
afterAll(() => service.close());

const customerOf = (who: number): Customer => {
  const customer = customers[who % customers.length];
  if (!customer) throw new Error('no customer');
  return customer;
};

interface Placed {
  readonly id: number;
  readonly customer: Customer;
  /** Every payment page it ever had: old ones can be paid too. */
  readonly pages: string[];
}

interface Story {
  readonly discount: DiscountAnswer;
  readonly orders: Placed[];
}

interface Step {
  readonly what: 'create' | 'pay' | 'fail' | 'cancel at gateway' | 'cancel' | 'expire' | 'pay again' | 'edit';
  readonly which: number;
}

const aStep: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(
    { weight: 5, arbitrary: fc.constant('create' as const) },
    { weight: 3, arbitrary: fc.constant('pay again' as const) },
    {
      weight: 8,
      arbitrary: fc.constantFrom(
        'pay' as const,
        'fail' as const,
        'cancel at gateway' as const,
        'cancel' as const,
        'expire' as const,
        'edit' as const,
      ),
    },
  ),
  which: fc.nat(11),
});

async function play(story: Story, step: Step): Promise<void> {
  const { orders, discount } = story;
  if (step.what === 'create') return create(story, step.which);
  if (step.what === 'edit') {
    const edits = [
      { is_active: false },
      { is_active: true },
      { usage_limit: 4 },
      { usage_limit_per_user: 2 },
    ];
    await change(service, operator, { id: discount.id, ...edits[step.which % edits.length] });
    return;
  }
  const order = orders[step.which % Math.max(1, orders.length)];
  if (!order) return;
  const page = order.pages[step.which % Math.max(1, order.pages.length)];
  if (step.what === 'pay again') return payAgain(order);
  if (step.what === 'cancel') {
    await call(service, { path: `/orders/${order.id}/cancel`, token: order.customer.token, body: {} });
  } else if (step.what === 'expire') {
    await expire(order.id);
  } else if (page !== undefined) {
    const outcome = { pay: 'success', fail: 'failure', 'cancel at gateway': 'cancel' } as const;
    await pay(service, page, outcome[step.what]);
  }
}

async function create({ orders, discount }: Story, which: number): Promise<void> {
  const customer = customerOf(which);
  const wish = { code: discount.code, variants: [variantId], init_payment: which % 4 !== 0 };
  const placed = await orderWith(service, customer, wish);
  expect([201, 400]).toContain(placed.status);
  if (placed.status !== 201) return;
  const page = placed.data.payment?.paymentGatewayUrl;
  orders.push({ id: placed.data.id, customer, pages: page ? [page] : [] });
}

async function payAgain({ id, customer, pages }: Placed): Promise<void> {
  const opened = await call<{ paymentGatewayUrl: string | null }>(service, {
    path: `/payments/initiate/${id}`,
    token: customer.token,
    body: {},
  });
  expect([200, 201, 400]).toContain(opened.status);
  if (opened.data?.paymentGatewayUrl) pages.push(opened.data.paymentGatewayUrl);
}

async function expire(id: number): Promise<void> {
  await service.db.query(
    `UPDATE orders SET held_until = now() - interval '1 second' WHERE id = $1 AND held_until IS NOT NULL`,
    [id],
  );
  await service.sweep('expire-unpaid-orders');
}

async function check({ discount }: Story): Promise<void> {
  const { usage_count, live } = await usesOf(service, discount.id);
  expect(usage_count).toBe(live);
  expect(live).toBeLessThanOrEqual(4);
}

describe('random histories of create, pay, cancel, expire and pay again', () => {
  it('keep the counter equal to the live uses after every step, and every invariant at the end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 15, maxLength: 40 }), async (steps) => {
        const story = { discount: await aDiscount(service, operator, { usage_limit: 4 }), orders: [] };
        for (const step of steps) {
          await play(story, step);
          await check(story);
        }
        await service.drain();
        await expectInvariants(service.db);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  }, 180_000);

  it('keep them also when the steps of a history happen at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(aStep, { minLength: 2, maxLength: 6 }), { minLength: 4, maxLength: 8 }),
        async (turns) => {
          const story = { discount: await aDiscount(service, operator, { usage_limit: 4 }), orders: [] };
          for (let first = 0; first < 3; first += 1) await create(story, first);
          for (const steps of turns) {
            await Promise.all(steps.map((step) => play(story, step)));
            await check(story);
          }
          await service.drain();
          await expectInvariants(service.db);
        },
      ),
      { numRuns: 8, endOnFailure: true },
    );
  }, 180_000);
});

describe('money for an order that had given its use back', () => {
  it('takes the use again while one is left, and is honoured and recorded when none is', async () => {
    const discount = await aDiscount(service, operator, { usage_limit: 1 });
    const [first, second] = [customerOf(0), customerOf(1)];
    const order = async (customer: Customer) =>
      (await orderWith(service, customer, { code: discount.code, variants: [variantId], init_payment: true }))
        .data;
    const dead = await order(first);
    await call(service, { path: `/orders/${dead.id}/cancel`, token: first.token, body: {} });
    const alive = await order(second);
    expect(alive.status).toBe('PENDING');

    // Asked to pay again, the customer is told; with the old page the money is there, and money is honoured.
    const again = await call(service, {
      path: `/payments/initiate/${dead.id}`,
      token: first.token,
      body: {},
    });
    expect(again).toMatchObject({
      status: 400,
      errorCode: 'BAD_REQUEST',
      message: `Discount code ${discount.code} has reached its usage limit`,
    });
    await pay(service, dead.payment?.paymentGatewayUrl ?? '');
    await service.drain();
    expect((await readOrder(service, first, dead.id)).data).toMatchObject({
      status: 'SUCCEEDED',
      total_amount: 450,
    });
    expect(await usesOf(service, discount.id)).toEqual({ usage_count: 1, live: 1 });
    const { data } = await operate<{ items: object[] }>(service, operator, {
      path: `/discounts/${discount.id}/orders`,
    });
    expect(data.items).toMatchObject([
      { order_id: alive.id, use: 'held', over_limit: false },
      { order_id: dead.id, use: 'paid', over_limit: true },
    ]);

    await call(service, { path: `/orders/${alive.id}/cancel`, token: second.token, body: {} });
    await pay(service, alive.payment?.paymentGatewayUrl ?? '');
    await service.drain();
    expect(await usesOf(service, discount.id)).toEqual({ usage_count: 1, live: 1 });
    await expectInvariants(service.db);
  });

  it('is honoured after the discount was switched off or has ended', async () => {
    const discount = await aDiscount(service, operator);
    const customer = customerOf(2);
    const wish = { code: discount.code, variants: [variantId], init_payment: true };
    const placed = (await orderWith(service, customer, wish)).data;
    await expire(placed.id);
    await change(service, operator, { id: discount.id, is_active: false });
    const again = await call(service, {
      path: `/payments/initiate/${placed.id}`,
      token: customer.token,
      body: {},
    });
    expect(again.message).toBe(`Discount code ${discount.code} is not valid or has been deactivated`);
    await pay(service, placed.payment?.paymentGatewayUrl ?? '');
    await service.drain();
    expect((await readOrder(service, customer, placed.id)).data.status).toBe('SUCCEEDED');
    expect(await usesOf(service, discount.id)).toEqual({ usage_count: 1, live: 1 });
    await expectInvariants(service.db);
  });
});
