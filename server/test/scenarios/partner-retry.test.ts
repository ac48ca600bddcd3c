import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { aBrokenOrder } from '../support/broken-orders.ts';
import type { BrokenOrder } from '../support/broken-orders.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import {
  aCustomer,
  aVariant,
  control,
  fault,
  loadCodes,
  mailsTo,
  order,
  pay,
  readOrder,
} from '../support/shop.ts';
import type { Answered, Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;
let customer: Customer;
let partnerId: number;

beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
  const { partner } = await control<{ partner: Record<string, string> }>(service, '/credentials');
  await service.app.fulfillment.ensurePartners({ generic: partner });
  const { rows } = await service.db.query<{ id: number }>('SELECT id FROM partners');
  partnerId = rows[0]?.id ?? 0;
});
afterAll(() => service.close());
beforeEach(async () => {
  customer = await aCustomer(service);
});

interface RetryAnswer {
  readonly status: string;
  readonly attemptId: number;
  readonly emailSent: boolean;
  readonly errorMessage: string | null;
}

const retry = (orderId: number, body: unknown): Promise<Answered<RetryAnswer>> =>
  operate(service, operator, { path: `/orders/${orderId}/fulfillment/partner-retry`, body });

async function variantOf(itemId: number | undefined): Promise<number> {
  const { rows } = await service.db.query<{ variant_id: number }>(
    'SELECT variant_id FROM order_items WHERE id = $1',
    [itemId],
  );
  return rows[0]?.variant_id ?? 0;
}

async function aSource(itemId: number | undefined, more: object = {}): Promise<number> {
  const body = {
    variant_id: await variantOf(itemId),
    partner_id: partnerId,
    partner_product: `sku-${randomUUID()}`,
    cost: 400,
    ...more,
  };
  const made = await operate<{ id: number }>(service, operator, { path: '/partner-sources', body });
  expect(made.status).toBe(201);
  return made.data.id;
}

async function attemptsOf(broken: BrokenOrder) {
  const path = `/orders/${broken.id}/fulfillment-attempts`;
  const { data } = await operate<{
    items: { id: number; type: string; status: string; code_provided: string | null }[];
  }>(service, operator, { path });
  return data.items.filter(({ type }) => type === 'PARTNER_RETRY');
}

async function purchases(): Promise<number> {
  const { items } = await control<{ items: { call: string }[] }>(service, '/ledger?target=partner');
  return items.filter(({ call }) => call === 'purchase').length;
}

describe('partner retry (interface part 4)', () => {
  it('buys what the item lacks and delivers the order with its one e-mail', async () => {
    const broken = await aBrokenOrder(service, customer, [2]);
    await aSource(broken.itemIds[0]);
    const answer = await retry(broken.id, { orderItemId: broken.itemIds[0], notes: 'source added' });
    expect(answer).toMatchObject({
      status: 200,
      success: true,
      data: { status: 'DISPATCHED', emailSent: true, attemptId: expect.any(Number) },
    });
    const read = (await readOrder(service, customer, broken.id)).data;
    expect(read).toMatchObject({ status: 'SUCCEEDED', dispatched_email: customer.email });
    expect(read.voucher_codes).toHaveLength(2);
    const mails = await mailsTo(service, customer.email);
    expect(mails).toHaveLength(1);
    for (const code of read.voucher_codes) expect(mails[0]?.text).toContain(code);
    expect(await attemptsOf(broken)).toMatchObject([
      {
        id: answer.data.attemptId,
        status: 'DISPATCHED',
        code_provided: `${read.voucher_codes[0]} (+1 more)`,
      },
    ]);
    expect(await retry(broken.id, { orderItemId: broken.itemIds[0] })).toMatchObject({
      status: 409,
      errorCode: 'CONFLICT',
    });
  });

  it('answers 200 with success false when the partner says no, and can be tried again', async () => {
    const broken = await aBrokenOrder(service, customer);
    await aSource(broken.itemIds[0]);
    await fault(service, { target: 'partner', fault: 'out_of_stock' });
    const refused = await retry(broken.id, { orderItemId: broken.itemIds[0] });
    expect(refused).toMatchObject({
      status: 200,
      success: false,
      data: { status: 'PARTNER_FAILED', attemptId: expect.any(Number) },
    });
    expect(refused.data.errorMessage).toBeTruthy();
    expect((await readOrder(service, customer, broken.id)).data).toMatchObject({
      status: 'NEEDS_ATTENTION',
      dispatched_email: null,
    });
    expect(await mailsTo(service, customer.email)).toEqual([]);
    expect(await retry(broken.id, { orderItemId: broken.itemIds[0] })).toMatchObject({
      status: 200,
      success: true,
    });
    expect((await attemptsOf(broken)).map(({ status }) => status)).toEqual(['DISPATCHED', 'PARTNER_FAILED']);
  });

  it('never buys again while nobody knows what became of the first purchase', async () => {
    const broken = await aBrokenOrder(service, customer);
    await aSource(broken.itemIds[0]);
    await fault(service, { target: 'partner', fault: 'unknown_result', call: 'purchase' });
    const before = await purchases();
    const unknown = await retry(broken.id, { orderItemId: broken.itemIds[0] });
    expect(unknown).toMatchObject({ status: 200, success: false, data: { status: 'PARTNER_FAILED' } });
    const again = await retry(broken.id, { orderItemId: broken.itemIds[0] });
    expect(again).toMatchObject({ status: 409, errorCode: 'CONFLICT', data: { type: 'PurchaseUnclear' } });
    expect(await purchases()).toBe(before + 1);
    await service.db.query(
      `UPDATE partner_api_transactions SET next_step_at = now() - interval '1 second' WHERE next_step_at IS NOT NULL`,
    );
    await service.sweep('run-due-partner-purchases');
    await service.drain();
    const read = (await readOrder(service, customer, broken.id)).data;
    expect(read).toMatchObject({ status: 'SUCCEEDED' });
    expect(await mailsTo(service, customer.email)).toHaveLength(1);
    expect(await purchases()).toBe(before + 1);
  });

  it('forces a source when one is named, and says 404 for one that is not the variant’s', async () => {
    const broken = await aBrokenOrder(service, customer);
    const stranger = await aBrokenOrder(service, customer);
    const foreign = await aSource(stranger.itemIds[0]);
    const inactive = await aSource(broken.itemIds[0], { is_active: false });
    const [orderItemId] = broken.itemIds;
    const none = await retry(broken.id, { orderItemId });
    expect(none).toMatchObject({ status: 200, success: false, data: { status: 'PARTNER_FAILED' } });
    for (const partnerSourceId of [foreign, 999_999]) {
      expect(await retry(broken.id, { orderItemId, partnerSourceId })).toMatchObject({
        status: 404,
        errorCode: 'NOT_FOUND',
      });
    }
    expect(await retry(broken.id, { orderItemId, partnerSourceId: inactive })).toMatchObject({
      status: 200,
      success: true,
    });
  });

  it('keeps what was bought when the e-mail fails, and sends it at the next retry without buying', async () => {
    const broken = await aBrokenOrder(service, customer);
    await aSource(broken.itemIds[0]);
    await fault(service, { target: 'smtp', fault: 'reject' });
    const failed = await retry(broken.id, { orderItemId: broken.itemIds[0] });
    expect(failed).toMatchObject({
      status: 200,
      success: false,
      data: { status: 'DISPATCH_FAILED', emailSent: false },
    });
    const read = (await readOrder(service, customer, broken.id)).data;
    expect(read.items[0]).toMatchObject({ fulfilled: false, fulfillment_status: 'DISPATCH_FAILED' });
    const before = await purchases();
    expect(await retry(broken.id, { orderItemId: broken.itemIds[0] })).toMatchObject({
      data: { status: 'DISPATCHED', emailSent: true },
    });
    expect(await purchases()).toBe(before);
  });

  it('asks the stock first', async () => {
    const broken = await aBrokenOrder(service, customer);
    await aSource(broken.itemIds[0]);
    const code = `LATE-STOCK-${randomUUID()}`;
    await loadCodes(service, await variantOf(broken.itemIds[0]), [code]);
    const before = await purchases();
    expect(await retry(broken.id, { orderItemId: broken.itemIds[0] })).toMatchObject({ success: true });
    expect((await readOrder(service, customer, broken.id)).data.voucher_codes).toEqual([code]);
    expect(await purchases()).toBe(before);
  });
});

describe('bulk retry', () => {
  it('delivers every order that can be, with a result for each', async () => {
    const good = [await aBrokenOrder(service, customer, [1, 1]), await aBrokenOrder(service, customer)];
    const bad = await aBrokenOrder(service, customer);
    for (const itemId of good.flatMap(({ itemIds }) => itemIds)) await aSource(itemId);
    const orderIds = [...good.map(({ id }) => id), bad.id, 999_999];
    const answer = await operate<{
      total: number;
      succeeded: number;
      results: {
        orderId: number;
        success: boolean;
        orderStatus: string | null;
        errorCode: string | null;
        items: unknown[];
      }[];
    }>(service, operator, { path: '/fulfillment/bulk-retry', body: { orderIds, notes: 'partner is back' } });
    expect(answer).toMatchObject({ status: 200, data: { total: 4, succeeded: 2, failed: 2 } });
    expect(answer.data.results).toMatchObject([
      {
        orderId: good[0]?.id,
        success: true,
        orderStatus: 'SUCCEEDED',
        items: [{ status: 'DISPATCHED' }, { status: 'DISPATCHED' }],
      },
      { orderId: good[1]?.id, success: true, orderStatus: 'SUCCEEDED', items: [{ emailSent: true }] },
      {
        orderId: bad.id,
        success: false,
        orderStatus: 'NEEDS_ATTENTION',
        items: [{ status: 'PARTNER_FAILED' }],
      },
      { orderId: 999_999, success: false, orderStatus: null, errorCode: 'NOT_FOUND', items: [] },
    ]);
    expect(await mailsTo(service, customer.email)).toHaveLength(2);
  });

  it('takes 1 to 100 orders', async () => {
    for (const orderIds of [[], Array.from({ length: 101 }, (_, index) => index + 1)]) {
      const path = '/fulfillment/bulk-retry';
      expect(await operate(service, operator, { path, body: { orderIds } })).toMatchObject({
        status: 400,
        errorCode: 'VALIDATION_ERROR',
      });
    }
  });
});

it('sends the codes that were held for an order taken over before it was begun, whatever source is forced', async () => {
  const code = `HELD-${randomUUID()}`;
  const { variantId } = await aVariant(service, { codes: [code] });
  const placed = (await order(service, customer, { variantId })).data;
  await pay(service, placed);
  const status = {
    path: `/orders/${placed.id}/status`,
    method: 'PATCH',
    body: { status: 'NEEDS_ATTENTION' },
  };
  expect((await operate(service, operator, status)).status).toBe(200);
  const orderItemId = placed.items[0]?.id;
  const partnerSourceId = await aSource(orderItemId);
  const retried = await retry(placed.id, { orderItemId, partnerSourceId });
  expect(retried).toMatchObject({ status: 200, success: true, data: { status: 'DISPATCHED' } });
  const letters = await mailsTo(service, customer.email);
  expect(letters.map(({ text }) => text.includes(code))).toEqual([true]);
  expect((await readOrder(service, customer, placed.id)).data.status).toBe('SUCCEEDED');
});
