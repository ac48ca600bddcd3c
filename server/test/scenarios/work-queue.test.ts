import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aBrokenOrder, anUnpaidOrder } from '../support/broken-orders.ts';
import type { BrokenOrder } from '../support/broken-orders.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, fault } from '../support/shop.ts';
import type { Answered, Customer, OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;
let customer: Customer;
let other: Customer;
let broken: BrokenOrder;
let unsent: BrokenOrder;
let unpaid: OrderAnswer;
const code = `FIND-ME-${randomUUID()}`;

beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
  customer = await aCustomer(service);
  other = await aCustomer(service);
  broken = await aBrokenOrder(service, customer);
  unsent = await aBrokenOrder(service, other);
  await fault(service, { target: 'smtp', fault: 'reject' });
  await operate(service, operator, {
    path: `/orders/${unsent.id}/fulfillment/manual-code`,
    body: { orderItemId: unsent.itemIds[0], code },
  });
  unpaid = await anUnpaidOrder(service, customer);
});
afterAll(() => service.close());

interface Listed {
  readonly items: readonly { id: number; status: string; voucher_codes: string[]; open_alerts: number }[];
  readonly pagination: { total: number };
}

const list = (query: Record<string, string>): Promise<Answered<Listed>> =>
  operate(service, operator, { path: `/orders?${new URLSearchParams(query).toString()}` });
const idsOf = async (query: Record<string, string>): Promise<number[]> =>
  (await list(query)).data.items.map(({ id }) => id);

describe('GET /admin/orders', () => {
  it('lists orders newest first with customer, items and masked codes', async () => {
    const answer = await list({});
    expect(answer.data.items.map(({ id }) => id)).toEqual([unpaid.id, unsent.id, broken.id]);
    expect(answer.data.items[1]).toMatchObject({
      status: 'NEEDS_ATTENTION',
      dispatched_email: null,
      email_sent_at: null,
      voucher_codes: [`****${code.slice(-4)}`],
      customer: { id: other.userId, email: other.email },
      open_alerts: 1,
      assigned_to: null,
      items: [{ id: unsent.itemIds[0], quantity: 1, fulfilled: false }],
    });
    expect(JSON.stringify(answer)).not.toContain('FIND-ME');
  });

  it('finds an order by number, id, transaction, e-mail, mobile number and whole code', async () => {
    const { rows } = await service.db.query<{
      transaction_id: string;
      gateway_reference: string;
      msisdn: string;
    }>(
      `SELECT p.transaction_id, p.gateway_reference, u.msisdn
       FROM payments p JOIN orders o ON o.id = p.order_id JOIN users u ON u.id = o.user_id WHERE o.id = $1`,
      [unsent.id],
    );
    const {
      transaction_id: transactionId = '',
      gateway_reference: reference = '',
      msisdn = '',
    } = rows[0] ?? {};
    const national = msisdn.replace('+88', '');
    const terms = [unsent.number, unsent.number.toLowerCase(), String(unsent.id), transactionId, reference];
    terms.push(other.email.toUpperCase(), msisdn, national, ` ${code} `);
    for (const search of terms) expect(await idsOf({ search }), search).toEqual([unsent.id]);
    for (const search of [code.slice(0, -1), 'VC-261121-ZZZZZZZZ', '%', "' OR 1=1 --"]) {
      expect(await idsOf({ search }), search).toEqual([]);
    }
  });

  it('filters by state, payment, customer, time and more, together', async () => {
    expect(await idsOf({ status: 'NEEDS_ATTENTION' })).toEqual([unsent.id, broken.id]);
    expect(await idsOf({ payment_status: 'PENDING' })).toEqual([unpaid.id]);
    expect(await idsOf({ user_id: String(customer.userId) })).toEqual([unpaid.id, broken.id]);
    expect(await idsOf({ paid: 'true', user_id: String(customer.userId) })).toEqual([broken.id]);
    expect(await idsOf({ open_alert: 'true', sort: 'created_at' })).toEqual([broken.id, unsent.id]);
    expect(await idsOf({ open_alert: 'false' })).toEqual([unpaid.id]);
    expect(await idsOf({ payment_method: 'dcb' })).toEqual([]);
    expect(await idsOf({ from: '2031-01-01T00:00:00Z' })).toEqual([]);
    expect(await idsOf({ to: '2031-01-01T00:00:00Z', limit: '1', page: '2' })).toEqual([unsent.id]);
    expect((await list({ limit: '1' })).data.pagination).toEqual({
      page: 1,
      limit: 1,
      total: 3,
      total_pages: 3,
    });
    expect(await list({ status: 'LOST' })).toMatchObject({ status: 400, errorCode: 'VALIDATION_ERROR' });
    expect(await list({ sort: 'password' })).toMatchObject({ status: 400, errorCode: 'VALIDATION_ERROR' });
  });
});

describe('GET /admin/orders/needs-attention', () => {
  interface Queued {
    readonly items: readonly { id: number; cause: string; owner: { id: number } | null }[];
  }
  const queue = (query = ''): Promise<Answered<Queued>> =>
    operate(service, operator, { path: `/orders/needs-attention${query}` });

  it('says why each order waits, how long, and what to do first', async () => {
    const answer = await queue();
    expect(answer.data.items).toMatchObject([
      {
        id: broken.id,
        order_number: broken.number,
        cause: 'no_partner_source',
        suggested_action: { action: 'manual_codes' },
        urgency: 'new',
        age_seconds: expect.any(Number),
        owner: null,
        customer: { email: customer.email },
        reason: expect.stringContaining('source'),
        open_items: [
          { orderItemId: broken.itemIds[0], quantity: 1, codes_stored: 0, fulfillment_status: 'FAILED' },
        ],
      },
      {
        id: unsent.id,
        cause: 'email_failed',
        suggested_action: { action: 'resend_email' },
        open_items: [{ codes_stored: 1, fulfillment_status: 'DISPATCH_FAILED' }],
      },
    ]);
  });

  it('shows who has an order, mine and nobody’s', async () => {
    await operate(service, operator, { path: `/orders/${unsent.id}/assign`, body: {} });
    expect((await queue('?owner=me')).data.items).toMatchObject([
      { id: unsent.id, owner: { id: operator.adminId } },
    ]);
    expect((await queue('?owner=none')).data.items.map(({ id }) => id)).toEqual([broken.id]);
    expect((await queue(`?owner=${operator.adminId + 1000}`)).data.items).toEqual([]);
    expect(await idsOf({ assigned_to: String(operator.adminId) })).toEqual([unsent.id]);
    expect((await queue(`?search=${broken.number}`)).data.items.map(({ id }) => id)).toEqual([broken.id]);
    expect(await queue('?owner=you')).toMatchObject({ status: 400 });
  });
});

describe('GET /admin/orders/:id/timeline', () => {
  it('tells everything in order, and no code', async () => {
    await operate(service, operator, {
      path: `/orders/${unsent.id}/notes`,
      body: { text: 'called the customer' },
    });
    const answer = await operate<{
      items: { at: string; kind: string; title: string; admin_user: { id: number } | null }[];
    }>(service, operator, { path: `/orders/${unsent.id}/timeline` });
    const { items } = answer.data;
    const kinds = new Set(items.map(({ kind }) => kind));
    expect(kinds).toEqual(
      new Set([
        'status',
        'payment',
        'callback',
        'verification',
        'attempt',
        'alert',
        'email',
        'note',
        'admin',
      ]),
    );
    const times = items.map(({ at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    expect(items[0]).toMatchObject({ kind: 'status', title: 'Order created' });
    const titles = items.map(({ title }) => title);
    expect(titles).toContain('PENDING → NEEDS_ATTENTION');
    expect(titles).toContain('MANUAL_CODE_INPUT: DISPATCH_FAILED');
    expect(items.at(-2)).toMatchObject({ admin_user: { id: operator.adminId } });
    expect(JSON.stringify(answer)).not.toContain('FIND-ME');
    expect(await operate(service, operator, { path: '/orders/999999/timeline' })).toMatchObject({
      status: 404,
    });
  });
});
