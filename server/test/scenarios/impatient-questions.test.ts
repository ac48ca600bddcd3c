import { afterAll, beforeAll, expect, it } from 'vitest';

import { aCustomer, aVariant, call, fault, order, pay, readOrder, someCodes } from '../support/shop.ts';
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

/** Asked at most every two seconds: the pause is skipped, not waited for. */
const skipPause = () => service.db.query('UPDATE payments SET verifying_until = NULL');

it('still hears of a success after a page has asked more often than the schedule is long (decisions 4.8)', async () => {
  const customer = await aCustomer(service);
  const { variantId } = await aVariant(service, { codes: someCodes('ASKED', 1) });
  const placed = (await order(service, customer, { variantId })).data;
  for (let n = 0; n < 10; n += 1) {
    await skipPause();
    const path = `/payments/${placed.payment?.transactionId}/verify`;
    const asked = await call<{ status: string }>(service, { path, method: 'POST', token: customer.token });
    expect(asked.data.status).toBe('PENDING');
  }
  await fault(service, { target: 'aggregator', fault: 'drop_callback' });
  await pay(service, placed);
  await skipPause();
  clock.advance(60);
  await service.sweep('verify-due-payments');
  await service.drain();
  expect((await readOrder(service, customer, placed.id)).data.status).toBe('SUCCEEDED');
});

it('asks again after 15 seconds however often confirm was called while the gateway could not be asked', async () => {
  const customer = await aCustomer(service);
  const { variantId } = await aVariant(service, { codes: someCodes('POLLED', 1) });
  const placed = (await order(service, customer, { variantId, method: 'gw_multi_wallet' })).data;
  await fault(service, { target: 'multi_wallet', fault: 'error_500', call: 'verify', times: 1000 });
  for (let n = 0; n < 10; n += 1) {
    await skipPause();
    const path = `/payments/multi_wallet/confirm/${placed.payment?.transactionId}`;
    const asked = await call<{ status: string }>(service, { path, token: customer.token });
    expect(asked.data.status).toBe('FAILED');
  }
  const { rows } = await service.db.query<{ seconds: number }>(
    'SELECT extract(epoch FROM next_verify_at - $2)::int AS seconds FROM payments WHERE order_id = $1',
    [placed.id, clock.now()],
  );
  expect(rows).toEqual([{ seconds: 15 }]);
});
