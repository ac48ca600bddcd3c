import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { prepareHandOver } from '../../src/modules/fulfillment/index.ts';
import { verifyPayment } from '../../src/modules/payments/index.ts';
import type { ConfiguredGateway } from '../../src/modules/payments/index.ts';
import { createGateways } from '../../src/modules/payments/gateways/registry.ts';
import { systemClock } from '../../src/platform/time.ts';
import { aDiscount } from '../support/discounts.ts';
import { expectInvariants } from '../support/invariants.ts';
import { anOperator } from '../support/operator.ts';
import { aCustomer, aVariant, order, someCodes } from '../support/shop.ts';
import { log } from '../support/test-identity.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** An order that holds its unit, with an open session. */
async function aPayment(more: object = {}): Promise<number> {
  const customer = await aCustomer(service);
  const { variantId } = await aVariant(service, { codes: someCodes(randomUUID(), 1) });
  const placed = await order(service, customer, { variantId, ...more });
  const { rows } = await service.db.query<{ id: number }>('SELECT id FROM payments WHERE order_id = $1', [
    placed.data.id,
  ]);
  return rows[0]?.id ?? 0;
}

/** Asks about a payment a gateway that says that this movement of money paid it. */
async function confirm(paymentId: number, gatewayTransactionId: string): Promise<void> {
  const gateway: ConfiguredGateway = {
    name: 'aggregator',
    method: 'gw_aggregator',
    segment: 'aggregator',
    transactionPrefix: 'AGG',
    retryProcessing: { times: 0, afterMs: 0 },
    openSession: async () => ({ kind: 'refused', reason: 'there are sessions' }),
    readCallback: () => ({ kind: 'unreadable' }),
    verify: async () => ({
      kind: 'confirmed',
      amountMinor: 50_000,
      currency: 'BDT',
      gatewayTransactionId,
      details: {},
    }),
  };
  const line = { state: 'closed', calls: 0, failures: 0, refused: 0, underWay: 0 } as const;
  const letters = { box: service.app.box, mailDomain: 'example.com' };
  await verifyPayment(
    {
      db: service.db,
      clock: systemClock,
      log,
      gateways: createGateways([{ gateway, health: () => line }]),
      prepareHandOver: (tx, orderId) => prepareHandOver(letters, tx, orderId),
    },
    { paymentId, askedBy: 'callback', claims: 'success' },
  );
}

async function standingOf(paymentIds: readonly number[]) {
  const { rows } = await service.db.query(
    `SELECT payment.status, payment.failure_reason,
            (SELECT count(*)::int FROM vouchers JOIN order_items i ON i.id = order_item_id
             WHERE i.order_id = payment.order_id AND vouchers.status = 'assigned') AS codes,
            (SELECT count(*)::int FROM mail_messages WHERE order_id = payment.order_id) AS letters
     FROM payments AS payment WHERE id = ANY ($1) ORDER BY payment.status DESC`,
    [[...paymentIds]],
  );
  return rows;
}

const onePaid = [
  { status: 'SUCCEEDED', failure_reason: null, codes: 1, letters: 1 },
  { status: 'FAILED', failure_reason: 'GATEWAY_REFUSED', codes: 0, letters: 0 },
];

it('hands over one order for one movement of money, however the gateway answers for another', async () => {
  const payments = [await aPayment(), await aPayment()];
  const capture = randomUUID();
  for (const payment of payments) await confirm(payment, capture);
  expect(await standingOf(payments)).toEqual(onePaid);
});

it('hands over one of two orders that are confirmed with it at the same moment', async () => {
  for (let round = 0; round < 10; round += 1) {
    const payments = [await aPayment(), await aPayment()];
    const capture = randomUUID();
    await Promise.all(payments.map((payment) => confirm(payment, capture)));
    expect(await standingOf(payments)).toEqual(onePaid);
  }
});

it('does so for orders with a discount too', async () => {
  const { code } = await aDiscount(service, await anOperator(service));
  const payments = [await aPayment({ discount_code: code }), await aPayment({ discount_code: code })];
  const capture = randomUUID();
  await Promise.all(payments.map((payment) => confirm(payment, capture)));
  expect(await standingOf(payments)).toEqual(onePaid);
});

it('leaves every invariant standing', async () => {
  await service.drain();
  await expectInvariants(service.db);
});
