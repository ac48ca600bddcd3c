import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aDiscount } from '../support/discounts.ts';
import { expectInvariants } from '../support/invariants.ts';
import { anOperator } from '../support/operator.ts';
import { aCustomer, aVariant, call, mailsTo, order, pay, readOrder, someCodes } from '../support/shop.ts';
import type { Customer, OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let customer: Customer;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

interface Standing {
  readonly items: readonly string[];
  readonly assigned: number;
  readonly letters: number;
  readonly payment: string;
}

async function standingOf(orderId: number): Promise<Standing | undefined> {
  const { rows } = await service.db.query<Standing>(
    `SELECT ARRAY(SELECT fulfillment_status FROM order_items WHERE order_id = $1 ORDER BY id) AS items,
            (SELECT count(*)::int FROM vouchers JOIN order_items i ON i.id = order_item_id
             WHERE i.order_id = $1 AND status = 'assigned') AS assigned,
            (SELECT count(*)::int FROM mail_messages WHERE order_id = $1) AS letters,
            (SELECT status FROM payments WHERE order_id = $1) AS payment`,
    [orderId],
  );
  return rows[0];
}

const jobs = async (): Promise<string[]> =>
  (
    await service.db.query<{ task_identifier: string }>(
      'SELECT task_identifier FROM graphile_worker.jobs ORDER BY id',
    )
  ).rows.map((job) => job.task_identifier);

async function place(quantities: readonly number[], more: object = {}): Promise<OrderAnswer> {
  customer = await aCustomer(service);
  const items = [];
  for (const quantity of quantities) {
    const codes = someCodes(`HAND-${customer.userId}-${items.length}`, quantity);
    const { variantId } = await aVariant(service, { codes });
    items.push({ variant_id: variantId, quantity, fulfillment_input: { email: customer.email } });
  }
  return (await order(service, customer, { variantId: 0, items, ...more })).data;
}

const statusOf = async (id: number) => (await readOrder(service, customer, id)).data.status;

describe('an order that holds every unit it was sold', () => {
  it('has them when its callback is answered, before any job, and its letter waits to be sent', async () => {
    const placed = await place([1, 3]);
    await pay(service, placed);
    expect(await standingOf(placed.id)).toEqual({
      items: ['PROCESSING', 'PROCESSING'],
      assigned: 4,
      letters: 1,
      payment: 'SUCCEEDED',
    });
    expect(await jobs()).toEqual(['send_order_email']);
    expect(await statusOf(placed.id)).toBe('PENDING');
    await service.drain();
    expect((await readOrder(service, customer, placed.id)).data).toMatchObject({
      status: 'SUCCEEDED',
      voucher_codes: expect.objectContaining({ length: 4 }),
    });
  });

  it('stays as it is when the job runs all the same', async () => {
    const placed = await place([2]);
    await pay(service, placed);
    const before = await standingOf(placed.id);
    await service.db.query(
      `SELECT graphile_worker.add_job('fulfill_order', json_build_object('orderId', $1::bigint), priority := -10)`,
      [placed.id],
    );
    await service.drain();
    expect(await standingOf(placed.id)).toMatchObject({ assigned: before?.assigned, letters: 1 });
    expect(await statusOf(placed.id)).toBe('SUCCEEDED');
    expect(await mailsTo(service, customer.email)).toHaveLength(1);
  });

  it('has its discount settled with it', async () => {
    const discount = await aDiscount(service, await anOperator(service));
    const placed = await place([1], { discount_code: discount.code });
    await pay(service, placed);
    expect(await standingOf(placed.id)).toMatchObject({ items: ['PROCESSING'], assigned: 1, letters: 1 });
    await service.drain();
    expect(await statusOf(placed.id)).toBe('SUCCEEDED');
    await expectInvariants(service.db);
  });
});

describe('an order that does not hold all of it any more', () => {
  it('is left to the job, and the part that is there is not given away before', async () => {
    const placed = await place([2]);
    await service.db.query(
      `UPDATE vouchers SET expires_at = now() - interval '1 minute'
       WHERE id = (SELECT max(vouchers.id) FROM vouchers JOIN order_items i ON i.id = order_item_id WHERE i.order_id = $1)`,
      [placed.id],
    );
    await pay(service, placed);
    expect(await standingOf(placed.id)).toMatchObject({ items: ['PENDING'], assigned: 0, letters: 0 });
    expect(await jobs()).toEqual(['fulfill_order']);
    await service.drain();
    expect(await statusOf(placed.id)).toBe('NEEDS_ATTENTION');
  });

  it('is left to the job when its units went back before the money came', async () => {
    const placed = await place([1]);
    await call(service, { path: `/orders/${placed.id}/cancel`, method: 'POST', token: customer.token });
    await pay(service, placed);
    expect(await standingOf(placed.id)).toMatchObject({ assigned: 0, payment: 'SUCCEEDED' });
    await service.drain();
    expect(await statusOf(placed.id)).toBe('SUCCEEDED');
  });
});

it('counts the money when handing over fails, and delivers by the job', async () => {
  const placed = await place([1]);
  await service.db.query(
    `CREATE FUNCTION refuse_assigning() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`,
  );
  await service.db.query(
    `CREATE TRIGGER refuse_assigning BEFORE UPDATE ON vouchers FOR EACH ROW WHEN (NEW.status = 'assigned')
     EXECUTE FUNCTION refuse_assigning()`,
  );
  await pay(service, placed);
  expect(await standingOf(placed.id)).toEqual({
    items: ['PENDING'],
    assigned: 0,
    letters: 0,
    payment: 'SUCCEEDED',
  });
  expect(await jobs()).toEqual(['fulfill_order']);
  await service.db.query('DROP TRIGGER refuse_assigning ON vouchers');
  await service.drain();
  expect(await statusOf(placed.id)).toBe('SUCCEEDED');
  expect(await mailsTo(service, customer.email)).toHaveLength(1);
});

it('counts the money when nobody can tell what the order holds, and delivers by the job', async () => {
  const placed = await place([1]);
  await service.db.query('ALTER TABLE partner_api_transactions RENAME TO away');
  await pay(service, placed);
  await service.db.query('ALTER TABLE away RENAME TO partner_api_transactions');
  expect(await standingOf(placed.id)).toMatchObject({ items: ['PENDING'], letters: 0, payment: 'SUCCEEDED' });
  expect(await jobs()).toEqual(['fulfill_order']);
  await service.drain();
  expect(await statusOf(placed.id)).toBe('SUCCEEDED');
});

it('leaves every invariant standing', () => expectInvariants(service.db));
