import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { aCustomer, aVariant, control, fault, order, pay, someCodes } from '../support/shop.ts';
import { testClock } from '../support/test-identity.ts';
import type { TestClock } from '../support/test-identity.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let clock: TestClock;
beforeAll(async () => {
  clock = testClock();
  service = await startTestService({ clock });
});
afterAll(() => service.close());

it('asks once more about every session without a definite answer before it gives the units back (decisions 4.5)', async () => {
  const { variantId } = await aVariant(service, { codes: someCodes(randomUUID(), 1) });
  const buyer = await aCustomer(service);
  const placed = (await order(service, buyer, { variantId })).data;
  // Paid, and the gateway cannot be asked: the payment reads FAILED, its alert is open.
  await fault(service, { target: 'aggregator', fault: 'error_500', call: 'verify', times: 20 });
  await pay(service, placed);
  await control(service, '/faults', undefined, 'DELETE');
  const status = async () =>
    (
      await service.db.query(
        'SELECT o.status, p.status AS payment FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.id = $1',
        [placed.id],
      )
    ).rows[0];
  expect(await status()).toEqual({ status: 'FAILED', payment: 'FAILED' });
  // Its time is over before the sweep's next question, which is an hour after the failure.
  clock.advance(31 * 60);
  await service.db.query('UPDATE payments SET verifying_until = NULL, next_verify_at = NULL');
  await service.sweep('expire-unpaid-orders');
  // Whoever comes next finds nothing: the unit is the one's who paid.
  const rival = await order(service, await aCustomer(service), { variantId });
  expect(rival.status).toBe(409);
  await service.drain();
  expect(await status()).toEqual({ status: 'SUCCEEDED', payment: 'SUCCEEDED' });
});

it('ends the hold of an order although fifty before it cannot be ended', async () => {
  const buyer = await aCustomer(service);
  const { rows } = await service.db.query<{ id: number }>(
    `INSERT INTO orders (order_number, user_id, status, subtotal_minor, total_minor, held_until)
     SELECT 'STUCK-' || n, $1, 'PENDING', 100, 100, timestamptz '2026-01-01' + n * interval '1 second'
     FROM generate_series(1, 51) AS n RETURNING id`,
    [buyer.userId],
  );
  const last = rows.at(-1)?.id ?? 0;
  await service.db.query(
    `CREATE FUNCTION refuse_stuck() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF NEW.order_number LIKE 'STUCK-%' AND NEW.id < ${last} THEN RAISE EXCEPTION 'stuck'; END IF;
       RETURN NEW;
     END $$`,
  );
  await service.db.query(
    'CREATE TRIGGER stuck BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION refuse_stuck()',
  );
  for (let turn = 0; turn < 2; turn += 1) await service.sweep('expire-unpaid-orders');
  await service.db.query('DROP TRIGGER stuck ON orders');
  const stillHeld = 'SELECT id FROM orders WHERE held_until IS NOT NULL AND id = ANY ($1)';
  const ids = rows.map(({ id }) => id);
  expect((await service.db.query(stillHeld, [ids])).count).toBe(50);
  // And those have their turn again.
  for (let turn = 0; turn < 2; turn += 1) await service.sweep('expire-unpaid-orders');
  expect((await service.db.query(stillHeld, [ids])).count).toBe(0);
});
