import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { anOperator, operate } from '../support/operator.ts';
import { aCustomer, aVariant, call, order, pay, someCodes } from '../support/shop.ts';
import type { Customer, OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let customer: Customer;
let variantId: number;
beforeAll(async () => {
  service = await startTestService();
  customer = await aCustomer(service);
  ({ variantId } = await aVariant(service, { codes: someCodes('ODD', 20) }));
});
afterAll(() => service.close());

const at = (target: string): string => `${service.url}/api/v1/payments/${target}/callback`;

const statusOf = async ({ payment }: OrderAnswer): Promise<string> => {
  const path = `/payments/status/${payment?.transactionId}`;
  return (await call<{ status: string }>(service, { path, token: customer.token })).data.status;
};

async function aPaidInvoice(): Promise<{ placed: OrderAnswer; fields: Record<string, string> }> {
  const placed = (await order(service, customer, { variantId, method: 'gw_multi_wallet' })).data;
  await fetch(`${service.sandboxUrl}/_control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ target: 'multi_wallet', fault: 'drop_callback', times: 1 }),
  });
  await pay(service, placed);
  const { rows } = await service.db.query<{ reference: string }>(
    'SELECT gateway_reference AS reference FROM payments WHERE order_id = $1',
    [placed.id],
  );
  return { placed, fields: { invoice_number: rows[0]?.reference ?? '', status: 'Successful' } };
}

function multipart(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

describe('callbacks (interface part 4)', () => {
  it.each([
    [
      'a query',
      (fields: Record<string, string>) =>
        fetch(`${at('multi_wallet')}?${new URLSearchParams(fields).toString()}`),
    ],
    ['a form', (fields) => fetch(at('multi_wallet'), { method: 'POST', body: new URLSearchParams(fields) })],
    ['form data', (fields) => fetch(at('multi_wallet'), { method: 'POST', body: multipart(fields) })],
    [
      'JSON',
      (fields) =>
        fetch(at('multi_wallet'), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(fields),
        }),
    ],
    [
      'JSON that says it is text',
      (fields) => fetch(at('multi_wallet'), { method: 'POST', body: JSON.stringify(fields) }),
    ],
    [
      'a path with a slash behind it',
      (fields) => fetch(`${at('multi_wallet')}/?${new URLSearchParams(fields).toString()}`),
    ],
  ] as [string, (fields: Record<string, string>) => Promise<Response>][])(
    'are taken as %s',
    async (_kind, send) => {
      const { placed, fields } = await aPaidInvoice();
      const response = await send(fields);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ success: true, data: { status: 'SUCCEEDED' } });
      expect(await statusOf(placed)).toBe('SUCCEEDED');
    },
  );

  it.each(['aggregator', 'wallet_tokenized', 'multi_wallet', 'dcb', 'wallet_direct'])(
    'are kept by %s whatever they are, answered 200 and change nothing',
    async (target) => {
      const json = { 'content-type': 'application/json' };
      const sent = [
        { body: '{"tran_id": "cut', headers: json },
        { body: 'null', headers: json },
        { body: '[1, 2]', headers: json },
        { body: '', headers: json },
        { body: '<xml/>', headers: { 'content-type': 'application/xml' } },
        { body: '\0\0', headers: { 'content-type': 'application/octet-stream' } },
        { body: '%%%=%00&tran_id=%ff', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
        { body: '{"__proto__": {"tran_id": "x"}}', headers: json },
      ];
      for (const one of sent) {
        const response = await fetch(at(target), { method: 'POST', ...one });
        expect(response.status, JSON.stringify(one)).toBe(200);
        expect(await response.json()).toMatchObject({ success: true, data: null });
      }
      const broken = await fetch(at(target), {
        method: 'POST',
        body: '--b\r\nContent-Disposition: form-data; name="tran_id"\r\n\r\ncut',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      });
      const untyped = await fetch(at(target), {
        method: 'POST',
        body: 'x',
        headers: { 'content-type': 'garbage' },
      });
      expect([broken.status, untyped.status].filter((status) => status >= 500)).toEqual([]);
    },
  );

  it('that named nothing of ours are listed as orphans, secrets redacted', async () => {
    const forged = {
      tran_id: 'AAAAAAAAAAAAAAAAAAAA',
      status: 'VALID',
      card_no: '4111111111111111',
      password: 'hush',
    };
    for (let copy = 0; copy < 3; copy += 1) {
      await fetch(at('aggregator'), { method: 'POST', body: new URLSearchParams(forged) });
    }
    const operator = await anOperator(service, ['finance']);
    const path = '/payments/orphans?gateway=aggregator&verdict=unknown_payment';
    const { data } = await operate<{ items: unknown[] }>(service, operator, { path });
    const [newest] = data.items;
    expect(newest).toMatchObject({
      gateway: 'aggregator',
      verdict: 'unknown_payment',
      claims: 'success',
      seen_count: 3,
      content: { tran_id: 'AAAAAAAAAAAAAAAAAAAA', card_no: '[redacted]', password: '[redacted]' },
    });
  });
});

describe('payments for operators', () => {
  interface Payment {
    readonly id: number;
    readonly transactionId: string;
    readonly gateway_reference: string;
    readonly method: string;
    readonly status: string;
  }

  it('are found by status, method, order and any of their ids', async () => {
    const operator = await anOperator(service, ['support']);
    const placed = (await order(service, customer, { variantId, method: 'dcb' })).data;
    const find = async (query: string) =>
      (await operate<{ items: Payment[] }>(service, operator, { path: `/payments?${query}` })).data.items;
    const [payment] = await find(`order_id=${placed.id}`);
    expect(payment).toMatchObject({
      transactionId: placed.payment?.transactionId,
      gateway_reference: expect.stringMatching(/^[A-Z2-9]{20}$/),
      method: 'dcb',
      status: 'PENDING',
      amount: 500,
      refunded_amount: 0,
    });
    for (const search of [
      payment?.transactionId,
      payment?.gateway_reference.slice(2, 12).toLowerCase(),
      placed.order_number,
    ]) {
      expect((await find(`search=${search}`)).map(({ id }) => id)).toEqual([payment?.id]);
    }
    expect(await find('search=%25')).toEqual([]);
    expect((await find('method=dcb&status=PENDING')).map(({ id }) => id)).toEqual([payment?.id]);
    expect(await find('status=CANCELLED')).toEqual([]);
    expect(await operate(service, operator, { path: '/payments?status=PAID' })).toMatchObject({
      status: 400,
    });
  });

  it('show every callback and proof, in order, and are asked about again on demand', async () => {
    const operator = await anOperator(service, ['finance']);
    const placed = (await order(service, customer, { variantId, method: 'gw_aggregator' })).data;
    const { data } = await operate<{ items: Payment[] }>(service, operator, {
      path: `/payments?order_id=${placed.id}`,
    });
    const id = data.items[0]?.id ?? 0;
    expect(
      await operate(service, operator, { path: `/payments/${id}/reverify`, method: 'POST' }),
    ).toMatchObject({
      status: 200,
      data: { status: 'PENDING' },
    });
    await service.db.query('UPDATE payments SET verifying_until = NULL WHERE id = $1', [id]);
    await pay(service, placed);
    expect(await operate(service, operator, { path: `/payments/${id}` })).toMatchObject({
      data: { status: 'SUCCEEDED', verified_amount: 500, verified_currency: 'BDT', next_verify_at: null },
    });
    const events = await operate<{
      items: { kind: string; outcome: string; content: Record<string, string> }[];
    }>(service, operator, { path: `/payments/${id}/events` });
    expect(events.data.items.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['verification', 'processing'],
      ['callback', 'accepted'],
      ['verification', 'confirmed'],
    ]);
    expect(events.data.items[1]?.content).toMatchObject({ status: 'VALID', verify_sign: '[redacted]' });
    const { rows } = await service.db.query(
      `SELECT action FROM audit_logs WHERE action = 'payments:reverify'`,
    );
    expect(rows).toHaveLength(1);
  });

  it('are behind gateways whose state is visible, and behind permissions', async () => {
    const operator = await anOperator(service, ['support']);
    const { data } = await operate<{ items: { name: string; state: string; calls: number }[] }>(
      service,
      operator,
      {
        path: '/payments/gateways',
      },
    );
    expect(data.items.map(({ name, state }) => [name, state])).toEqual(
      ['aggregator', 'wallet_tokenized', 'multi_wallet', 'dcb', 'wallet_direct'].map((name) => [
        name,
        'closed',
      ]),
    );
    expect(data.items.find(({ name }) => name === 'multi_wallet')?.calls).toBeGreaterThan(0);
    const reverify = { path: '/payments/1/reverify', method: 'POST' };
    expect(await operate(service, operator, reverify)).toMatchObject({ status: 403 });
    const marketing = await anOperator(service, ['marketing']);
    for (const path of [
      '/payments',
      '/payments/1',
      '/payments/1/events',
      '/payments/orphans',
      '/payments/gateways',
    ]) {
      expect(await operate(service, marketing, { path })).toMatchObject({ status: 403 });
    }
    expect(await operate(service, operator, { path: '/payments/999999' })).toMatchObject({ status: 404 });
  });
});
