import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aDiscount, change, orderWith, usesOf } from '../support/discounts.ts';
import { expectInvariants } from '../support/invariants.ts';
import { anOperator } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, call, someCodes } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let services: [TestService, TestService];
let operator: Operator;
let customers: Customer[];
/** Bought from a partner: no stock stands in the way of the code. */
let variantId: number;

beforeAll(async () => {
  const first = await startTestService();
  services = [first, await startTestService({ beside: first })];
  operator = await anOperator(first);
  customers = [];
  for (let n = 0; n < 10; n += 1) customers.push(await aCustomer(first));
  ({ variantId } = await aVariant(first, { engine: 'PARTNER', priceMinor: 50_000 }));
});
afterAll(async () => {
  await expectInvariants(services[0].db);
  await services[1].close();
  await services[0].close();
});

const serviceOf = (turn: number): TestService => services[turn % 2] ?? services[0];
const customerOf = (turn: number): Customer => {
  const customer = customers[turn % customers.length];
  if (!customer) throw new Error('no customer');
  return customer;
};
const order = (turn: number, code: string, more = {}) =>
  orderWith(serviceOf(turn), customerOf(turn), { code, variants: [variantId], ...more });
const inParallel = <Value>(count: number, work: (turn: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, turn) => work(turn)));

describe('a code that many use at once', () => {
  it('is used exactly 10 times by 500 parallel orders on two processes when its limit is 10', async () => {
    const { code, id } = await aDiscount(services[0], operator, { usage_limit: 10 });
    const answers = await inParallel(500, (turn) => order(turn, code));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(answers).toHaveLength(500);
    expect(refused).toHaveLength(490);
    for (const answer of refused) {
      expect(answer).toMatchObject({
        status: 400,
        errorCode: 'BAD_REQUEST',
        message: `Discount code ${code} has reached its usage limit`,
      });
    }
    expect(await usesOf(services[0], id)).toEqual({ usage_count: 10, live: 10 });
    const { rows } = await services[0].db.query(
      `SELECT count(*)::int AS orders, sum(discount_minor)::int AS off FROM orders WHERE discount_code = $1`,
      [code],
    );
    expect(rows[0]).toEqual({ orders: 10, off: 50_000 });
  }, 60_000);

  it('is used as often as each customer may', async () => {
    const { code, id } = await aDiscount(services[0], operator, { usage_limit_per_user: 2 });
    const answers = await inParallel(100, (turn) => order(turn, code));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(await usesOf(services[0], id)).toEqual({ usage_count: 20, live: 20 });
  }, 60_000);

  it('gives a new customer one first-order discount, of two codes tried 20 times at once', async () => {
    const fresh = await aCustomer(services[0]);
    const codes = [
      await aDiscount(services[0], operator, { first_order_only: true }),
      await aDiscount(services[0], operator, { first_order_only: true }),
    ];
    const answers = await inParallel(20, (turn) =>
      orderWith(serviceOf(turn), fresh, { code: codes[turn % 2]?.code ?? '', variants: [variantId] }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
  });

  it('keeps units and uses together when both run out at once', async () => {
    const scarce = await aVariant(services[0], { codes: someCodes('BOTH', 8) });
    const { code, id } = await aDiscount(services[0], operator, { usage_limit: 5 });
    const answers = await inParallel(60, (turn) =>
      orderWith(serviceOf(turn), customerOf(turn), { code, variants: [[scarce.variantId, 1 + (turn % 2)]] }),
    );
    const sold = answers.filter(({ status }) => status === 201).length;
    expect(await usesOf(services[0], id)).toEqual({ usage_count: sold, live: sold });
    expect(answers.every(({ status }) => [201, 400, 409].includes(status))).toBe(true);
    // One more unit or one more use, and somebody else could have bought.
    const { rows } = await services[0].db.query<{ free: number }>(
      `SELECT count(*)::int AS free FROM vouchers WHERE variant_id = $1 AND status = 'available'`,
      [scarce.variantId],
    );
    expect(sold === 5 || (rows[0]?.free ?? 0) < 2).toBe(true);
  });
});

describe('an edit in the middle of a rush', () => {
  it('prices every order by one rule or the other, and by none after it was switched off', async () => {
    const { code, id } = await aDiscount(services[0], operator, { discount_value: 10 });
    const edits = (async () => {
      for (const discount_value of [20, 10, 20, 10, 20])
        await change(services[0], operator, { id, discount_value });
      return (await change(services[0], operator, { id, is_active: false })).data;
    })();
    const answers = await inParallel(120, (turn) => order(turn, code));
    await edits;
    const sold = answers.filter(({ status }) => status === 201);
    expect(sold.every(({ data }) => [50, 100].includes(data.discount_amount))).toBe(true);
    expect(answers.every(({ status }) => [201, 400, 503].includes(status))).toBe(true);
    expect((await order(0, code)).status).toBe(400);
    expect(await usesOf(services[0], id)).toEqual({ usage_count: sold.length, live: sold.length });
  }, 60_000);
});

describe('giving back', () => {
  it('happens once, however often one order is cancelled at once', async () => {
    const { code, id } = await aDiscount(services[0], operator, { usage_limit: 2 });
    const [kept, given] = [await order(0, code), await order(1, code)];
    expect(kept.status).toBe(201);
    await inParallel(20, (turn) =>
      call(serviceOf(turn), {
        path: `/orders/${given.data.id}/cancel`,
        token: customerOf(1).token,
        body: {},
      }),
    );
    expect(await usesOf(services[0], id)).toEqual({ usage_count: 1, live: 1 });
  });

  it('and taking never meet in a deadlock, nor lose a use', async () => {
    const { code, id } = await aDiscount(services[0], operator, { usage_limit: 30, usage_limit_per_user: 4 });
    await inParallel(20, async (turn) => {
      for (let round = 0; round < 5; round += 1) {
        const placed = await order(turn, code);
        expect([201, 400]).toContain(placed.status);
        if (placed.status !== 201 || (turn + round) % 3 === 0) continue;
        const path = `/orders/${placed.data.id}/cancel`;
        const cancelled = await call(serviceOf(turn + 1), { path, token: customerOf(turn).token, body: {} });
        expect(cancelled.status).toBe(200);
      }
    });
    const { usage_count, live } = await usesOf(services[0], id);
    expect(usage_count).toBe(live);
    const { rows } = await services[0].db.query(
      `SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
    );
    expect(rows[0]).toEqual({ deadlocks: 0 });
  }, 60_000);
});
