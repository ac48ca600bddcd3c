import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { expectInvariants } from '../support/invariants.ts';
import {
  aCustomer,
  aVariant,
  call,
  control,
  fault,
  mailsTo,
  order,
  pay,
  readOrder,
  someCodes,
} from '../support/shop.ts';
import type { OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const count = async (sql: string, orderId: number): Promise<number> =>
  (await service.db.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`, [orderId])).rows[0]?.n ??
  -1;

describe('callbacks that come more than once', () => {
  it('fulfils once and mails once when twenty arrive at the same moment', async () => {
    const customer = await aCustomer(service);
    const { variantId } = await aVariant(service, { codes: someCodes('DUP', 3) });
    const placed = (await order(service, customer, { variantId })).data;
    await fault(service, { target: 'aggregator', fault: 'duplicate_callback' });
    const stop = await service.work();
    await pay(service, placed);
    await expect
      .poll(async () => (await readOrder(service, customer, placed.id)).data.status, { timeout: 10_000 })
      .toBe('SUCCEEDED');
    await stop();
    expect(await mailsTo(service, customer.email)).toHaveLength(1);
    expect(
      await count(`outbox_events WHERE stream = 'order:' || $1 AND type = 'order.paid'`, placed.id),
    ).toBe(1);
    expect(await count(`fulfillment_attempts WHERE order_id = $1`, placed.id)).toBe(1);
    expect(
      await count(`vouchers JOIN order_items i ON i.id = order_item_id WHERE i.order_id = $1`, placed.id),
    ).toBe(1);
    const asked = await control<{ items: unknown[] }>(service, '/ledger?target=aggregator&call=verify');
    expect(asked.items).toHaveLength(1);
  });

  it('pays an order once when two of its sessions succeed, and tells an operator', async () => {
    const customer = await aCustomer(service);
    const { variantId } = await aVariant(service, { codes: someCodes('TWO', 3) });
    const placed = (await order(service, customer, { variantId })).data;
    const other = await call<NonNullable<OrderAnswer['payment']>>(service, {
      path: `/payments/initiate/${placed.id}`,
      token: customer.token,
      body: {},
    });
    await Promise.all([pay(service, placed), pay(service, other.data.paymentGatewayUrl)]);
    await service.drain();
    expect((await readOrder(service, customer, placed.id)).data.voucher_codes).toHaveLength(1);
    const payments = await service.db.query(
      'SELECT status, drives_order FROM payments WHERE order_id = $1 ORDER BY drives_order',
      [placed.id],
    );
    expect(payments.rows).toEqual([
      { status: 'SUCCEEDED', drives_order: false },
      { status: 'SUCCEEDED', drives_order: true },
    ]);
    expect(await count(`admin_alerts WHERE type = 'duplicate_payment' AND order_id = $1`, placed.id)).toBe(1);
    expect(await mailsTo(service, customer.email)).toHaveLength(1);
  });
});

it('leaves every invariant standing', async () => {
  await service.drain();
  await expectInvariants(service.db);
});
