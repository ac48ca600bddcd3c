import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aBrokenOrder } from '../support/broken-orders.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let chief: Operator;
let support: Operator;
let customer: Customer;
let orderId: number;
let orderNumber: string;
const codes = [`SECRET-${randomUUID()}`, `SECRET-${randomUUID()}`, `SECRET-${randomUUID()}`];

beforeAll(async () => {
  service = await startTestService();
  chief = await anOperator(service);
  support = await anOperator(service, ['support']);
  customer = await aCustomer(service);
  const broken = await aBrokenOrder(service, customer, [1, 2]);
  orderId = broken.id;
  orderNumber = broken.number;
  const [first, second] = broken.itemIds;
  await operate(service, chief, {
    path: `/orders/${orderId}/fulfillment/manual-codes`,
    body: {
      notes: 'by hand',
      items: [
        { orderItemId: first, codes: [{ code: codes[0], pin: '0815' }] },
        { orderItemId: second, codes: [{ code: codes[1] }, { code: codes[2] }] },
      ],
    },
  });
});
afterAll(() => service.close());

interface OrderDetail {
  readonly voucher_codes: readonly string[];
  readonly codes_masked: boolean;
  readonly items: readonly {
    readonly voucher_codes: readonly string[];
    readonly vouchers: readonly { code: string; pin: string | null; source_type: string }[];
  }[];
  readonly fulfillment_attempts: readonly Attempt[];
}

interface Attempt {
  readonly type: string;
  readonly status: string;
  readonly code_provided: string | null;
  readonly partner_response: { allCodes?: readonly string[] };
  readonly admin_user: { id: number } | null;
  readonly notes: string | null;
}

const readDetail = (who: Operator) => operate<OrderDetail>(service, who, { path: `/orders/${orderId}` });
const readAttempts = (who: Operator) =>
  operate<{ items: Attempt[]; pagination: { total: number } }>(service, who, {
    path: `/orders/${orderId}/fulfillment-attempts`,
  });

async function plainReads(): Promise<number> {
  const { rows } = await service.db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM audit_logs WHERE action = 'vouchers:read_plain' AND resource_id = $1`,
    [String(orderId)],
  );
  return rows[0]?.n ?? -1;
}

describe('GET /admin/orders/:id (interface part 2, decisions part 3)', () => {
  it('has every field of the order, its items, payments, attempts and alerts', async () => {
    const { status, data } = await readDetail(chief);
    expect(status).toBe(200);
    expect(data).toMatchObject({
      id: orderId,
      order_number: orderNumber,
      status: 'SUCCEEDED',
      payment_method: 'gw_aggregator',
      discount_code: null,
      discount_amount: 0,
      total_amount: 1500,
      dispatched_email: customer.email,
      email_sent_at: expect.stringMatching(/Z$/),
      voucher_codes: codes,
      customer: { id: customer.userId, email: customer.email },
      payments: [
        {
          transactionId: expect.stringMatching(/^AGG-/),
          status: 'SUCCEEDED',
          amount: 1500,
          method: 'gw_aggregator',
        },
      ],
      alerts: [{ type: 'fulfillment_failed', status: 'resolved' }],
      assigned_to: null,
      notes: [],
    });
    expect(data.items).toMatchObject([
      {
        quantity: 1,
        fulfilled: true,
        fulfillment_status: 'SUCCEEDED',
        voucher_id: expect.any(Number),
        voucher_codes: [codes[0]],
      },
      {
        quantity: 2,
        fulfilled: true,
        voucher_codes: codes.slice(1),
        vouchers: [{ source_type: 'MANUAL', partner_id: null }, {}],
      },
    ]);
  });

  it('shows codes plain to vouchers:reveal, each read an audit row, and masked to others', async () => {
    const before = await plainReads();
    const plain = (await readDetail(chief)).data;
    expect(plain).toMatchObject({ codes_masked: false, voucher_codes: codes });
    expect(plain.items[0]?.vouchers[0]).toMatchObject({ code: codes[0], pin: '0815' });
    expect(await plainReads()).toBe(before + 1);

    const answer = await readDetail(support);
    const masked = answer.data;
    expect(masked.codes_masked).toBe(true);
    expect(masked.voucher_codes).toEqual(codes.map((code) => `****${code.slice(-4)}`));
    expect(masked.items.flatMap((item) => item.voucher_codes)).toEqual(masked.voucher_codes);
    expect(masked.items[0]?.vouchers[0]).toMatchObject({ pin: '****' });
    expect(JSON.stringify(answer)).not.toContain('SECRET-');
    expect(await plainReads()).toBe(before + 1);
  });

  it('is 404 for an unknown order and 403 without orders:read', async () => {
    expect(await operate(service, chief, { path: '/orders/999999' })).toMatchObject({ status: 404 });
    const marketing = await anOperator(service, ['marketing']);
    expect(await readDetail(marketing)).toMatchObject({ status: 403 });
    expect(await readAttempts(marketing)).toMatchObject({ status: 403 });
  });
});

describe('GET /admin/orders/:id/fulfillment-attempts (interface part 2)', () => {
  it('lists what was tried, newest first, with operator, notes and codes', async () => {
    const { status, data } = await readAttempts(chief);
    expect(status).toBe(200);
    expect(data.pagination).toMatchObject({ total: 4 });
    const manual = data.items.filter(({ type }) => type === 'MANUAL_CODE_INPUT');
    const one = manual.find(({ partner_response: { allCodes } }) => allCodes === undefined);
    const several = manual.find(({ partner_response: { allCodes } }) => allCodes !== undefined);
    expect(one).toMatchObject({
      status: 'DISPATCHED',
      code_provided: codes[0],
      error_message: null,
      notes: 'by hand',
      admin_user: { id: chief.adminId, name: 'Test Operator' },
      correlation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/Z$/),
      partner_api_transaction: null,
    });
    expect(several).toMatchObject({
      code_provided: `${codes[1]} (+1 more)`,
      partner_response: { allCodes: codes.slice(1) },
    });
    const automatic = data.items.filter(({ type }) => type === 'AUTO');
    expect(automatic).toMatchObject([
      { status: 'FAILED', admin_user: null, code_provided: null },
      { status: 'FAILED' },
    ]);
  });

  it('masks the codes of attempts by the same rule', async () => {
    const before = await plainReads();
    const answer = await readAttempts(support);
    expect(JSON.stringify(answer)).not.toContain('SECRET-');
    const provided = answer.data.items.map((attempt) => attempt.code_provided);
    expect(provided).toContain(`****${codes[1]?.slice(-4)} (+1 more)`);
    expect(await plainReads()).toBe(before);
    await readAttempts(chief);
    expect(await plainReads()).toBe(before + 1);
  });
});

describe('what operators do to an order', () => {
  it('is in the audit log, without a code', async () => {
    const { rows } = await service.db.query<{ action: string; admin_id: number; text: string }>(
      `SELECT action, admin_id, concat(before, after) AS text FROM audit_logs
       WHERE resource_type = 'order' AND resource_id = $1 AND action <> 'vouchers:read_plain'`,
      [String(orderId)],
    );
    expect(rows).toMatchObject([{ action: 'orders:manual-codes', admin_id: chief.adminId }]);
    expect(rows[0]?.text).not.toContain('SECRET-');
  });
});
