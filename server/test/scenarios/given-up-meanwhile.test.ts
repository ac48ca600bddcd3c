import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { aCustomer, aVariant, call, fault, order, readOrder, someCodes } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { testClock } from '../support/test-identity.ts';
import type { TestClock } from '../support/test-identity.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let clock: TestClock;
let customer: Customer;
beforeAll(async () => {
  clock = testClock();
  service = await startTestService({ clock });
  customer = await aCustomer(service);
});
afterAll(() => service.close());

async function freeUnits(variantId: number): Promise<number> {
  const { rows } = await service.db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM vouchers WHERE variant_id = $1 AND status = 'available'`,
    [variantId],
  );
  return rows[0]?.n ?? -1;
}

it('keeps an order cancelled that was given up while the gateway made its payment page', async () => {
  const { variantId } = await aVariant(service, { codes: someCodes(randomUUID(), 1) });
  const { id } = (await order(service, customer, { variantId, init_payment: false })).data;
  await fault(service, { target: 'aggregator', fault: 'slow', call: 'init', delayMs: 1500 });
  const opening = call(service, {
    path: `/payments/initiate/${id}`,
    token: customer.token,
    body: { method: 'gw_aggregator' },
  });
  const begun = 'SELECT FROM payments WHERE order_id = $1';
  await expect.poll(async () => (await service.db.query(begun, [id])).count).toBe(1);
  await call(service, { path: `/orders/${id}/cancel`, method: 'POST', token: customer.token });
  expect((await opening).status).toBe(200);
  expect((await readOrder(service, customer, id)).data.status).toBe('CANCELLED');
  expect(await freeUnits(variantId)).toBe(1);
});

it('ends the holds of all unpaid orders though the gateway of one is configured no more', async () => {
  const variants: number[] = [];
  for (let n = 0; n < 2; n += 1) {
    const { variantId } = await aVariant(service, { codes: someCodes(randomUUID(), 1) });
    const { id } = (await order(service, customer, { variantId })).data;
    if (n === 0) await detachFromGateway(id);
    variants.push(variantId);
  }
  clock.advance(31 * 60);
  await service.sweep('expire-unpaid-orders');
  for (const variantId of variants) expect(await freeUnits(variantId)).toBe(1);
});

it('answers a callback with the state as it is when its order is locked for too long (decisions 4.10)', async () => {
  customer = await aCustomer(service);
  const { variantId } = await aVariant(service, { codes: someCodes(randomUUID(), 1) });
  const { id } = (await order(service, customer, { variantId })).data;
  const { rows } = await service.db.query<{ reference: string }>(
    'SELECT gateway_reference AS reference FROM payments WHERE order_id = $1',
    [id],
  );
  // The same order's row is held by somebody for longer than anybody waits for a lock.
  const holder = await service.db.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM orders WHERE id = $1 FOR UPDATE', [id]);
    const answered = await fetch(
      `${service.url}/api/v1/payments/aggregator/callback?tran_id=${rows[0]?.reference}&status=FAILED`,
    );
    expect(answered.status).toBe(200);
    expect(await answered.json()).toMatchObject({ success: true, data: { status: 'PENDING' } });
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
});

const detachFromGateway = (orderId: number) =>
  service.db.query(
    `SET session_replication_role = replica;
     UPDATE payments SET gateway = 'closed_down' WHERE order_id = ${orderId};
     SET session_replication_role = DEFAULT`,
  );
