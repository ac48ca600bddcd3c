import { afterAll, beforeAll, expect, it } from 'vitest';

import { expectInvariants } from '../support/invariants.ts';
import { aCustomer, aVariant, fault, order, pay, someCodes } from '../support/shop.ts';
import { testClock } from '../support/test-identity.ts';
import type { TestClock } from '../support/test-identity.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let clock: TestClock;
beforeAll(async () => {
  clock = testClock();
  service = await startTestService({ clock });
});
afterAll(() => service.close());

const methods = [
  ['gw_aggregator', 'aggregator'],
  ['gw_wallet_tokenized', 'wallet_tokenized'],
  ['gw_multi_wallet', 'multi_wallet'],
  ['dcb', 'dcb'],
  ['gw_wallet_direct', 'wallet_direct'],
] as const;
const ORDERS_EACH = 6;

const statuses = async (): Promise<unknown> =>
  (
    await service.db.query(
      `SELECT o.status, p.status AS payment, count(*)::int AS n
       FROM orders o JOIN payments p ON p.order_id = o.id GROUP BY 1, 2 ORDER BY 1`,
    )
  ).rows;

it('finds every paid order within the first minute when every callback of every gateway is lost (decisions 4.8)', async () => {
  const customer = await aCustomer(service);
  const { variantId } = await aVariant(service, { codes: someCodes('LOST', 40) });
  for (const [method, target] of methods) {
    await fault(service, { target, fault: 'drop_callback', times: 100 });
    for (let n = 0; n < ORDERS_EACH; n += 1) {
      const placed = await order(service, customer, { variantId, method });
      await pay(service, placed.data);
    }
  }
  const n = methods.length * ORDERS_EACH;
  expect(await statuses()).toEqual([{ status: 'PENDING', payment: 'PENDING', n }]);
  clock.advance(30);
  await service.sweep('verify-due-payments');
  await service.drain();
  expect(await statuses()).toEqual([{ status: 'PENDING', payment: 'PENDING', n }]);
  clock.advance(30);
  await service.sweep('verify-due-payments');
  await service.drain();
  expect(await statuses()).toEqual([{ status: 'SUCCEEDED', payment: 'SUCCEEDED', n }]);
  await expectInvariants(service.db);
});

it('asks about an open session again after 5, 15 and 60 minutes and leaves it open meanwhile', async () => {
  const customer = await aCustomer(service);
  const { variantId } = await aVariant(service, { codes: someCodes('OPEN', 1) });
  const placed = (await order(service, customer, { variantId })).data;
  const asked: number[] = [];
  for (let minute = 1; minute <= 70; minute += 1) {
    clock.advance(60);
    await service.db.query('UPDATE payments SET verifying_until = NULL WHERE order_id = $1', [placed.id]);
    await service.sweep('verify-due-payments');
    await service.drain();
    const { rows } = await service.db.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM payment_verifications v JOIN payments p ON p.id = v.payment_id WHERE p.order_id = $1`,
      [placed.id],
    );
    if ((rows[0]?.n ?? 0) > asked.length) asked.push(minute);
  }
  expect(asked).toEqual([1, 5, 15, 60]);
  expect(
    (await service.db.query('SELECT status FROM payments WHERE order_id = $1', [placed.id])).rows,
  ).toEqual([{ status: 'PENDING' }]);
});
