import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { expectInvariants } from '../support/invariants.ts';
import { aCustomer, aVariant, call, order, someCodes } from '../support/shop.ts';
import type { Answered, Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let customer: Customer;
/** 500 BDT. */
let variantId: number;
beforeAll(async () => {
  service = await startTestService();
  customer = await aCustomer(service);
  ({ variantId } = await aVariant(service, { codes: someCodes('RULE', 10) }));
});
afterAll(() => service.close());

interface Rule {
  readonly is_active?: boolean;
  readonly min?: number;
  readonly max?: number;
}

/** What an operator has decided about a method. */
async function decide(method: string, { is_active = true, min, max }: Rule): Promise<void> {
  await service.db.query(
    `INSERT INTO payment_methods (method, name, is_active, min_minor, max_minor) VALUES ($1, $1, $2, $3, $4)
     ON CONFLICT (method) DO UPDATE SET is_active = $2, min_minor = $3, max_minor = $4`,
    [method, is_active, min ?? null, max ?? null],
  );
}

const ordersAndPayments = async () =>
  (
    await service.db.query<{ orders: number; payments: number }>(
      'SELECT (SELECT count(*)::int FROM orders) AS orders, (SELECT count(*)::int FROM payments) AS payments',
    )
  ).rows[0];

function expectRefused(answered: Answered<unknown>, field: string, message: string): void {
  expect(answered).toMatchObject({ status: 400, errorCode: 'VALIDATION_ERROR' });
  expect(answered.errors).toEqual([{ field, message: expect.stringContaining(message) as unknown }]);
}

const initiate = (orderId: number, method: string) =>
  call(service, { path: `/payments/initiate/${orderId}`, token: customer.token, body: { method } });

describe('a payment method in maintenance', () => {
  it('takes no order while it lasts, and orders before and after', async () => {
    const between = (from: string, until: string) =>
      service.db.query(
        `UPDATE payment_methods SET maintenance_from = now() + $1::interval, maintenance_until = now() + $2::interval
         WHERE method = 'gw_wallet_direct'`,
        [from, until],
      );
    await decide('gw_wallet_direct', {});
    const wanted = { variantId, method: 'gw_wallet_direct' };
    await between('-1 hour', '1 hour');
    expectRefused(await order(service, customer, wanted), 'payment_method', 'in maintenance');
    await between('1 hour', '2 hours');
    expect((await order(service, customer, wanted)).status).toBe(201);
    await between('-2 hours', '-1 hour');
    expect((await order(service, customer, wanted)).status).toBe(201);
  });
});

describe('a payment method that operators have switched off', () => {
  it('takes no order, with or without a session, and nothing is written', async () => {
    await decide('dcb', { is_active: false });
    const before = await ordersAndPayments();
    for (const init_payment of [true, false]) {
      const refused = await order(service, customer, { variantId, method: 'dcb', init_payment });
      expectRefused(refused, 'payment_method', 'switched off');
    }
    expect(await ordersAndPayments()).toEqual(before);
  });

  it('opens no session for an order that is there, until it is on again', async () => {
    await decide('dcb', { is_active: false });
    const placed = (await order(service, customer, { variantId })).data;
    expectRefused(await initiate(placed.id, 'dcb'), 'method', 'switched off');
    await decide('dcb', { is_active: true });
    expect((await initiate(placed.id, 'dcb')).status).toBe(200);
  });

  it('is refused too when the order names it and the call does not', async () => {
    await decide('gw_multi_wallet', {});
    const placed = (
      await order(service, customer, { variantId, method: 'gw_multi_wallet', init_payment: false })
    ).data;
    await decide('gw_multi_wallet', { is_active: false });
    const path = `/payments/initiate/${placed.id}`;
    expectRefused(await call(service, { path, token: customer.token, body: {} }), 'method', 'switched off');
  });
});

describe('the bounds of a payment method', () => {
  it.each([
    ['above', { max: 49_999 }, 'takes 499.99 BDT or less'],
    ['below', { min: 50_001 }, 'takes 500.01 BDT or more'],
  ])('refuse an amount %s them', async (_where, bounds, message) => {
    await decide('gw_wallet_direct', bounds);
    const refused = await order(service, customer, { variantId, method: 'gw_wallet_direct' });
    expectRefused(refused, 'payment_method', message);
    const placed = (await order(service, customer, { variantId })).data;
    expectRefused(await initiate(placed.id, 'gw_wallet_direct'), 'method', message);
  });

  it('take what lies on them', async () => {
    await decide('gw_wallet_direct', { min: 50_000, max: 50_000 });
    const placed = await order(service, customer, { variantId, method: 'gw_wallet_direct' });
    expect(placed.status).toBe(201);
  });
});

it('leaves every invariant standing', () => expectInvariants(service.db));
