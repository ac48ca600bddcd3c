import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

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
import type { Customer, OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let customer: Customer;
let variantId: number;
beforeAll(async () => {
  service = await startTestService();
  customer = await aCustomer(service);
  ({ variantId } = await aVariant(service, { codes: someCodes('METHOD', 120) }));
});
afterEach(() => control(service, '/faults', undefined, 'DELETE'));
afterAll(() => service.close());

const methods = [
  ['gw_aggregator', 'aggregator', 'AGG'],
  ['gw_wallet_tokenized', 'wallet_tokenized', 'WTK'],
  ['gw_multi_wallet', 'multi_wallet', 'MWL'],
  ['dcb', 'dcb', 'DCB'],
  ['gw_wallet_direct', 'wallet_direct', 'WDR'],
] as const;

interface PaymentStatus {
  readonly status: string;
  readonly orderStatus: string;
  readonly orderStatusLabel: string;
}

async function statusOf(placed: OrderAnswer): Promise<PaymentStatus> {
  const path = `/payments/status/${placed.payment?.transactionId}`;
  return (await call<PaymentStatus>(service, { path, token: customer.token })).data;
}

/** As if the time of the next question had come. */
async function sweepNow(orderId: number): Promise<void> {
  await service.db.query(
    `UPDATE payments SET next_verify_at = now() - interval '1 second', verifying_until = NULL
     WHERE order_id = $1 AND status <> 'SUCCEEDED'`,
    [orderId],
  );
  await service.sweep('verify-due-payments');
  await service.drain();
}

const alertsOf = async (orderId: number): Promise<unknown[]> =>
  (await service.db.query('SELECT type, status FROM admin_alerts WHERE order_id = $1', [orderId])).rows;

describe.each(methods)('%s (interface parts 3 and 4)', (method, target, prefix) => {
  const place = async (): Promise<OrderAnswer> =>
    (await order(service, customer, { variantId, method })).data;

  it('pays an order, which is delivered in one e-mail', async () => {
    const buyer = await aCustomer(service);
    const placed = (await order(service, buyer, { variantId, method })).data;
    expect(placed.payment?.transactionId).toMatch(
      new RegExp(`^${prefix}-${placed.id}-\\d{13}-[A-Z2-9]{10}$`),
    );
    await pay(service, placed);
    expect((await readOrder(service, buyer, placed.id)).data).toMatchObject({
      status: 'PENDING',
      status_label: 'Payment received',
    });
    await service.drain();
    expect((await readOrder(service, buyer, placed.id)).data).toMatchObject({ status: 'SUCCEEDED' });
    expect(await mailsTo(service, buyer.email)).toHaveLength(1);
  });

  it('reads FAILED after a failure and CANCELLED after a cancellation, order and payment alike', async () => {
    const failed = await place();
    const cancelled = await place();
    await Promise.all([pay(service, failed, 'failure'), pay(service, cancelled, 'cancel')]);
    expect(await statusOf(failed)).toMatchObject({ status: 'FAILED', orderStatus: 'FAILED' });
    expect(await statusOf(cancelled)).toMatchObject({ status: 'CANCELLED', orderStatus: 'CANCELLED' });
  });

  it('answers 502 when no session opens, and opens one when asked again', async () => {
    await fault(service, { target, fault: 'no_url' });
    const refused = await order(service, customer, { variantId, method });
    expect(refused).toMatchObject({ status: 502, errorCode: 'BAD_GATEWAY' });
    const { order_id: orderId } = refused.data as unknown as { order_id: number };
    const path = `/payments/initiate/${orderId}`;
    const again = await call<OrderAnswer['payment']>(service, { path, token: customer.token, body: {} });
    expect(again).toMatchObject({ status: 200, data: { method } });
    await pay(service, again.data?.paymentGatewayUrl ?? '');
    expect((await readOrder(service, customer, orderId)).data.status_label).toBe('Payment received');
  });

  it('is FAILED with an alert while the gateway cannot be asked, and mended by the sweep', async () => {
    const placed = await place();
    await fault(service, { target, fault: 'error_500', call: 'verify', times: 20 });
    await pay(service, placed);
    expect(await statusOf(placed)).toMatchObject({ status: 'FAILED' });
    expect(await alertsOf(placed.id)).toEqual([{ type: 'payment_verification_unavailable', status: 'open' }]);
    await control(service, '/faults', undefined, 'DELETE');
    await sweepNow(placed.id);
    expect(await statusOf(placed)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await alertsOf(placed.id)).toEqual([
      { type: 'payment_verification_unavailable', status: 'resolved' },
    ]);
  });

  it('survives one failing proof call without anybody noticing', async () => {
    const placed = await place();
    await fault(service, { target, fault: 'error_500', call: 'verify' });
    await pay(service, placed);
    expect(await statusOf(placed)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await alertsOf(placed.id)).toEqual([]);
  });

  it('never pays an order with another amount than its total', async () => {
    const placed = await place();
    await fault(service, { target, fault: 'wrong_amount', call: 'verify', times: 3 });
    await pay(service, placed);
    await service.drain();
    expect(await statusOf(placed)).toMatchObject({ status: 'FAILED', orderStatus: 'FAILED' });
    expect(await alertsOf(placed.id)).toEqual([{ type: 'payment_mismatch', status: 'open' }]);
  });

  it('is found SUCCEEDED by the sweep of the first minute when every callback was lost', async () => {
    const placed = await place();
    await fault(service, { target, fault: 'drop_callback' });
    await pay(service, placed);
    expect(await statusOf(placed)).toMatchObject({ status: 'PENDING' });
    const { rows } = await service.db.query<{ seconds: number }>(
      'SELECT extract(epoch FROM next_verify_at - created_at)::int AS seconds FROM payments WHERE order_id = $1',
      [placed.id],
    );
    expect(rows[0]?.seconds).toBeLessThanOrEqual(60);
    await sweepNow(placed.id);
    expect((await readOrder(service, customer, placed.id)).data.status).toBe('SUCCEEDED');
  });

  it('refuses money for a processing payment until it is confirmed', async () => {
    const placed = await place();
    await fault(service, { target, fault: 'processing', call: 'verify', times: 20 });
    await pay(service, placed);
    expect(await statusOf(placed)).toMatchObject({ status: 'FAILED' });
    await control(service, '/faults', undefined, 'DELETE');
    await sweepNow(placed.id);
    expect(await statusOf(placed)).toMatchObject({ status: 'SUCCEEDED' });
  });
});

it('does what the interface says when a processing answer clears up within its one retry', async () => {
  for (const [method, target] of methods.slice(1)) {
    const placed = (await order(service, customer, { variantId, method })).data;
    await fault(service, { target, fault: 'processing', call: 'verify' });
    await pay(service, placed);
    expect(await statusOf(placed), method).toMatchObject({ status: 'SUCCEEDED' });
  }
});

describe('confirm and verify', () => {
  it('confirms by invoice number or transaction id, and only payments of that gateway and that customer', async () => {
    const placed = (await order(service, customer, { variantId, method: 'gw_multi_wallet' })).data;
    const other = (await order(service, customer, { variantId, method: 'gw_aggregator' })).data;
    await fault(service, { target: 'multi_wallet', fault: 'drop_callback' });
    await pay(service, placed);
    const { rows } = await service.db.query<{ gateway_reference: string }>(
      'SELECT gateway_reference FROM payments WHERE order_id = $1',
      [placed.id],
    );
    const confirm = (reference: string | undefined, token = customer.token) =>
      call<PaymentStatus>(service, { path: `/payments/multi_wallet/confirm/${reference}`, token });
    const stranger = await aCustomer(service);
    expect(await confirm(rows[0]?.gateway_reference, stranger.token)).toMatchObject({ status: 404 });
    expect(await confirm(other.payment?.transactionId)).toMatchObject({ status: 404 });
    expect(await confirm('AAAAAAAAAAAAAAAAAAAA')).toMatchObject({ status: 404 });
    expect(await confirm(rows[0]?.gateway_reference)).toMatchObject({
      status: 200,
      data: { status: 'SUCCEEDED', orderStatus: 'PENDING', orderStatusLabel: 'Payment received' },
    });
    expect(await confirm(placed.payment?.transactionId)).toMatchObject({ data: { status: 'SUCCEEDED' } });
  });

  it('confirms with 200 and the state as it then is while the gateway is out', async () => {
    const placed = (await order(service, customer, { variantId, method: 'gw_multi_wallet' })).data;
    await fault(service, { target: 'multi_wallet', fault: 'html', call: 'verify', times: 4 });
    const path = `/payments/multi_wallet/confirm/${placed.payment?.transactionId}`;
    expect(await call<PaymentStatus>(service, { path, token: customer.token })).toMatchObject({
      status: 200,
      data: { status: 'FAILED' },
    });
  });

  it('verifies an open payment when its customer asks, however often, with few calls', async () => {
    const placed = (await order(service, customer, { variantId, method: 'gw_aggregator' })).data;
    const path = `/payments/${placed.payment?.transactionId}/verify`;
    const ask = (token = customer.token) => call<PaymentStatus>(service, { path, token, method: 'POST' });
    const before = await control<{ items: unknown[] }>(service, '/ledger?target=aggregator&call=verify');
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, data: { status: 'PENDING' } });
    const after = await control<{ items: unknown[] }>(service, '/ledger?target=aggregator&call=verify');
    expect(after.items.length - before.items.length).toBe(1);
    await fault(service, { target: 'aggregator', fault: 'drop_callback' });
    await pay(service, placed);
    await service.db.query('UPDATE payments SET verifying_until = NULL WHERE order_id = $1', [placed.id]);
    expect(await ask()).toMatchObject({ data: { status: 'SUCCEEDED' } });
    expect(await ask((await aCustomer(service)).token)).toMatchObject({ status: 404 });
  });
});

it('leaves every invariant standing', async () => {
  await service.drain();
  await expectInvariants(service.db);
});
