import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aCustomer, aVariant, call, fault, order, someCodes } from '../support/shop.ts';
import type { Answered, Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let customer: Customer;
let variantId: number;

const player = {
  fields: [
    { name: 'player_id', label: 'Player ID', type: 'text', required: true, pattern: '[0-9]{6,12}' },
    { name: 'zone', label: 'Zone', type: 'text', required: true },
  ],
};

beforeAll(async () => {
  service = await startTestService();
  customer = await aCustomer(service);
  variantId = (await aVariant(service, { codes: someCodes('ERR', 3), maxQuantity: 5 })).variantId;
});
afterAll(() => service.close());

const place = (body: unknown, token: string | undefined = customer.token): Promise<Answered<unknown>> =>
  call(service, { path: '/orders', ...(token ? { token } : {}), body });

const written = async (): Promise<unknown> => {
  const { rows } = await service.db.query(
    `SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM order_items) AS items,
            (SELECT count(*) FROM payments) AS payments, (SELECT count(*) FROM outbox_events) AS events,
            (SELECT count(*) FROM vouchers WHERE status <> 'available') AS held`,
  );
  return rows[0];
};

describe('POST /orders refuses (interface part 7) and writes nothing', () => {
  const refused = async (body: unknown, expected: Record<string, unknown>): Promise<void> => {
    const before = await written();
    expect(await place(body)).toMatchObject({ success: false, ...expected });
    expect(await written()).toEqual(before);
  };
  const itemOf = (id: number, fulfillment_input: unknown, quantity = 1) => ({
    items: [{ variant_id: id, quantity, fulfillment_input }],
    payment_method: 'gw_aggregator',
  });

  it('an order without a token', async () => {
    expect(await place(itemOf(variantId, {}), '')).toMatchObject({
      status: 401,
      errorCode: 'UNAUTHORIZED',
      data: null,
    });
  });

  it('missing stock, with the variant in message and data', async () => {
    await refused(itemOf(variantId, { email: 'a@b.example' }, 4), {
      status: 409,
      errorCode: 'CONFLICT',
      message: `Insufficient stock for variant ${variantId}`,
      data: { type: 'OutOfStockError', variant_id: variantId },
    });
  });

  it('two lines of one variant that together exceed the stock or the limit', async () => {
    const line = { variant_id: variantId, quantity: 2, fulfillment_input: { email: 'a@b.example' } };
    const payment_method = 'gw_aggregator';
    await refused({ items: [line, line], payment_method }, { status: 409, errorCode: 'CONFLICT' });
    await refused(
      { items: [line, line, line], payment_method },
      { status: 400, errorCode: 'VALIDATION_ERROR' },
    );
  });

  it('two recipient identifiers', async () => {
    await refused(itemOf(variantId, { email: 'a@b.example', uid: 'x' }), {
      status: 400,
      message: 'only one recipient identifier is allowed',
    });
  });

  it('the wrong recipient identifier', async () => {
    await refused(itemOf(variantId, { player_id: '123' }), {
      status: 400,
      message: 'this product expects email but received player_id',
    });
  });

  it('a missing identifier or supporting field', async () => {
    const game = (await aVariant(service, { codes: ['G-1'], fulfillmentConfig: player })).variantId;
    const missing = { status: 400, errorCode: 'VALIDATION_ERROR' };
    await refused(itemOf(game, { zone: '1' }), {
      ...missing,
      message: 'Missing required fulfillment input: player_id',
    });
    await refused(itemOf(game, { player_id: '1234567' }), {
      ...missing,
      message: 'Missing required fulfillment input: zone',
      errors: [
        { field: 'items.0.fulfillment_input.zone', message: 'Missing required fulfillment input: zone' },
      ],
    });
    await refused(itemOf(game, { player_id: 'abc', zone: '1' }), missing);
  });

  it('a variant that does not exist', async () => {
    await refused(itemOf(999_999, { email: 'a@b.example' }), { status: 404, errorCode: 'NOT_FOUND' });
  });

  it('an unknown discount code', async () => {
    await refused(
      { ...itemOf(variantId, { email: 'a@b.example' }), discount_code: 'NOPE' },
      {
        status: 400,
        errorCode: 'BAD_REQUEST',
        message: 'Discount code NOPE is not valid or has been deactivated',
      },
    );
  });

  it('a method that is missing or not offered, and a bad address', async () => {
    const items = [{ variant_id: variantId, quantity: 1, fulfillment_input: { email: 'a@b.example' } }];
    await refused({ items }, { status: 400, errors: [expect.objectContaining({ field: 'payment_method' })] });
    await refused({ items, payment_method: 'cash' }, { status: 400, errorCode: 'VALIDATION_ERROR' });
    await refused(
      { items, payment_method: 'gw_aggregator', recipient_email: 'nobody' },
      {
        status: 400,
        errors: [expect.objectContaining({ field: 'recipient_email' })],
      },
    );
  });

  it('no items, too many items, and quantities that are none', async () => {
    const one = { variant_id: variantId, quantity: 1, fulfillment_input: { email: 'a@b.example' } };
    const bad = { status: 400, errorCode: 'VALIDATION_ERROR' };
    await refused({ items: [], payment_method: 'gw_aggregator' }, bad);
    await refused({ items: Array.from({ length: 21 }, () => one), payment_method: 'gw_aggregator' }, bad);
    for (const quantity of [0, -1, 1.5, '1', 1e9, null]) {
      await refused({ items: [{ ...one, quantity }], payment_method: 'gw_aggregator' }, bad);
    }
  });
});

describe('POST /orders accepts', () => {
  it('an e-mail product whose address is the order’s, and strips keys the product does not declare', async () => {
    const { variantId: id } = await aVariant(service, { codes: someCodes('STRIP', 1) });
    const placed = await place({
      items: [{ variant_id: id, quantity: 1, fulfillment_input: { playerId: '1', is_admin: 'true' } }],
      payment_method: 'gw_aggregator',
      recipient_email: 'gift@example.com',
      status: 'SUCCEEDED',
      user_id: 1,
    });
    expect(placed.status).toBe(201);
    expect(placed.data).toMatchObject({
      status: 'PENDING',
      recipient_email: 'gift@example.com',
      items: [{ fulfillment_input: { email: 'gift@example.com' } }],
    });
  });

  it('the same Idempotency-Key once, replays its answer and refuses another body', async () => {
    const { variantId: id } = await aVariant(service, { codes: someCodes('IDEM', 5) });
    const send = (quantity: number) =>
      call<{ id: number }>(service, {
        path: '/orders',
        token: customer.token,
        headers: { 'idempotency-key': 'key-1' },
        body: {
          items: [{ variant_id: id, quantity, fulfillment_input: { email: 'a@b.example' } }],
          payment_method: 'gw_aggregator',
        },
      });
    const [first, second] = [await send(1), await send(1)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.data).toEqual(first.data);
    expect(await send(2)).toMatchObject({ status: 422, errorCode: 'UNPROCESSABLE' });
  });

  it('an order whose session failed as done: the same key answers the same order again', async () => {
    const { variantId: id } = await aVariant(service, { codes: someCodes('IDEM502', 3) });
    await fault(service, { target: 'aggregator', fault: 'no_url' });
    const send = () =>
      call<{ order_id: number; type: string }>(service, {
        path: '/orders',
        token: customer.token,
        headers: { 'idempotency-key': 'key-502' },
        body: {
          items: [{ variant_id: id, quantity: 1, fulfillment_input: { email: 'a@b.example' } }],
          payment_method: 'gw_aggregator',
        },
      });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([502, 502]);
    expect(first.data.order_id).toBeGreaterThan(0);
    expect(second.data).toEqual(first.data);
  });

  it('two equal orders without a key as two orders', async () => {
    const { variantId: id } = await aVariant(service, { codes: someCodes('TWICE', 2) });
    const [first, second] = [
      await order(service, customer, { variantId: id }),
      await order(service, customer, { variantId: id }),
    ];
    expect(second.data.id).not.toBe(first.data.id);
  });
});

describe('every address answers in the envelope', () => {
  const raw = async (method: string, path: string, init: RequestInit = {}) => {
    const response = await fetch(`${service.url}${path}`, { method, ...init });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  };
  const json = { authorization: 'Bearer x', 'content-type': 'application/json' };

  it('404 for an unknown route and 405 with Allow for a known one', async () => {
    expect(await raw('GET', '/api/v1/nothing')).toMatchObject({
      status: 404,
      body: { errorCode: 'NOT_FOUND', data: null },
    });
    const wrong = await raw('DELETE', '/api/v1/orders');
    expect(wrong).toMatchObject({ status: 405, body: { success: false, errorCode: 'METHOD_NOT_ALLOWED' } });
    expect(wrong.headers.get('allow')).toBe('GET, POST');
  });

  it('400 for malformed JSON, 413 for a large body, 415 for another type', async () => {
    const headers = { ...json, authorization: `Bearer ${customer.token}` };
    expect(await raw('POST', '/api/v1/orders', { headers, body: '{"items":' })).toMatchObject({
      status: 400,
      body: { errorCode: 'BAD_REQUEST' },
    });
    const large = JSON.stringify({ padding: 'x'.repeat(1_100_000) });
    expect(await raw('POST', '/api/v1/orders', { headers, body: large })).toMatchObject({
      status: 413,
      body: { errorCode: 'PAYLOAD_TOO_LARGE' },
    });
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
    expect(await raw('POST', '/api/v1/orders', { headers: form, body: 'a=1' })).toMatchObject({
      status: 415,
      body: { errorCode: 'UNSUPPORTED_MEDIA_TYPE' },
    });
  });

  it('a request id on every answer, and no-store on what is not public', async () => {
    const answered = await raw('GET', '/api/v1/orders', {
      headers: { authorization: `Bearer ${customer.token}` },
    });
    expect(answered.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answered.headers.get('cache-control')).toBe('no-store');
  });
});
