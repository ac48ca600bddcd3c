import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aBrokenOrder, anUnpaidOrder } from '../support/broken-orders.ts';
import type { BrokenOrder } from '../support/broken-orders.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, fault, mailsTo, order, pay, someCodes } from '../support/shop.ts';
import type { Answered, Customer } from '../support/shop.ts';
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

const act = (
  orderId: number,
  what: string,
  body: unknown,
): Promise<Answered<{ type?: string; status?: string }>> =>
  operate(service, operator, { path: `/orders/${orderId}/fulfillment/${what}`, body });
const aCode = (): string => `GUARD-${randomUUID()}`;

/** What an operator's act may change. */
async function stateOf(orderId: number): Promise<unknown> {
  const { rows } = await service.db.query(
    `SELECT (SELECT jsonb_agg(v.id ORDER BY v.id) FROM vouchers v JOIN order_items i ON i.id = v.order_item_id WHERE i.order_id = $1) AS vouchers,
            (SELECT jsonb_agg(i.fulfillment_status ORDER BY i.id) FROM order_items i WHERE i.order_id = $1) AS items,
            (SELECT count(*)::int FROM fulfillment_attempts WHERE order_id = $1) AS attempts,
            (SELECT count(*)::int FROM mail_messages WHERE order_id = $1) AS letters,
            (SELECT count(*)::int FROM recovery_claims WHERE order_id = $1) AS claims,
            (SELECT status FROM orders WHERE id = $1) AS status`,
    [orderId],
  );
  return rows[0];
}

/** Each way in which codes are entered, for one item. */
const entries = (itemId: number | undefined, codes: readonly string[]) =>
  [
    ['manual-code', { orderItemId: itemId, codes: codes.map((code) => ({ code })) }],
    ['manual-codes', { items: [{ orderItemId: itemId, codes: codes.map((code) => ({ code })) }] }],
  ] as const;

async function expectRefused(
  orderId: number,
  calls: readonly (readonly [string, unknown])[],
  error: { status: number; errorCode: string; type?: string },
): Promise<void> {
  const before = await stateOf(orderId);
  const mails = (await mailsTo(service, customer.email)).length;
  for (const [what, body] of calls) {
    const { type, ...expected } = error;
    const answered = await act(orderId, what, body);
    expect(answered, what).toMatchObject({
      ...expected,
      success: false,
      ...(type ? { data: { type } } : {}),
    });
  }
  expect(await stateOf(orderId)).toEqual(before);
  expect(await mailsTo(service, customer.email)).toHaveLength(mails);
}

describe('recovery guards (interface part 7), before anything is written or called', () => {
  it('answers 400 BAD_REQUEST once the money was given back in full', async () => {
    const broken = await aBrokenOrder(service, customer);
    const { rows } = await service.db.query<{ id: number }>(
      `SELECT id FROM payments WHERE order_id = $1 AND status = 'SUCCEEDED'`,
      [broken.id],
    );
    const refund = await operate(service, operator, {
      path: `/payments/${rows[0]?.id}/refund`,
      body: { reason: 'out of stock' },
    });
    expect(refund.status).toBe(201);
    await service.drain();
    const [itemId] = broken.itemIds;
    const calls = [
      ...entries(itemId, [aCode()]),
      ['partner-retry', { orderItemId: itemId }] as const,
      ['resend-email', {}] as const,
    ];
    await expectRefused(broken.id, calls, { status: 400, errorCode: 'BAD_REQUEST', type: 'OrderRefunded' });
  });

  it('answers 400 BAD_REQUEST without a SUCCEEDED payment', async () => {
    const placed = await anUnpaidOrder(service, customer);
    const calls = [...entries(placed.items[0]?.id, [aCode()]), ['resend-email', {}] as const];
    await expectRefused(placed.id, calls, { status: 400, errorCode: 'BAD_REQUEST', type: 'OrderNotPaid' });
  });

  it('answers 400 BAD_REQUEST when no code is provided', async () => {
    const broken = await aBrokenOrder(service, customer);
    const orderItemId = broken.itemIds[0];
    const calls = [
      ['manual-code', { orderItemId }],
      ['manual-code', { orderItemId, code: '' }],
      ['manual-code', { orderItemId, code: '  ' }],
      ['manual-code', { orderItemId, codes: [] }],
      ['manual-code', { orderItemId, codes: [{ code: '' }] }],
      ['manual-codes', { items: [{ orderItemId, codes: [] }] }],
    ] as const;
    await expectRefused(broken.id, calls, { status: 400, errorCode: 'BAD_REQUEST', type: 'NoCodeProvided' });
  });

  it('answers 409 CONFLICT for a fulfilled item, whatever the codes and their number', async () => {
    const { variantId } = await aVariant(service, { codes: someCodes(randomUUID(), 1) });
    const placed = (await order(service, customer, { variantId })).data;
    await pay(service, placed);
    await service.drain();
    const calls = [
      ...entries(placed.items[0]?.id, [aCode()]),
      ...entries(placed.items[0]?.id, [aCode(), aCode()]),
    ];
    const error = { status: 409, errorCode: 'CONFLICT', type: 'ItemAlreadyFulfilled' };
    await expectRefused(placed.id, calls, error);
    await operate(service, operator, {
      path: `/orders/${placed.id}/status`,
      method: 'PATCH',
      body: { status: 'NEEDS_ATTENTION' },
    });
    await expectRefused(placed.id, calls, error);
  });

  it('answers 409 CONFLICT when the item has a DISPATCHED attempt', async () => {
    const broken = await aBrokenOrder(service, customer);
    await service.db.query(
      `INSERT INTO fulfillment_attempts (order_id, order_item_id, type, status, correlation_id)
       VALUES ($1, $2, 'MANUAL_CODE_INPUT', 'DISPATCHED', gen_random_uuid())`,
      [broken.id, broken.itemIds[0]],
    );
    const calls = entries(broken.itemIds[0], [aCode()]);
    await expectRefused(broken.id, calls, {
      status: 409,
      errorCode: 'CONFLICT',
      type: 'ItemAlreadyDispatched',
    });
  });

  describe('when a code is assigned to a different item', () => {
    let broken: BrokenOrder;
    const error = { status: 409, errorCode: 'CONFLICT', type: 'CodeAssignedElsewhere' };
    beforeAll(async () => {
      broken = await aBrokenOrder(service, customer, [1, 1]);
    });

    it('answers 409 CONFLICT, of whatever order, brand or variant that item is', async () => {
      const other = await aBrokenOrder(service, customer);
      const code = aCode();
      expect(await act(other.id, 'manual-code', { orderItemId: other.itemIds[0], code })).toMatchObject({
        success: true,
      });
      await expectRefused(broken.id, entries(broken.itemIds[0], [code]), error);
      await expectRefused(broken.id, entries(broken.itemIds[0], [` ${code} `, aCode()]), error);
    });

    it('answers 409 CONFLICT for one code given to two items at once', async () => {
      const code = aCode();
      const items = broken.itemIds.map((orderItemId) => ({ orderItemId, codes: [{ code }] }));
      await expectRefused(broken.id, [['manual-codes', { items }]], error);
    });

    it('answers 409 CONFLICT for a code that an unpaid order holds', async () => {
      const code = aCode();
      const { variantId } = await aVariant(service, { codes: [code] });
      await order(service, customer, { variantId });
      await expectRefused(broken.id, entries(broken.itemIds[0], [code]), error);
    });
  });
});

describe('other refusals of recovery', () => {
  it('answers 400 for another number of codes than units, and for the same code twice', async () => {
    const broken = await aBrokenOrder(service, customer, [2]);
    const codes = [aCode(), aCode(), aCode()];
    const error = { status: 400, errorCode: 'BAD_REQUEST', type: 'WrongNumberOfCodes' };
    await expectRefused(broken.id, entries(broken.itemIds[0], codes), error);
    await expectRefused(broken.id, entries(broken.itemIds[0], codes.slice(0, 1)), error);
    const twice = entries(broken.itemIds[0], [codes[0] ?? '', codes[0] ?? '']);
    await expectRefused(broken.id, twice, { status: 400, errorCode: 'VALIDATION_ERROR' });
  });

  it('answers 400 for a code that would tear the e-mail, a past expiry or an address that is none', async () => {
    const broken = await aBrokenOrder(service, customer);
    const orderItemId = broken.itemIds[0];
    const bad = [
      { code: 'A\nB' },
      { code: aCode(), expiresAt: '2001-01-01' },
      { code: aCode(), redemptionUrl: 'javascript:1' },
    ];
    const calls = bad.map((code) => ['manual-code', { orderItemId, codes: [code] }] as const);
    await expectRefused(broken.id, calls, { status: 400, errorCode: 'VALIDATION_ERROR' });
  });

  it('answers 404 for unknown orders and items, 400 for another variant and for an item named twice', async () => {
    const broken = await aBrokenOrder(service, customer);
    const foreign = await aBrokenOrder(service, customer);
    const [itemId] = broken.itemIds;
    const codes = [{ code: aCode() }];
    expect(await act(999_999, 'manual-code', { orderItemId: itemId, codes })).toMatchObject({ status: 404 });
    await expectRefused(broken.id, entries(foreign.itemIds[0], [aCode()]), {
      status: 404,
      errorCode: 'NOT_FOUND',
    });
    const otherVariant = { items: [{ orderItemId: itemId, variantId: 999_999, codes }] };
    await expectRefused(broken.id, [['manual-codes', otherVariant]], {
      status: 400,
      errorCode: 'BAD_REQUEST',
    });
    const twice = {
      items: [
        { orderItemId: itemId, codes },
        { orderItemId: itemId, codes: [{ code: aCode() }] },
      ],
    };
    await expectRefused(
      broken.id,
      [
        ['manual-codes', twice],
        ['manual-code', {}],
      ],
      { status: 400, errorCode: 'VALIDATION_ERROR' },
    );
  });

  it('leaves an order alone that the service is still fulfilling by itself', async () => {
    const placed = await anUnpaidOrder(service, customer);
    await pay(service, placed);
    const error = { status: 409, errorCode: 'CONFLICT', type: 'FulfillmentInProgress' };
    await expectRefused(placed.id, entries(placed.items[0]?.id, [aCode()]), error);
    await expectRefused(placed.id, [['resend-email', {}]], {
      status: 400,
      errorCode: 'BAD_REQUEST',
      type: 'NothingToSend',
    });
    await service.drain();
  });

  it('needs the permission to recover', async () => {
    const broken = await aBrokenOrder(service, customer);
    const support = await anOperator(service, ['support']);
    for (const [what, body] of entries(broken.itemIds[0], [aCode()])) {
      const path = `/orders/${broken.id}/fulfillment/${what}`;
      expect(await operate(service, support, { path, body })).toMatchObject({
        status: 403,
        errorCode: 'FORBIDDEN',
      });
    }
  });
});

describe('two operators on one order at once', () => {
  it('lets one win and answers the other 409, whichever way they take', async () => {
    const second = await anOperator(service, ['operations']);
    for (const codes of [[aCode(), aCode()], ['SAME', 'SAME'].map((text) => `${text}-${randomUUID()}`)]) {
      const broken = await aBrokenOrder(service, customer, [1, 1]);
      await fault(service, { target: 'smtp', fault: 'slow', delayMs: 500 });
      const [first, other] = await Promise.all(
        [operator, second].map((who, index) =>
          operate<{ type: string }>(service, who, {
            path: `/orders/${broken.id}/fulfillment/manual-code`,
            body: { orderItemId: broken.itemIds[index], code: codes[index] },
          }),
        ),
      );
      const [won, lost] = first?.status === 200 ? [first, other] : [other, first];
      expect(won).toMatchObject({ status: 200, success: true });
      expect(lost).toMatchObject({
        status: 409,
        errorCode: 'CONFLICT',
        data: { type: 'RecoveryInProgress' },
      });
      const { rows } = await service.db.query('SELECT id FROM vouchers WHERE order_item_id = ANY ($1)', [
        broken.itemIds,
      ]);
      expect(rows).toHaveLength(1);
    }
  });

  it('delivers one set of codes however often the same request comes at once', async () => {
    const broken = await aBrokenOrder(service, customer, [2]);
    const before = (await mailsTo(service, customer.email)).length;
    const body = { orderItemId: broken.itemIds[0], codes: [{ code: aCode() }, { code: aCode() }] };
    const answers = await Promise.all(Array.from({ length: 20 }, () => act(broken.id, 'manual-code', body)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    const { rows } = await service.db.query('SELECT id FROM vouchers WHERE order_item_id = $1', [
      broken.itemIds[0],
    ]);
    expect(rows).toHaveLength(2);
    expect(await mailsTo(service, customer.email)).toHaveLength(before + 1);
  });

  it('lets the next operator in once the process of the first one has died', async () => {
    const broken = await aBrokenOrder(service, customer);
    await service.db.query(
      `INSERT INTO recovery_claims (order_id, token, admin_id, claimed_until) VALUES ($1, gen_random_uuid(), $2, now() - interval '1 second')`,
      [broken.id, operator.adminId],
    );
    const body = { orderItemId: broken.itemIds[0], code: aCode() };
    expect(await act(broken.id, 'manual-code', body)).toMatchObject({ status: 200, success: true });
    expect(await stateOf(broken.id)).toMatchObject({ claims: 0, status: 'SUCCEEDED' });
  });
});
