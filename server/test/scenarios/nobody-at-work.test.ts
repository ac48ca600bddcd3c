import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { expectInvariants } from '../support/invariants.ts';
import { anOperator, operate } from '../support/operator.ts';
import { aCustomer, aVariant, fault, mailsTo, order, pay, readOrder, someCodes } from '../support/shop.ts';
import type { Customer, OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let customer: Customer;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Paid without a gateway, since nothing was to be paid, and its job not run. */
async function aFreeOrder(): Promise<OrderAnswer> {
  customer = await aCustomer(service);
  const { variantId } = await aVariant(service, { codes: someCodes(randomUUID(), 1), priceMinor: 0 });
  return (await order(service, customer, { variantId })).data;
}

/** Paid, and the job of its letter not run. */
async function aPaidOrder(): Promise<OrderAnswer> {
  customer = await aCustomer(service);
  const { variantId } = await aVariant(service, { codes: someCodes(randomUUID(), 1) });
  const placed = (await order(service, customer, { variantId })).data;
  await pay(service, placed);
  return placed;
}

/** What a queue is after 25 failures, or after somebody has emptied it. */
const loseJobs = () => service.db.query('DELETE FROM graphile_worker._private_jobs');
/** Nothing of it has happened within the last ten minutes. */
const makeOld = (id: number) =>
  service.db.query(
    `WITH letters AS (UPDATE mail_messages SET not_before = now() - interval '10 minutes' WHERE order_id = $1)
     UPDATE payments SET verified_at = now() - interval '10 minutes' WHERE order_id = $1`,
    [id],
  );
const makePaidLongAgo = (id: number) =>
  service.db.query(
    `SET session_replication_role = replica;
     UPDATE orders SET paid_at = now() - interval '10 minutes' WHERE id = ${id};
     SET session_replication_role = DEFAULT`,
  );
const statusOf = async (id: number) => (await readOrder(service, customer, id)).data.status;

it('delivers a paid order whose job is gone, once', async () => {
  const placed = await aFreeOrder();
  await loseJobs();
  await service.sweep('resume-paid-orders');
  await service.drain();
  expect(await statusOf(placed.id)).toBe('PENDING');
  await makePaidLongAgo(placed.id);
  await service.sweep('resume-paid-orders');
  await service.sweep('resume-paid-orders');
  await service.drain();
  expect(await statusOf(placed.id)).toBe('SUCCEEDED');
  expect(await mailsTo(service, customer.email)).toHaveLength(1);
  await expectInvariants(service.db);
});

it('sends a letter whose job is gone, once', async () => {
  const placed = await aPaidOrder();
  await fault(service, { target: 'smtp', fault: 'error_500' });
  await service.drain();
  await loseJobs();
  expect(await statusOf(placed.id)).toBe('PENDING');
  await makePaidLongAgo(placed.id);
  await makeOld(placed.id);
  await service.sweep('resume-paid-orders');
  await service.drain();
  expect(await statusOf(placed.id)).toBe('SUCCEEDED');
  await service.sweep('resume-paid-orders');
  await service.drain();
  expect(await mailsTo(service, customer.email)).toHaveLength(1);
});

it('sends the codes nowhere but to the corrected address once an operator has corrected it', async () => {
  const placed = await aPaidOrder();
  await fault(service, { target: 'smtp', fault: 'error_500' });
  await service.drain();
  const operator = await anOperator(service);
  const corrected = `corrected-${randomUUID()}@example.com`;
  const resent = await operate(service, operator, {
    path: `/orders/${placed.id}/fulfillment/resend-email`,
    body: { recipient_email: corrected, recipientEmail: corrected },
  });
  expect(resent.status).toBe(200);
  await makeOld(placed.id);
  await service.db.query('UPDATE graphile_worker._private_jobs SET run_at = now()');
  await service.drain();
  expect(await mailsTo(service, corrected)).toHaveLength(1);
  expect(await mailsTo(service, customer.email)).toHaveLength(0);
  expect((await readOrder(service, customer, placed.id)).data).toMatchObject({
    status: 'SUCCEEDED',
    dispatched_email: corrected,
  });
});
