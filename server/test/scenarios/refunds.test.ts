import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { expectInvariants } from '../support/invariants.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import {
  aCustomer,
  aVariant,
  call as callClient,
  control,
  fault,
  order,
  pay,
  someCodes,
} from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { freePort, startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let customer: Customer;
let admin: Operator;
let variantId: number;
beforeAll(async () => {
  service = await startTestService();
  customer = await aCustomer(service);
  admin = await anOperator(service);
  ({ variantId } = await aVariant(service, { codes: someCodes('REFUND', 60) }));
});
afterEach(() => control(service, '/faults', undefined, 'DELETE'));
afterAll(() => service.close());

interface Refund {
  readonly id: number;
  readonly payment_id: number;
  readonly amount: number;
  readonly status: string;
  readonly gateway_refund_id: string | null;
  readonly failure_reason: string | null;
  readonly requested_by: number;
  readonly approved_by: number | null;
}

interface Payment {
  readonly id: number;
  readonly transactionId: string;
  readonly gateway_reference: string;
  readonly status: string;
  readonly refunded_amount: number;
}

const post = (path: string, body: unknown = {}, by = admin) =>
  operate<Refund>(service, by, { path, method: 'POST', body });
const readRefund = async (id: number): Promise<Refund> =>
  (await operate<Refund>(service, admin, { path: `/refunds/${id}` })).data;
const readPayment = async (id: number): Promise<Payment> =>
  (await operate<Payment>(service, admin, { path: `/payments/${id}` })).data;
const callsTo = async (target: string, call: string): Promise<number> =>
  (await control<{ items: unknown[] }>(service, `/ledger?target=${target}&call=${call}`)).items.length;
const eventsOf = async (paymentId: number): Promise<number[]> => {
  const sql = `SELECT (data ->> 'amount_minor')::int AS amount FROM outbox_events
               WHERE type = 'payment.refunded' AND data ->> 'payment_id' = $1::text ORDER BY position`;
  return (await service.db.query<{ amount: number }>(sql, [paymentId])).rows.map((row) => row.amount);
};

/** A delivered order of 500 BDT. @returns its payment. */
async function aPaidOrder(method: string): Promise<Payment> {
  const placed = (await order(service, customer, { variantId, method })).data;
  await pay(service, placed);
  await service.drain();
  const found = await operate<{ items: Payment[] }>(service, admin, {
    path: `/payments?order_id=${placed.id}`,
  });
  const payment = found.data.items[0];
  if (payment?.status !== 'SUCCEEDED') throw new Error('not paid');
  return payment;
}

/** As if the time of the next question had come, and whoever was calling were gone. */
async function sweepNow(refundId: number): Promise<void> {
  await service.db.query(
    `UPDATE refunds SET next_action_at = now() - interval '1 second', calling_until = NULL
     WHERE id = $1 AND next_action_at IS NOT NULL`,
    [refundId],
  );
  await service.sweep('follow-due-refunds');
  await service.drain();
}

const methods = [
  ['gw_aggregator', 'aggregator'],
  ['gw_wallet_tokenized', 'wallet_tokenized'],
  ['dcb', 'dcb'],
  ['gw_wallet_direct', 'wallet_direct'],
] as const;

describe.each(methods)('refunds through %s (decisions 4.19)', (method, target) => {
  it('gives back part, then the rest, then nothing more', async () => {
    const payment = await aPaidOrder(method);
    const part = await post(`/payments/${payment.id}/refund`, {
      amount: 120.5,
      reason: 'one code did not work',
    });
    expect(part).toMatchObject({
      status: 201,
      data: { status: 'approved', amount: 120.5, approved_by: admin.adminId },
    });
    await service.drain();
    expect(await readRefund(part.data.id)).toMatchObject({
      status: 'succeeded',
      gateway_refund_id: expect.stringMatching(/./),
    });
    expect(await readPayment(payment.id)).toMatchObject({ status: 'SUCCEEDED', refunded_amount: 120.5 });
    const tooMuch = await post(`/payments/${payment.id}/refund`, { amount: 379.51, reason: 'too much' });
    expect(tooMuch).toMatchObject({
      status: 400,
      errorCode: 'VALIDATION_ERROR',
      errors: [{ field: 'amount' }],
    });
    const rest = await post(`/payments/${payment.id}/refund`, { reason: 'everything' });
    expect(rest.data.amount).toBe(379.5);
    await service.drain();
    expect(await readPayment(payment.id)).toMatchObject({ refunded_amount: 500 });
    expect(await post(`/payments/${payment.id}/refund`, { reason: 'more' })).toMatchObject({ status: 400 });
    expect(await eventsOf(payment.id)).toEqual([12_050, 37_950]);
  });

  it('is never sent twice after its answer was lost', async () => {
    const payment = await aPaidOrder(method);
    await fault(service, { target, fault: 'unknown_result', call: 'refund' });
    const before = await callsTo(target, 'refund');
    const { data } = await post(`/payments/${payment.id}/refund`, { amount: 100, reason: 'lost' });
    await service.drain();
    expect(await readRefund(data.id)).toMatchObject({ status: 'unknown' });
    expect(await readPayment(payment.id)).toMatchObject({ refunded_amount: 0 });
    await sweepNow(data.id);
    await sweepNow(data.id);
    expect(await callsTo(target, 'refund')).toBe(before + 1);
    if (target === 'aggregator') {
      // It cannot be asked about: an operator looks in the merchant panel.
      expect(await readRefund(data.id)).toMatchObject({ status: 'unknown' });
      await post(`/refunds/${data.id}/settle`, { outcome: 'succeeded', notes: 'seen in the panel' });
    }
    expect(await readRefund(data.id)).toMatchObject({ status: 'succeeded' });
    expect(await readPayment(payment.id)).toMatchObject({ refunded_amount: 100 });
    expect(await eventsOf(payment.id)).toEqual([10_000]);
  });

  it('fails with the reason when the gateway declines, and may be requested again', async () => {
    const payment = await aPaidOrder(method);
    await fault(service, { target, fault: 'declined', call: 'refund' });
    const { data } = await post(`/payments/${payment.id}/refund`, { reason: 'declined' });
    await service.drain();
    expect(await readRefund(data.id)).toMatchObject({
      status: 'failed',
      failure_reason: expect.stringMatching(/./),
    });
    const again = await post(`/payments/${payment.id}/refund`, { reason: 'again' });
    await service.drain();
    expect(await readRefund(again.data.id)).toMatchObject({ status: 'succeeded', amount: 500 });
  });
});

describe('refunds (decisions 4.19)', () => {
  it('are recorded as manual where the gateway has none', async () => {
    const payment = await aPaidOrder('gw_multi_wallet');
    const refund = await post(`/payments/${payment.id}/refund`, { amount: 50, reason: 'by bank transfer' });
    expect(refund).toMatchObject({ status: 201, data: { status: 'manual', amount: 50 } });
    expect(await readPayment(payment.id)).toMatchObject({ refunded_amount: 50 });
    expect(await eventsOf(payment.id)).toEqual([5_000]);
  });

  it('are requested by one and approved or rejected by another, both on record', async () => {
    const payment = await aPaidOrder('gw_aggregator');
    const finance = await anOperator(service, ['finance']);
    const body = { payment_id: payment.id, amount: 200, reason: 'complaint' };
    const [first, second] = [await post('/refunds', body, finance), await post('/refunds', body, finance)];
    expect(first).toMatchObject({
      status: 201,
      data: { status: 'requested', requested_by: finance.adminId },
    });
    expect(await post('/refunds', body, finance)).toMatchObject({ status: 400 });
    expect(await post(`/refunds/${second.data.id}/reject`, { notes: 'twice' })).toMatchObject({
      data: { status: 'rejected', approved_by: admin.adminId },
    });
    await post(`/refunds/${first.data.id}/approve`);
    await service.drain();
    expect(await readRefund(first.data.id)).toMatchObject({
      status: 'succeeded',
      approved_by: admin.adminId,
    });
    for (const verb of ['approve', 'reject']) {
      expect(await post(`/refunds/${first.data.id}/${verb}`)).toMatchObject({
        status: 409,
        errorCode: 'CONFLICT',
      });
    }
    const listed = await operate<{ items: Refund[] }>(service, admin, {
      path: `/refunds?payment_id=${payment.id}&status=rejected`,
    });
    expect(listed.data.items.map(({ id }) => id)).toEqual([second.data.id]);
  });

  it('of the second payment of an order end the alert about it, once all of it is back', async () => {
    const placed = (await order(service, customer, { variantId })).data;
    const path = `/payments/initiate/${placed.id}`;
    const other = await callClient<{ paymentGatewayUrl: string }>(service, {
      path,
      token: customer.token,
      body: {},
    });
    await pay(service, placed);
    await pay(service, other.data.paymentGatewayUrl);
    const { rows } = await service.db.query<{ id: number }>(
      `SELECT id FROM payments WHERE order_id = $1 AND status = 'SUCCEEDED' AND NOT drives_order`,
      [placed.id],
    );
    const alert = async () =>
      (await service.db.query('SELECT type, status FROM admin_alerts WHERE order_id = $1', [placed.id])).rows;
    for (const [amount, status] of [
      [200, 'open'],
      [300, 'resolved'],
    ] as const) {
      await post(`/payments/${rows[0]?.id}/refund`, { amount, reason: 'paid twice' });
      await service.drain();
      expect(await alert()).toEqual([{ type: 'duplicate_payment', status }]);
    }
  });

  it('never exceed what was paid, however many are asked for at once', async () => {
    const payment = await aPaidOrder('dcb');
    const asked = Array.from({ length: 12 }, () =>
      post(`/payments/${payment.id}/refund`, { amount: 90, reason: 'all at once' }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array<number>(5).fill(201), ...Array<number>(7).fill(400)]);
    for (let round = 0; round < 6; round += 1) {
      await service.drain();
      await service.db.query(
        `UPDATE refunds SET next_action_at = now() - interval '1 second' WHERE payment_id = $1 AND status = 'approved'`,
        [payment.id],
      );
      await service.sweep('follow-due-refunds');
    }
    expect(await readPayment(payment.id)).toMatchObject({ refunded_amount: 450 });
  });

  it('are sent again when the call certainly never left', async () => {
    const payment = await aPaidOrder('dcb');
    const { data } = await post('/refunds', { payment_id: payment.id, amount: 10, reason: 'line down' });
    const cutOff = await startTestService({
      beside: service,
      environment: {
        // Nothing listens there.
        GATEWAY_DCB_BASE_URL: `http://127.0.0.1:${await freePort()}`,
        GATEWAY_DCB_API_KEY: 'any',
        GATEWAY_DCB_USERNAME: 'any',
      },
    });
    await post(`/refunds/${data.id}/approve`);
    await cutOff.drain();
    await cutOff.close();
    expect(await readRefund(data.id)).toMatchObject({
      status: 'approved',
      failure_reason: expect.stringContaining('ECONNREFUSED'),
    });
    await sweepNow(data.id);
    expect(await readRefund(data.id)).toMatchObject({ status: 'succeeded', failure_reason: null });
  });

  it('are refused for what was never paid, for strangers and without permission', async () => {
    const placed = (await order(service, customer, { variantId })).data;
    const found = await operate<{ items: Payment[] }>(service, admin, {
      path: `/payments?order_id=${placed.id}`,
    });
    const open = found.data.items[0]?.id ?? 0;
    expect(await post(`/payments/${open}/refund`, { reason: 'unpaid' })).toMatchObject({
      status: 400,
      errorCode: 'BAD_REQUEST',
    });
    expect(await post('/payments/999999/refund', { reason: 'nobody' })).toMatchObject({ status: 404 });
    expect(await post('/refunds/999999/approve')).toMatchObject({ status: 404 });
    const support = await anOperator(service, ['support']);
    expect(await post(`/payments/${open}/refund`, { reason: 'no' }, support)).toMatchObject({ status: 403 });
    expect(await operate(service, support, { path: '/refunds' })).toMatchObject({ status: 200 });
    expect(await post(`/payments/${open}/refund`, { amount: 0.001, reason: 'no' })).toMatchObject({
      status: 400,
    });
  });
});

it('leaves every invariant standing', async () => {
  await service.drain();
  await expectInvariants(service.db);
});
