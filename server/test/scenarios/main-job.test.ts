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
import type { Customer, OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let customer: Customer;

beforeAll(async () => {
  service = await startTestService();
  customer = await aCustomer(service);
});
afterAll(() => service.close());

interface PaymentStatus {
  readonly status: string;
  readonly orderStatus: string;
  readonly orderStatusLabel: string;
  readonly orderStatusSeverity: string;
}

const paymentStatus = async (placed: OrderAnswer): Promise<PaymentStatus> => {
  const path = `/payments/status/${placed.payment?.transactionId}`;
  return (await call<PaymentStatus>(service, { path, token: customer.token })).data;
};

describe('the main job (interface parts 1, 3, 4)', () => {
  it('delivers every code of a paid order in exactly one e-mail', async () => {
    const { variantId } = await aVariant(service, { codes: someCodes('MAIN', 5) });
    const placed = await order(service, customer, { variantId, quantity: 2 });
    expect(placed.status).toBe(201);
    expect(placed.data).toMatchObject({
      status: 'PENDING',
      total_amount: 1000,
      voucher_codes: [],
      dispatched_email: null,
    });
    expect(placed.data.payment?.transactionId).toMatch(
      new RegExp(`^AGG-${placed.data.id}-\\d{13}-[A-Z2-9]{10}$`),
    );

    await pay(service, placed.data);
    expect(await paymentStatus(placed.data)).toMatchObject({
      status: 'SUCCEEDED',
      orderStatus: 'PENDING',
      orderStatusLabel: 'Payment received',
      orderStatusSeverity: 'info',
    });
    expect((await readOrder(service, customer, placed.data.id)).data.voucher_codes).toEqual([]);

    await service.drain();
    const delivered = (await readOrder(service, customer, placed.data.id)).data;
    expect(delivered).toMatchObject({ status: 'SUCCEEDED', dispatched_email: customer.email });
    expect(delivered.email_sent_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(delivered.voucher_codes).toHaveLength(2);
    expect(delivered.items[0]).toMatchObject({ fulfilled: true, fulfillment_status: 'SUCCEEDED' });

    const mails = await mailsTo(service, customer.email);
    expect(mails).toHaveLength(1);
    for (const code of delivered.voucher_codes) {
      expect(mails[0]?.text).toContain(code);
      expect(mails[0]?.html).toContain(code);
    }
    expect(mails[0]?.text).toContain('Gift card - 500 BDT');
    expect(mails[0]?.messageId).toContain(placed.data.order_number);
  });

  it('sells without a session first and opens one when asked, in both forms', async () => {
    const { variantId } = await aVariant(service, { codes: someCodes('LATER', 2) });
    const placed = await order(service, customer, { variantId, init_payment: false });
    expect(placed.data).toMatchObject({ status: 'INITIATED' });
    expect(placed.data.payment).toBeUndefined();
    const body = { amount: 500, currency: 'BDT', method: 'gw_aggregator', description: 'one card' };
    const inPath = await call<OrderAnswer['payment']>(service, {
      path: `/payments/initiate/${placed.data.id}`,
      token: customer.token,
      body,
    });
    const inBody = await call<OrderAnswer['payment']>(service, {
      path: '/payments/initiate',
      token: customer.token,
      body: { ...body, orderId: placed.data.id },
    });
    expect([inPath.status, inBody.status]).toEqual([200, 200]);
    expect(inBody.data).toMatchObject({ method: 'gw_aggregator' });
    expect(inBody.data?.transactionId).not.toBe(inPath.data?.transactionId);
    await pay(service, inPath.data?.paymentGatewayUrl ?? '');
    await service.drain();
    expect((await readOrder(service, customer, placed.data.id)).data.status).toBe('SUCCEEDED');
    const again = await call(service, {
      path: `/payments/initiate/${placed.data.id}`,
      token: customer.token,
      body,
    });
    expect(again).toMatchObject({ status: 400, errorCode: 'BAD_REQUEST' });
  });

  it('reads FAILED after a declined payment and is paid again', async () => {
    const { variantId } = await aVariant(service, { codes: someCodes('AGAIN', 1) });
    const placed = (await order(service, customer, { variantId })).data;
    await pay(service, placed, 'failure');
    expect(await paymentStatus(placed)).toMatchObject({ status: 'FAILED', orderStatus: 'FAILED' });
    const second = await call<OrderAnswer['payment']>(service, {
      path: `/payments/initiate/${placed.id}`,
      token: customer.token,
      body: {},
    });
    await pay(service, second.data?.paymentGatewayUrl ?? '');
    await service.drain();
    expect((await readOrder(service, customer, placed.id)).data.status).toBe('SUCCEEDED');
  });

  it('reads CANCELLED after the customer cancels at the gateway', async () => {
    const { variantId } = await aVariant(service, { codes: someCodes('CANCEL', 1) });
    const placed = (await order(service, customer, { variantId })).data;
    await pay(service, placed, 'cancel');
    expect(await paymentStatus(placed)).toMatchObject({ status: 'CANCELLED', orderStatus: 'CANCELLED' });
  });

  it('answers 502 when the gateway gives no URL, and the order can be initiated again', async () => {
    const { variantId } = await aVariant(service, { codes: someCodes('NOURL', 1) });
    await fault(service, { target: 'aggregator', fault: 'no_url' });
    const placed = await order(service, customer, { variantId });
    expect(placed).toMatchObject({ status: 502, errorCode: 'BAD_GATEWAY', success: false });
    const details = placed.data as unknown as { type: string; order_id: number; transactionId: string };
    expect(details.type).toBe('PaymentSessionError');
    const status = await call<PaymentStatus>(service, {
      path: `/payments/status/${details.transactionId}`,
      token: customer.token,
    });
    expect(status.data).toMatchObject({ status: 'FAILED', orderStatus: 'INITIATED' });
    const again = await call(service, {
      path: `/payments/initiate/${details.order_id}`,
      token: customer.token,
      body: {},
    });
    expect(again.status).toBe(200);
  });

  it('finds a payment whose callback never came, with the first sweep that is due', async () => {
    const { variantId } = await aVariant(service, { codes: someCodes('DROP', 1) });
    const placed = (await order(service, customer, { variantId })).data;
    await fault(service, { target: 'aggregator', fault: 'drop_callback' });
    await pay(service, placed);
    expect(await paymentStatus(placed)).toMatchObject({ status: 'PENDING' });
    await service.db.query(
      `UPDATE payments SET next_verify_at = now() - interval '1 second' WHERE order_id = $1`,
      [placed.id],
    );
    await service.sweep('verify-due-payments');
    await service.drain();
    expect((await readOrder(service, customer, placed.id)).data.status).toBe('SUCCEEDED');
  });

  it('fails the payment when the gateway cannot be asked, raises an alert, and mends it later', async () => {
    const { variantId } = await aVariant(service, { codes: someCodes('OUTAGE', 1) });
    const placed = (await order(service, customer, { variantId })).data;
    await fault(service, { target: 'aggregator', fault: 'error_500', call: 'verify', times: 4 });
    await pay(service, placed);
    await control(service, '/faults', undefined, 'DELETE');
    const { rows } = await service.db.query<{ status: string; failure_reason: string }>(
      'SELECT status, failure_reason FROM payments WHERE order_id = $1',
      [placed.id],
    );
    expect(rows[0]).toEqual({ status: 'FAILED', failure_reason: 'VERIFICATION_UNAVAILABLE' });
    const alerts = await service.db.query('SELECT type, status FROM admin_alerts WHERE order_id = $1', [
      placed.id,
    ]);
    expect(alerts.rows).toEqual([{ type: 'payment_verification_unavailable', status: 'open' }]);
    await service.db.query(
      `UPDATE payments SET next_verify_at = now() - interval '1 second', verifying_until = NULL WHERE order_id = $1`,
      [placed.id],
    );
    await service.sweep('verify-due-payments');
    await service.drain();
    expect((await readOrder(service, customer, placed.id)).data.status).toBe('SUCCEEDED');
    const resolved = await service.db.query('SELECT status FROM admin_alerts WHERE order_id = $1', [
      placed.id,
    ]);
    expect(resolved.rows).toEqual([{ status: 'resolved' }]);
  });

  it('refuses a payment of another amount or currency and says so to an operator', async () => {
    for (const kind of ['wrong_amount', 'wrong_currency']) {
      const { variantId } = await aVariant(service, { codes: someCodes(kind, 1) });
      const placed = (await order(service, customer, { variantId })).data;
      await fault(service, { target: 'aggregator', fault: kind, call: 'verify', times: 2 });
      await pay(service, placed);
      await control(service, '/faults', undefined, 'DELETE');
      expect(await paymentStatus(placed)).toMatchObject({ status: 'FAILED', orderStatus: 'FAILED' });
      const alerts = await service.db.query('SELECT type FROM admin_alerts WHERE order_id = $1', [placed.id]);
      expect(alerts.rows).toEqual([{ type: 'payment_mismatch' }]);
    }
  });

  it('hands a paid order to an operator when its mail is refused, never showing it as failed', async () => {
    const { variantId } = await aVariant(service, { codes: someCodes('REFUSED', 1) });
    const placed = (await order(service, customer, { variantId })).data;
    await fault(service, { target: 'smtp', fault: 'reject' });
    await pay(service, placed);
    await service.drain();
    const read = (await readOrder(service, customer, placed.id)).data;
    expect(read).toMatchObject({
      status: 'NEEDS_ATTENTION',
      status_label: 'Being prepared',
      status_severity: 'info',
    });
    expect(read).toMatchObject({ dispatched_email: null, email_sent_at: null, voucher_codes: [] });
    expect(read.items[0]).toMatchObject({ fulfilled: false, fulfillment_status: 'DISPATCH_FAILED' });
    const alerts = await service.db.query('SELECT type FROM admin_alerts WHERE order_id = $1', [placed.id]);
    expect(alerts.rows).toEqual([{ type: 'fulfillment_failed' }]);
    const told = await service.db.query(
      `SELECT data FROM outbox_events WHERE stream = 'order:' || $1::text AND type = 'order.needs_attention'`,
      [placed.id],
    );
    const { id: order_id, order_number } = placed;
    expect(told.rows).toEqual([{ data: { order_id, order_number, reason: 'fulfillment_failed' } }]);
  });

  it('is not disturbed by strangers: their reads are 404, their callbacks change nothing', async () => {
    const { variantId } = await aVariant(service, { codes: someCodes('STRANGER', 1) });
    const placed = (await order(service, customer, { variantId })).data;
    const stranger = await aCustomer(service);
    const paths = [
      `/orders/${placed.id}`,
      `/orders/number/${placed.order_number}`,
      `/payments/status/${placed.payment?.transactionId}`,
    ];
    for (const path of paths) {
      expect(await call(service, { path, token: stranger.token })).toMatchObject({
        status: 404,
        errorCode: 'NOT_FOUND',
      });
    }
    const forged = await call(service, {
      path: '/payments/aggregator/callback',
      body: { tran_id: 'AAAAAAAAAAAAAAAAAAAA', status: 'VALID', val_id: 'x' },
    });
    expect(forged).toMatchObject({ status: 200, data: null });
    expect(await paymentStatus(placed)).toMatchObject({ status: 'PENDING' });
  });
});

it('leaves every invariant standing', async () => {
  await service.drain();
  await expectInvariants(service.db);
});
