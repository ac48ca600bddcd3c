import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { expectInvariants } from '../support/invariants.ts';
import { aCustomer, aVariant, call, order, pay, readOrder, someCodes } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let first: TestService;
let second: TestService;
let customer: Customer;

beforeAll(async () => {
  first = await startTestService();
  second = await startTestService({ beside: first });
  customer = await aCustomer(first);
});
afterAll(async () => {
  await second.close();
  await first.close();
});

const statuses = (answers: readonly { status: number }[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe('stock under a rush', () => {
  it('sells the last 10 codes to exactly 10 of 50 parallel orders on two processes', async () => {
    const { variantId } = await aVariant(first, { codes: someCodes('RUSH', 10) });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        order(index % 2 === 0 ? first : second, customer, { variantId, init_payment: false }),
      ),
    );
    expect(statuses(answers)).toEqual({ 201: 10, 409: 40 });
    const { rows } = await first.db.query(
      `SELECT count(*)::int AS held, count(DISTINCT order_item_id)::int AS items FROM vouchers
       WHERE variant_id = $1 AND status = 'reserved'`,
      [variantId],
    );
    expect(rows[0]).toEqual({ held: 10, items: 10 });
  });

  it('never leaves a code unsold because a buyer of several came up short', async () => {
    const { variantId } = await aVariant(first, { codes: someCodes('MIXED', 9) });
    const wanted = [3, 2, 4, 1, 5, 2, 3, 1, 1, 2, 4, 3, 1, 5];
    const answers = await Promise.all(
      wanted.map(async (quantity) => {
        const answer = await order(first, customer, { variantId, quantity, init_payment: false });
        return { status: answer.status, quantity };
      }),
    );
    const sold = answers
      .filter(({ status }) => status === 201)
      .reduce((sum, { quantity }) => sum + quantity, 0);
    const refused = answers.filter(({ status }) => status === 409).map(({ quantity }) => quantity);
    expect(sold).toBeLessThanOrEqual(9);
    // Whoever was refused really did not fit into what was left.
    expect(Math.min(...refused)).toBeGreaterThan(9 - sold);
  });

  it('gives units back when an order is cancelled or expires, and takes them again when it is paid again', async () => {
    const { variantId } = await aVariant(first, { codes: someCodes('BACK', 1) });
    const placed = (await order(first, customer, { variantId })).data;
    expect((await order(first, customer, { variantId })).status).toBe(409);
    await call(first, { path: `/orders/${placed.id}/cancel`, token: customer.token, body: {} });
    const other = (await order(first, customer, { variantId })).data;
    const again = await call(first, {
      path: `/payments/initiate/${placed.id}`,
      token: customer.token,
      body: {},
    });
    expect(again).toMatchObject({ status: 409, data: { type: 'OutOfStockError', variant_id: variantId } });

    await first.db.query(`UPDATE orders SET held_until = now() - interval '1 second' WHERE id = $1`, [
      other.id,
    ]);
    await first.sweep('expire-unpaid-orders');
    expect((await readOrder(first, customer, other.id)).data.status).toBe('CANCELLED');
    const retaken = await call<{ paymentGatewayUrl: string }>(first, {
      path: `/payments/initiate/${placed.id}`,
      token: customer.token,
      body: {},
    });
    expect(retaken.status).toBe(200);
    await pay(first, retaken.data.paymentGatewayUrl);
    await first.drain();
    expect((await readOrder(first, customer, placed.id)).data).toMatchObject({
      status: 'SUCCEEDED',
      voucher_codes: ['BACK-1'],
    });
  });

  it('honours money that comes after the units went to somebody else', async () => {
    const { variantId } = await aVariant(first, { codes: someCodes('LATE', 1) });
    const placed = (await order(first, customer, { variantId })).data;
    await call(first, { path: `/orders/${placed.id}/cancel`, token: customer.token, body: {} });
    const other = (await order(first, customer, { variantId })).data;
    await pay(first, placed);
    await first.drain();
    expect((await readOrder(first, customer, placed.id)).data).toMatchObject({
      status: 'NEEDS_ATTENTION',
      status_label: 'Being prepared',
    });
    await pay(first, other);
    await first.drain();
    expect((await readOrder(first, customer, other.id)).data).toMatchObject({ status: 'SUCCEEDED' });
  });
});

it('leaves every invariant standing', async () => {
  await first.drain();
  await expectInvariants(first.db);
});
