import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import {
  anotherSession,
  askAbout,
  authorise,
  comeBack,
  placeOrder,
  statesOf,
  taken,
} from '../support/captures.ts';
import type { AuthorisedSession } from '../support/captures.ts';
import { expectInvariants } from '../support/invariants.ts';
import { anOperator, operate } from '../support/operator.ts';
import { aCustomer, aVariant, call, control, fault, someCodes } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { testClock } from '../support/test-identity.ts';
import type { TestClock } from '../support/test-identity.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let one: TestService;
let two: TestService;
let clock: TestClock;
let customer: Customer;
beforeAll(async () => {
  clock = testClock();
  one = await startTestService({ clock });
  two = await startTestService({ beside: one, clock });
});
// Anew each time: tokens are short-lived, and time passes.
beforeEach(async () => {
  customer = await aCustomer(one);
});
afterEach(() => control(one, '/faults', undefined, 'DELETE'));
afterAll(async () => {
  await expectInvariants(one.db);
  await two.close();
  await one.close();
});

interface Scene {
  readonly orderId: number;
  readonly first: AuthorisedSession;
}

/** An order with one session that the customer has authorised; its money waits for our word. */
async function anAuthorisedOrder(): Promise<Scene> {
  const { variantId } = await aVariant(one, { codes: someCodes(randomUUID(), 2) });
  const placed = await placeOrder(one, customer, variantId);
  const first = await authorise(one, placed.id, placed.payment?.paymentGatewayUrl ?? '');
  return { orderId: placed.id, first };
}

const cancelOrder = (orderId: number) =>
  call(one, { path: `/orders/${orderId}/cancel`, method: 'POST', token: customer.token });

const cancelAsOperator = async (orderId: number) => {
  const asked = { path: `/orders/${orderId}/status`, method: 'PATCH', body: { status: 'CANCELLED' } };
  return operate(one, await anOperator(one), asked);
};

/** As if that much time had passed since the session was told to take the money, and since whoever asked about it. */
const letPass = (orderId: number, time: '2 minutes' | '61 minutes') =>
  one.db.query(
    `SET session_replication_role = replica;
     UPDATE payment_captures SET claimed_at = claimed_at - interval '${time}',
       claimed_until = claimed_until - interval '${time}' WHERE order_id = ${orderId};
     UPDATE payment_verifications SET occurred_at = occurred_at - interval '${time}'
     WHERE payment_id IN (SELECT id FROM payments WHERE order_id = ${orderId});
     SET session_replication_role = DEFAULT`,
  );

describe('two authorised sessions of one order', () => {
  it('are never both charged, though both customers come back at the same moment on two processes', async () => {
    for (let n = 0; n < 6; n += 1) {
      const { orderId, first } = await anAuthorisedOrder();
      const second = await anotherSession(one, customer, orderId);
      await Promise.all([comeBack(one, first), comeBack(two, second)]);
      await one.drain();
      expect(await taken(one, first, second)).toHaveLength(1);
      await askAbout(one, first, second);
      expect(await taken(one, first, second)).toHaveLength(1);
      expect(await statesOf(one, orderId)).toMatchObject({ status: 'SUCCEEDED', paid: true });
    }
    const { rows } = await one.db.query(`SELECT 1 FROM admin_alerts WHERE type = 'duplicate_payment'`);
    expect(rows).toEqual([]);
  });

  it('are never both charged by the sweep either, on two processes at once', async () => {
    const scenes: Scene[] = [];
    const sessions: AuthorisedSession[] = [];
    for (let n = 0; n < 4; n += 1) {
      const scene = await anAuthorisedOrder();
      scenes.push(scene);
      sessions.push(scene.first, await anotherSession(one, customer, scene.orderId));
    }
    const stop = await Promise.all([one.work(), two.work()]);
    await one.db.query(`UPDATE payments SET next_verify_at = '2000-01-01' WHERE id = ANY ($1)`, [
      sessions.map(({ id }) => id),
    ]);
    await one.sweep('verify-due-payments');
    for (const { orderId } of scenes)
      await expect.poll(() => statesOf(one, orderId), { timeout: 15_000 }).toMatchObject({ paid: true });
    await Promise.all(stop.map((end) => end()));
    expect(await taken(one, ...sessions)).toHaveLength(scenes.length);
  });

  it('the second is charged when the gateway refuses the first', async () => {
    const { orderId, first } = await anAuthorisedOrder();
    const second = await anotherSession(one, customer, orderId);
    await fault(one, { target: 'wallet_tokenized', fault: 'declined', call: 'verify' });
    await comeBack(one, first);
    await comeBack(two, second);
    await one.drain();
    expect(await taken(one, first, second)).toEqual([second.paymentID]);
    expect(await statesOf(one, orderId)).toEqual({
      status: 'SUCCEEDED',
      paid: true,
      payments: ['FAILED', 'SUCCEEDED'],
    });
  });

  it('the second waits for the first, which nobody knows the end of, and the first pays', async () => {
    const { orderId, first } = await anAuthorisedOrder();
    const second = await anotherSession(one, customer, orderId);
    // Executed, and neither that answer nor any to the questions after it came.
    await fault(one, { target: 'wallet_tokenized', fault: 'unknown_result', call: 'verify' });
    await fault(one, { target: 'wallet_tokenized', fault: 'error_500', call: 'query', times: 2 });
    await comeBack(one, first);
    expect(await taken(one, first, second)).toEqual([first.paymentID]);
    await comeBack(two, second);
    await askAbout(one, second);
    expect(await taken(one, first, second)).toEqual([first.paymentID]);
    // However long that is ago: whoever is refused has the first one asked.
    await letPass(orderId, '61 minutes');
    await one.db.query('UPDATE payments SET verifying_until = NULL WHERE order_id = $1', [orderId]);
    await askAbout(one, second);
    expect(await statesOf(one, orderId)).toEqual({
      status: 'SUCCEEDED',
      paid: true,
      payments: ['SUCCEEDED', 'FAILED'],
    });
    expect(await taken(one, first, second)).toEqual([first.paymentID]);
  });

  it('the second does not wait for ever: it is charged when an hour later nobody can tell of the first', async () => {
    const { orderId, first } = await anAuthorisedOrder();
    const second = await anotherSession(one, customer, orderId);
    await fault(one, { target: 'wallet_tokenized', fault: 'error_500', times: 3 });
    await comeBack(one, first);
    await letPass(orderId, '61 minutes');
    await one.db.query(
      `INSERT INTO payment_verifications (payment_id, asked_by, outcome, took_ms) VALUES ($1, 'sweep', 'unknown', 9000)`,
      [first.id],
    );
    await askAbout(one, second);
    expect(await taken(one, first, second)).toEqual([second.paymentID]);
    expect(await statesOf(one, orderId)).toEqual({
      status: 'SUCCEEDED',
      paid: true,
      payments: ['FAILED', 'SUCCEEDED'],
    });
  });

  it('the second does not wait for one whose success was only claimed: its customer has not agreed', async () => {
    const { variantId } = await aVariant(one, { codes: someCodes(randomUUID(), 2) });
    const placed = await placeOrder(one, customer, variantId);
    const { rows } = await one.db.query<AuthorisedSession>(
      `SELECT id, gateway_session_id AS "paymentID" FROM payments WHERE order_id = $1`,
      [placed.id],
    );
    const [first] = rows;
    if (!first) throw new Error('no session');
    await comeBack(one, first);
    await letPass(placed.id, '2 minutes');
    await askAbout(one, first);
    const second = await anotherSession(one, customer, placed.id);
    await comeBack(one, second);
    expect(await taken(one, first, second)).toEqual([second.paymentID]);
  });
});

describe('an authorised session of an order that was cancelled', () => {
  it.each([
    ['its customer', (orderId: number) => cancelOrder(orderId)],
    ['an operator', (orderId: number) => cancelAsOperator(orderId)],
  ])('by %s is not charged, by nobody who asks', async (_who, cancel) => {
    const { orderId, first } = await anAuthorisedOrder();
    expect((await cancel(orderId)).status).toBe(200);
    await askAbout(one, first);
    await comeBack(one, first);
    await askAbout(one, first);
    expect(await taken(one, first)).toEqual([]);
    expect(await statesOf(one, orderId)).toMatchObject({ status: 'CANCELLED', paid: false });
    // Taken up again, it is paid by its new session alone.
    const second = await anotherSession(one, customer, orderId);
    await askAbout(one, first);
    await comeBack(one, second);
    await askAbout(one, first);
    await one.drain();
    expect(await taken(one, first, second)).toEqual([second.paymentID]);
    expect(await statesOf(one, orderId)).toMatchObject({ status: 'SUCCEEDED', paid: true });
  });

  it('at the gateway is not charged by a question later on, and is when its own success comes after all', async () => {
    const { orderId, first } = await anAuthorisedOrder();
    await comeBack(one, first, 'cancel');
    await askAbout(one, first);
    expect(await taken(one, first)).toEqual([]);
    await one.db.query('UPDATE payments SET verifying_until = NULL WHERE id = $1', [first.id]);
    await comeBack(one, first);
    expect(await taken(one, first)).toEqual([first.paymentID]);
    expect(await statesOf(one, orderId)).toMatchObject({ paid: true, payments: ['SUCCEEDED'] });
  });

  it('through its last session leaves an earlier one that read FAILED uncharged', async () => {
    const { orderId, first } = await anAuthorisedOrder();
    await fault(one, { target: 'wallet_tokenized', fault: 'error_500', times: 3 });
    await comeBack(one, first);
    const second = await anotherSession(one, customer, orderId);
    await comeBack(one, second, 'cancel');
    expect(await statesOf(one, orderId)).toMatchObject({
      status: 'CANCELLED',
      payments: ['FAILED', 'CANCELLED'],
    });
    await askAbout(one, first, second);
    expect(await taken(one, first, second)).toEqual([]);
  });

  it('is honoured all the same when the gateway says that it has the money (decisions 4.6)', async () => {
    const { orderId, first } = await anAuthorisedOrder();
    await fault(one, { target: 'wallet_tokenized', fault: 'unknown_result', call: 'verify' });
    await fault(one, { target: 'wallet_tokenized', fault: 'error_500', call: 'query', times: 2 });
    await comeBack(one, first);
    await letPass(orderId, '2 minutes');
    expect((await cancelOrder(orderId)).status).toBe(200);
    await askAbout(one, first);
    expect(await statesOf(one, orderId)).toEqual({
      status: 'SUCCEEDED',
      paid: true,
      payments: ['SUCCEEDED'],
    });
  });
});

describe('an order whose money is being taken at this moment', () => {
  /** The gateway has been told, and takes its time to answer. */
  async function anOrderBeingPaid() {
    const scene = await anAuthorisedOrder();
    await fault(one, { target: 'wallet_tokenized', fault: 'slow', call: 'verify', delayMs: 1_500 });
    const paying = comeBack(two, scene.first);
    const told = 'SELECT FROM payment_captures WHERE order_id = $1';
    await expect.poll(async () => (await one.db.query(told, [scene.orderId])).count).toBe(1);
    return { ...scene, paying };
  }
  const heldUnits = async (orderId: number): Promise<number> =>
    (
      await one.db.query(
        `SELECT FROM vouchers JOIN order_items item ON item.id = order_item_id WHERE item.order_id = $1`,
        [orderId],
      )
    ).count;

  it.each([
    ['its customer', (orderId: number) => cancelOrder(orderId)],
    ['an operator', (orderId: number) => cancelAsOperator(orderId)],
  ])('is not cancelled by %s: nobody is charged for an order that reads CANCELLED', async (_who, cancel) => {
    const { orderId, paying } = await anOrderBeingPaid();
    expect(await cancel(orderId)).toMatchObject({ status: 400, errorCode: 'BAD_REQUEST' });
    expect(await heldUnits(orderId)).toBe(1);
    await paying;
    expect(await statesOf(one, orderId)).toMatchObject({ paid: true, payments: ['SUCCEEDED'] });
  });

  it('keeps its units past its time until the answer is there', async () => {
    const { orderId, paying } = await anOrderBeingPaid();
    await one.db.query(`UPDATE orders SET held_until = '2000-01-01' WHERE id = $1`, [orderId]);
    await one.db.query('UPDATE payments SET verifying_until = now() WHERE order_id = $1', [orderId]);
    await fault(one, { target: 'wallet_tokenized', fault: 'processing', call: 'query', times: 9 });
    await one.sweep('expire-unpaid-orders');
    expect(await heldUnits(orderId)).toBe(1);
    await paying;
    await one.drain();
    expect(await statesOf(one, orderId)).toMatchObject({ status: 'SUCCEEDED', paid: true });
  });
});

describe('an authorised session of an order that ran out of time (decisions 4.5)', () => {
  it.each([
    ['is charged when it is authorised after that', false],
    ['is not charged once an operator has cancelled it too', true],
  ])('%s', async (_name, isCancelled) => {
    const { variantId } = await aVariant(one, { codes: someCodes(randomUUID(), 2) });
    const placed = await placeOrder(one, customer, variantId);
    clock.advance(31 * 60);
    await one.sweep('expire-unpaid-orders');
    expect(await statesOf(one, placed.id)).toMatchObject({ status: 'CANCELLED' });
    const first = await authorise(one, placed.id, placed.payment?.paymentGatewayUrl ?? '');
    if (isCancelled) expect((await cancelAsOperator(placed.id)).status).toBe(200);
    await askAbout(one, first);
    expect(await taken(one, first)).toEqual(isCancelled ? [] : [first.paymentID]);
  });

  it('is charged by the question that comes before the order is cancelled', async () => {
    const { orderId, first } = await anAuthorisedOrder();
    clock.advance(31 * 60);
    await one.sweep('expire-unpaid-orders');
    await one.drain();
    expect(await taken(one, first)).toEqual([first.paymentID]);
    expect(await statesOf(one, orderId)).toMatchObject({ status: 'SUCCEEDED', paid: true });
  });
});
