import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aBrokenOrder } from '../support/broken-orders.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import {
  aCustomer,
  fault,
  loadCodes,
  aVariant,
  mailsTo,
  order,
  pay,
  readOrder,
  someCodes,
} from '../support/shop.ts';
import type { Answered, Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;

beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
});
afterAll(() => service.close());

interface ManualCodeAnswer {
  readonly attemptId: number;
  readonly correlationId: string;
  readonly status: string;
  readonly emailSent: boolean;
}

interface ManualCodesAnswer {
  readonly correlationId: string;
  readonly emailSent: boolean;
  readonly orderStatus: string;
  readonly items: readonly { orderItemId: number; attemptId: number; status: string; codesSaved: number }[];
}

const enter = (orderId: number, body: unknown): Promise<Answered<ManualCodeAnswer>> =>
  operate(service, operator, { path: `/orders/${orderId}/fulfillment/manual-code`, body });
const enterMany = (orderId: number, body: unknown): Promise<Answered<ManualCodesAnswer>> =>
  operate(service, operator, { path: `/orders/${orderId}/fulfillment/manual-codes`, body });
const resend = (orderId: number, body: unknown = {}): Promise<Answered<ManualCodeAnswer>> =>
  operate(service, operator, { path: `/orders/${orderId}/fulfillment/resend-email`, body });
const aCode = (): string => `TYPED-${randomUUID()}`;

async function alertsOf(
  orderId: number,
): Promise<{ type: string; status: string; resolution_notes: string | null }[]> {
  const { rows } = await service.db.query<{ type: string; status: string; resolution_notes: string | null }>(
    'SELECT type, status, resolution_notes FROM admin_alerts WHERE order_id = $1 ORDER BY id',
    [orderId],
  );
  return rows;
}

describe('manual code entry (interface parts 3, 4)', () => {
  it('delivers the code, fulfils item and order and resolves the alert with the correlation id', async () => {
    const customer = await aCustomer(service);
    const broken = await aBrokenOrder(service, customer);
    expect(await alertsOf(broken.id)).toMatchObject([{ type: 'fulfillment_failed', status: 'open' }]);
    const code = aCode();
    const body = { orderItemId: broken.itemIds[0], code, pin: '4711', notes: 'from the supplier’s portal' };
    const answer = await enter(broken.id, body);
    expect(answer).toMatchObject({
      status: 200,
      success: true,
      message: '1 voucher code(s) delivered to customer',
      data: {
        status: 'DISPATCHED',
        emailSent: true,
        attemptId: expect.any(Number),
        correlationId: expect.any(String),
      },
    });
    const read = (await readOrder(service, customer, broken.id)).data;
    expect(read).toMatchObject({
      status: 'SUCCEEDED',
      dispatched_email: customer.email,
      voucher_codes: [code],
    });
    expect(read.items[0]).toMatchObject({
      fulfilled: true,
      fulfillment_status: 'SUCCEEDED',
      voucher_codes: [code],
    });
    const mails = await mailsTo(service, customer.email);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain(code);
    expect(mails[0]?.text).toContain('PIN: 4711');
    const [alert] = await alertsOf(broken.id);
    expect(alert).toMatchObject({ status: 'resolved' });
    expect(alert?.resolution_notes).toContain(answer.data.correlationId);
  });

  it('stores each code as its own row: list before shorthand, partner 0 as none', async () => {
    const customer = await aCustomer(service);
    const broken = await aBrokenOrder(service, customer, [3]);
    const codes = [aCode(), aCode(), aCode()];
    const answer = await enter(broken.id, {
      orderItemId: broken.itemIds[0],
      code: 'IGNORED',
      partnerId: 0,
      codes: [
        { code: codes[0], pin: '1', expiresAt: '2031-01-01T00:00:00.000Z', metadata: { lot: { no: 7 } } },
        { code: codes[1] },
        { code: ` ${codes[2]} ` },
      ],
    });
    expect(answer).toMatchObject({ status: 200, message: '3 voucher code(s) delivered to customer' });
    const { rows } = await service.db.query(
      `SELECT source_type, status, partner_id, unit_no, metadata, expires_at FROM vouchers
       WHERE order_item_id = $1 ORDER BY unit_no`,
      [broken.itemIds[0]],
    );
    const row = {
      source_type: 'MANUAL',
      status: 'assigned',
      partner_id: null,
      metadata: {},
      expires_at: null,
    };
    expect(rows).toEqual([
      { ...row, unit_no: 1, metadata: { lot: { no: 7 } }, expires_at: new Date('2031-01-01T00:00:00.000Z') },
      { ...row, unit_no: 2 },
      { ...row, unit_no: 3 },
    ]);
    expect((await readOrder(service, customer, broken.id)).data.voucher_codes).toEqual(codes);
  });

  it('sends every code the order has so far, and succeeds with the last item', async () => {
    const customer = await aCustomer(service);
    const broken = await aBrokenOrder(service, customer, [1, 2]);
    const [first, second, third] = [aCode(), aCode(), aCode()];
    await enter(broken.id, { orderItemId: broken.itemIds[0], code: first });
    const half = (await readOrder(service, customer, broken.id)).data;
    expect(half).toMatchObject({ status: 'NEEDS_ATTENTION', dispatched_email: customer.email });
    expect(half.items.map((item) => item.fulfilled)).toEqual([true, false]);
    expect((await alertsOf(broken.id))[0]).toMatchObject({ status: 'open' });
    await enter(broken.id, { orderItemId: broken.itemIds[1], codes: [{ code: second }, { code: third }] });
    expect((await readOrder(service, customer, broken.id)).data.status).toBe('SUCCEEDED');
    const mails = await mailsTo(service, customer.email);
    expect(
      mails.map((mail) => [first, second, third].filter((code) => mail.text.includes(code ?? '-')).length),
    ).toEqual([1, 3]);
    expect(mails[0]?.text).not.toContain('Credited');
    expect(new Set(mails.map((mail) => mail.messageId)).size).toBe(2);
  });

  it('recovers several items with one e-mail', async () => {
    const customer = await aCustomer(service);
    const broken = await aBrokenOrder(service, customer, [1, 2]);
    const codes = [aCode(), aCode(), aCode()];
    const answer = await enterMany(broken.id, {
      notes: 'both at once',
      items: [
        { orderItemId: broken.itemIds[0], codes: [{ code: codes[0] }] },
        { orderItemId: broken.itemIds[1], codes: [{ code: codes[1], pin: '9' }, { code: codes[2] }] },
      ],
    });
    expect(answer).toMatchObject({
      status: 200,
      success: true,
      message: '3 voucher code(s) delivered to customer',
    });
    expect(answer.data).toMatchObject({ emailSent: true, orderStatus: 'SUCCEEDED' });
    expect(answer.data.items).toMatchObject([
      { orderItemId: broken.itemIds[0], status: 'DISPATCHED', codesSaved: 1, errorMessage: null },
      { orderItemId: broken.itemIds[1], status: 'DISPATCHED', codesSaved: 2, errorMessage: null },
    ]);
    expect(await mailsTo(service, customer.email)).toHaveLength(1);
  });

  it('writes nothing at all when one item of several cannot be done', async () => {
    const customer = await aCustomer(service);
    const broken = await aBrokenOrder(service, customer, [1, 2]);
    const answer = await enterMany(broken.id, {
      items: [
        { orderItemId: broken.itemIds[0], codes: [{ code: aCode() }] },
        { orderItemId: broken.itemIds[1], codes: [{ code: aCode() }] },
      ],
    });
    expect(answer).toMatchObject({ status: 400, errorCode: 'BAD_REQUEST' });
    const { rows } = await service.db.query('SELECT id FROM vouchers WHERE order_item_id = ANY ($1)', [
      broken.itemIds,
    ]);
    expect(rows).toEqual([]);
    expect(await mailsTo(service, customer.email)).toEqual([]);
  });
});

describe('an e-mail that does not get through (interface part 3, decisions 6.2)', () => {
  it.each([
    ['reject', 'refused'],
    ['error_500', 'not sent'],
  ])(
    'keeps the codes after SMTP %s and sends them when the same request comes again',
    async (kind, because) => {
      const customer = await aCustomer(service);
      const broken = await aBrokenOrder(service, customer);
      const body = { orderItemId: broken.itemIds[0], code: aCode() };
      await fault(service, { target: 'smtp', fault: kind });
      const failed = await enter(broken.id, body);
      expect(failed).toMatchObject({
        status: 200,
        success: false,
        data: { status: 'DISPATCH_FAILED', emailSent: false },
      });
      expect(failed.message).toContain(because);
      const read = (await readOrder(service, customer, broken.id)).data;
      expect(read).toMatchObject({
        status: 'NEEDS_ATTENTION',
        dispatched_email: null,
        email_sent_at: null,
        voucher_codes: [],
      });
      expect(read.items[0]).toMatchObject({ fulfilled: false, fulfillment_status: 'DISPATCH_FAILED' });
      expect((await alertsOf(broken.id))[0]).toMatchObject({ status: 'open' });

      const other = await enter(broken.id, { ...body, code: aCode() });
      expect(other).toMatchObject({
        status: 409,
        errorCode: 'CONFLICT',
        data: { type: 'CodesAlreadySaved' },
      });
      const again = await enter(broken.id, body);
      expect(again).toMatchObject({
        status: 200,
        success: true,
        data: { status: 'DISPATCHED', emailSent: true },
      });
      expect((await readOrder(service, customer, broken.id)).data).toMatchObject({
        status: 'SUCCEEDED',
        voucher_codes: [body.code],
      });
      expect(await mailsTo(service, customer.email)).toHaveLength(1);
      const { rows } = await service.db.query('SELECT id FROM vouchers WHERE order_item_id = $1', [
        broken.itemIds[0],
      ]);
      expect(rows).toHaveLength(1);
    },
  );

  it('repeats a letter whose acceptance nobody knows recognisably the same', async () => {
    const customer = await aCustomer(service);
    const broken = await aBrokenOrder(service, customer);
    const body = { orderItemId: broken.itemIds[0], code: aCode() };
    await fault(service, { target: 'smtp', fault: 'unknown_result' });
    const unknown = await enter(broken.id, body);
    expect(unknown).toMatchObject({ status: 200, success: false, data: { status: 'DISPATCH_FAILED' } });
    const again = await enter(broken.id, body);
    expect(again.data).toMatchObject({ status: 'DISPATCHED', emailSent: true });
    const mails = await mailsTo(service, customer.email);
    expect(mails).toHaveLength(2);
    expect(mails[0]).toMatchObject({ messageId: mails[1]?.messageId, text: mails[1]?.text });
  });

  it('fulfils items and order when the e-mail is resent', async () => {
    const customer = await aCustomer(service);
    const broken = await aBrokenOrder(service, customer);
    const code = aCode();
    await fault(service, { target: 'smtp', fault: 'reject' });
    await enter(broken.id, { orderItemId: broken.itemIds[0], code });
    const resent = await resend(broken.id, { notes: 'mail server is back' });
    expect(resent).toMatchObject({
      status: 200,
      success: true,
      data: { status: 'SUCCESS', emailSent: true },
    });
    expect((await readOrder(service, customer, broken.id)).data).toMatchObject({
      status: 'SUCCEEDED',
      voucher_codes: [code],
    });
    const [alert] = await alertsOf(broken.id);
    expect(alert?.resolution_notes).toContain(resent.data.correlationId);
  });
});

describe('an unexpected error (interface part 3)', () => {
  it('is recorded as a FAILED attempt, keeps what is stored and lets the next try through', async () => {
    const customer = await aCustomer(service);
    const broken = await aBrokenOrder(service, customer);
    await fault(service, { target: 'smtp', fault: 'reject' });
    await enter(broken.id, { orderItemId: broken.itemIds[0], code: aCode() });
    const seal = (value: string) =>
      service.db.query(`UPDATE vouchers SET code_sealed = ${value} WHERE order_item_id = $1`, [
        broken.itemIds[0],
      ]);
    await seal(`'\\x00' || code_sealed`);
    expect(await resend(broken.id)).toMatchObject({ status: 500, errorCode: 'INTERNAL_ERROR' });
    const { rows } = await service.db.query(
      `SELECT type, status, error_message IS NOT NULL AS explained,
              (SELECT count(*)::int FROM recovery_claims WHERE order_id = $1) AS claims
       FROM fulfillment_attempts WHERE order_id = $1 ORDER BY id DESC LIMIT 1`,
      [broken.id],
    );
    expect(rows).toEqual([{ type: 'RESEND_EMAIL', status: 'FAILED', explained: true, claims: 0 }]);
    await seal('substring(code_sealed FROM 2)');
    await service.db.query('UPDATE mail_messages SET claimed_until = now() WHERE order_id = $1', [broken.id]);
    expect(await resend(broken.id)).toMatchObject({ status: 200, success: true });
  });
});

describe('resending the e-mail', () => {
  let customer: Customer;
  let orderId: number;

  beforeAll(async () => {
    customer = await aCustomer(service);
    const { variantId } = await aVariant(service, { codes: someCodes(`RE-${randomUUID()}`, 2) });
    const placed = (await order(service, customer, { variantId, quantity: 2 })).data;
    await pay(service, placed);
    await service.drain();
    orderId = placed.id;
  });

  it('sends all stored codes again as a letter of its own', async () => {
    const before = (await readOrder(service, customer, orderId)).data;
    expect((await resend(orderId)).data).toMatchObject({ status: 'SUCCESS', emailSent: true });
    const mails = await mailsTo(service, customer.email);
    expect(mails).toHaveLength(2);
    expect(mails[1]?.messageId).not.toBe(mails[0]?.messageId);
    for (const code of before.voucher_codes) expect(mails[1]?.text).toContain(code);
    const after = (await readOrder(service, customer, orderId)).data;
    expect(after.status).toBe('SUCCEEDED');
    expect(Date.parse(after.email_sent_at ?? '')).toBeGreaterThan(Date.parse(before.email_sent_at ?? ''));
  });

  it('goes to a corrected address only for those who may see codes', async () => {
    const support = await anOperator(service, ['support']);
    const elsewhere = `elsewhere-${randomUUID()}@example.com`;
    const path = `/orders/${orderId}/fulfillment/resend-email`;
    const refused = await operate(service, support, { path, body: { recipientEmail: elsewhere } });
    expect(refused).toMatchObject({ status: 403, errorCode: 'FORBIDDEN' });
    expect(await operate(service, support, { path, body: {} })).toMatchObject({ status: 200, success: true });
    expect(await resend(orderId, { recipientEmail: elsewhere })).toMatchObject({
      status: 200,
      success: true,
    });
    expect(await mailsTo(service, elsewhere)).toHaveLength(1);
    expect((await readOrder(service, customer, orderId)).data.dispatched_email).toBe(elsewhere);
  });
});

describe('codes that lie in the stock', () => {
  it('are taken out of it when an operator types them in, and voided ones refused', async () => {
    const customer = await aCustomer(service);
    const broken = await aBrokenOrder(service, customer, [1]);
    const { rows } = await service.db.query<{ variant_id: number }>(
      'SELECT variant_id FROM order_items WHERE id = $1',
      [broken.itemIds[0]],
    );
    const voided = aCode();
    const free = aCode();
    await loadCodes(service, rows[0]?.variant_id ?? 0, [voided]);
    await service.db.query(`UPDATE vouchers SET status = 'voided' WHERE variant_id = $1`, [
      rows[0]?.variant_id,
    ]);
    await loadCodes(service, rows[0]?.variant_id ?? 0, [free]);
    expect(await enter(broken.id, { orderItemId: broken.itemIds[0], code: voided })).toMatchObject({
      status: 409,
    });
    expect(await enter(broken.id, { orderItemId: broken.itemIds[0], code: free })).toMatchObject({
      status: 200,
      success: true,
    });
    const stored = await service.db.query(
      'SELECT source_type, status FROM vouchers WHERE order_item_id = $1',
      [broken.itemIds[0]],
    );
    expect(stored.rows).toEqual([{ source_type: 'PRELOADED', status: 'assigned' }]);
  });
});
