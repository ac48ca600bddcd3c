import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aBrokenOrder } from '../support/broken-orders.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, order, pay, readOrder, someCodes } from '../support/shop.ts';
import type { Customer, OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;
let customer: Customer;

beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
  customer = await aCustomer(service);
});
afterAll(() => service.close());

async function placeOrder(codes = 1, priceMinor = 50_000): Promise<OrderAnswer & { variantId: number }> {
  const { variantId } = await aVariant(service, { codes: someCodes(randomUUID(), codes), priceMinor });
  return { ...(await order(service, customer, { variantId })).data, variantId };
}

const setStatus = (orderId: number, body: unknown) =>
  operate<{ status: string }>(service, operator, {
    path: `/orders/${orderId}/status`,
    method: 'PATCH',
    body,
  });

async function freeUnits(variantId: number): Promise<number> {
  const { rows } = await service.db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM vouchers WHERE variant_id = $1 AND status = 'available'`,
    [variantId],
  );
  return rows[0]?.n ?? -1;
}

describe('PATCH /admin/orders/:id/status (decisions 4.15)', () => {
  it('takes a paid order out of the automatic work; resending its e-mail ends the attention', async () => {
    const placed = await placeOrder();
    await pay(service, placed);
    await service.drain();
    const asked = await setStatus(placed.id, {
      status: 'NEEDS_ATTENTION',
      notes: 'customer says it never came',
    });
    expect(asked).toMatchObject({ status: 200, data: { id: placed.id, status: 'NEEDS_ATTENTION' } });
    expect((await setStatus(placed.id, { status: 'NEEDS_ATTENTION' })).status).toBe(200);
    expect((await readOrder(service, customer, placed.id)).data).toMatchObject({
      status: 'NEEDS_ATTENTION',
      status_severity: 'info',
    });
    const alerts = async () =>
      (await service.db.query('SELECT type, status FROM admin_alerts WHERE order_id = $1', [placed.id])).rows;
    expect(await alerts()).toEqual([{ type: 'fulfillment_partial', status: 'open' }]);
    const resent = await operate(service, operator, {
      path: `/orders/${placed.id}/fulfillment/resend-email`,
      method: 'POST',
    });
    expect(resent).toMatchObject({ status: 200, success: true });
    expect(await alerts()).toEqual([{ type: 'fulfillment_partial', status: 'resolved' }]);
    expect((await readOrder(service, customer, placed.id)).data.status).toBe('SUCCEEDED');
  });

  it('lets an operator deliver by hand what the service has not begun', async () => {
    // Paid by itself, and a job delivers it: no callback that would hand over what it holds.
    const placed = await placeOrder(1, 0);
    await setStatus(placed.id, { status: 'NEEDS_ATTENTION' });
    const code = `BY-HAND-${randomUUID()}`;
    const entered = await operate(service, operator, {
      path: `/orders/${placed.id}/fulfillment/manual-code`,
      body: { orderItemId: placed.items[0]?.id, code },
    });
    expect(entered).toMatchObject({ status: 200, success: true });
    await service.drain();
    expect((await readOrder(service, customer, placed.id)).data).toMatchObject({
      status: 'SUCCEEDED',
      voucher_codes: [code],
    });
    expect(await freeUnits(placed.variantId)).toBe(1);
  });

  it('cancels an unpaid order and gives its units back at once', async () => {
    const placed = await placeOrder();
    expect(await freeUnits(placed.variantId)).toBe(0);
    expect(await setStatus(placed.id, { status: 'CANCELLED' })).toMatchObject({
      status: 200,
      data: { status: 'CANCELLED' },
    });
    expect(await freeUnits(placed.variantId)).toBe(1);
    const other = await placeOrder();
    const cancelled = await operate(service, operator, {
      path: `/orders/${other.id}/cancel`,
      body: { notes: 'asked by phone' },
    });
    expect(cancelled).toMatchObject({ status: 200, data: { status: 'CANCELLED' } });
    expect(await freeUnits(other.variantId)).toBe(1);
  });

  it('answers 400 to any other move and 404 for an unknown order', async () => {
    const unpaid = await placeOrder();
    for (const status of ['NEEDS_ATTENTION', 'SUCCEEDED', 'PENDING', 'INITIATED', 'FAILED']) {
      expect(await setStatus(unpaid.id, { status })).toMatchObject({ status: 400, errorCode: 'BAD_REQUEST' });
    }
    await pay(service, unpaid);
    await service.drain();
    for (const status of ['CANCELLED', 'SUCCEEDED', 'PENDING', 'FAILED']) {
      expect(await setStatus(unpaid.id, { status })).toMatchObject({ status: 400, errorCode: 'BAD_REQUEST' });
    }
    expect(await setStatus(unpaid.id, { status: 'LOST' })).toMatchObject({
      status: 400,
      errorCode: 'VALIDATION_ERROR',
    });
    expect(await setStatus(unpaid.id, {})).toMatchObject({ status: 400, errorCode: 'VALIDATION_ERROR' });
    expect(await setStatus(999_999, { status: 'CANCELLED' })).toMatchObject({ status: 404 });
  });
});

describe('taking an order', () => {
  it('gives it to one operator and tells the other one who has it', async () => {
    const broken = await aBrokenOrder(service, customer);
    const second = await anOperator(service, ['operations']);
    const take = (who: Operator, body: unknown) =>
      operate<{ admin_id: number }>(service, who, { path: `/orders/${broken.id}/assign`, body });
    const answers = await Promise.all(
      [operator, second].map((who) => take(who, { expected_admin_id: null })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const winner = answers.find(({ status }) => status === 200)?.data.admin_id;
    expect(answers.find(({ status }) => status === 409)?.data).toEqual({
      type: 'AssignedMeanwhile',
      adminId: winner,
    });
    expect(await take(operator, { admin_id: second.adminId })).toMatchObject({
      status: 200,
      data: { admin_id: second.adminId },
    });
    const detail = await operate<{ assigned_to: { id: number } | null }>(service, operator, {
      path: `/orders/${broken.id}`,
    });
    expect(detail.data.assigned_to).toMatchObject({ id: second.adminId });
    expect(await take(operator, { admin_id: null })).toMatchObject({ status: 200, data: { admin_id: null } });
    expect(await take(operator, { admin_id: 999_999 })).toMatchObject({ status: 404 });
  });
});

describe('notes', () => {
  it('stay with the order, newest first, and cannot be changed', async () => {
    const broken = await aBrokenOrder(service, customer);
    const write = (text: string) =>
      operate<{ id: number }>(service, operator, { path: `/orders/${broken.id}/notes`, body: { text } });
    const first = await write('called the supplier');
    expect(first).toMatchObject({ status: 201, data: { order_id: broken.id, text: 'called the supplier' } });
    await write('codes will come tomorrow');
    const detail = await operate<{ notes: { text: string }[] }>(service, operator, {
      path: `/orders/${broken.id}`,
    });
    expect(detail.data.notes.map((note) => note.text)).toEqual([
      'codes will come tomorrow',
      'called the supplier',
    ]);
    await expect(service.db.query('DELETE FROM order_notes WHERE id = $1', [first.data.id])).rejects.toThrow(
      'append-only',
    );
    expect(await write('')).toMatchObject({ status: 400 });
    expect(
      await operate(service, operator, { path: '/orders/999999/notes', body: { text: 'x' } }),
    ).toMatchObject({ status: 404 });
  });
});
