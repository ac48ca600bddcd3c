import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { isSignedWith, startWebhookReceiver } from '../../../../test/support/webhook-receiver.ts';
import type { WebhookReceiver } from '../../../../test/support/webhook-receiver.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { recordEvents } from '../record-event.ts';
import { createHandClock, createTestEvents, forgetEvents, recordPaid } from '../test-events.ts';

let db: TestDatabase;
let clock: ReturnType<typeof createHandClock>;
let events: ReturnType<typeof createTestEvents>;
let receiver: WebhookReceiver;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());
beforeEach(async () => {
  await forgetEvents(db);
  clock = createHandClock();
  events = createTestEvents(db, clock);
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  await receiver.close();
  await events.close();
});

const totals = (of: WebhookReceiver): unknown[] => of.received.map(({ body }) => body.data['total_minor']);
const statuses = async (): Promise<string[]> =>
  (await db.query<{ status: string }>('SELECT status FROM webhook_deliveries ORDER BY sequence')).rows.map(
    ({ status }) => status,
  );

describe('deliveries', () => {
  it('carry {id, type, timestamp, data} signed after the Standard Webhooks specification', async () => {
    const { secret } = await events.addEndpoint(receiver.url);
    await recordPaid(db, 17, 49_900);
    await events.settle();
    const [first] = receiver.received;
    expect(first?.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'order.paid',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      data: { order_id: 17, order_number: 'VC-17', total_minor: 49_900 },
    });
    expect(first?.headers['webhook-id']).toBe(first?.body.id);
    expect(receiver.received.map((one) => isSignedWith(secret, one))).toEqual([true]);
    expect(isSignedWith(`whsec_${Buffer.alloc(32).toString('base64')}`, receiver.received[0]!)).toBe(false);
  });

  it('go only to endpoints that ask for the kind', async () => {
    await events.addEndpoint(receiver.url, ['order.cancelled']);
    await recordPaid(db, 17);
    await events.settle();
    expect(receiver.received).toEqual([]);
  });

  it('leave out what the catalogue does not declare', async () => {
    await events.addEndpoint(receiver.url);
    const data = { order_id: 1, order_number: 'VC-1', total_minor: 5, voucher_code: 'CANARY-CODE' };
    await inTransaction(db, (tx) => recordEvents(tx, [{ type: 'order.paid', stream: 'order:1', data }]));
    await events.settle();
    expect(receiver.received[0]?.body.data).toEqual({ order_id: 1, order_number: 'VC-1', total_minor: 5 });
  });

  it('are tried again after 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h, then parked', async () => {
    await events.addEndpoint(receiver.url);
    receiver.answer(500);
    await recordPaid(db, 1);
    await events.settle();
    for (const [index, seconds] of [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].entries()) {
      clock.advance(seconds - 2);
      await events.settle();
      expect(receiver.received).toHaveLength(index + 1);
      clock.advance(3);
      await events.settle();
      expect(receiver.received).toHaveLength(index + 2);
    }
    expect(await statuses()).toEqual(['parked']);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('stay in order within a stream: the second waits for the first', async () => {
    await events.addEndpoint(receiver.url);
    receiver.answer(({ body }, response) =>
      response.writeHead(receiver.received.length === 1 && body.data['total_minor'] === 1 ? 500 : 200).end(),
    );
    for (const total of [1, 2, 3]) await recordPaid(db, 7, total);
    await events.settle();
    expect(totals(receiver)).toEqual([1]);
    clock.advance(6);
    await events.settle();
    expect(totals(receiver)).toEqual([1, 1, 2, 3]);
    expect(await statuses()).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  it('do not wait for another stream that fails', async () => {
    await events.addEndpoint(receiver.url);
    receiver.answer(({ body }, response) =>
      response.writeHead(body.data['order_id'] === 1 ? 500 : 200).end(),
    );
    for (const order of [1, 2, 3]) await recordPaid(db, order);
    await events.settle();
    expect(await statuses()).toEqual(['pending', 'succeeded', 'succeeded']);
  });

  it('do not wait for an endpoint that hangs', async () => {
    const slow = await startWebhookReceiver();
    const release: (() => void)[] = [];
    slow.answer((_received, response) => void release.push(() => response.end()));
    try {
      await events.addEndpoint(slow.url);
      await events.addEndpoint(receiver.url);
      for (let order = 1; order <= 40; order += 1) await recordPaid(db, order);
      await events.turn();
      await expect.poll(() => receiver.received.length).toBe(40);
      await expect.poll(() => slow.received.length).toBe(8);
      slow.answer(200);
      for (const answer of release) answer();
      await events.settle();
      await expect.poll(() => slow.received.length).toBe(40);
    } finally {
      await slow.close();
    }
  });

  it('do not follow a redirect', async () => {
    const elsewhere = await startWebhookReceiver();
    await events.addEndpoint(receiver.url);
    receiver.answer((_received, response) => response.writeHead(302, { location: elsewhere.url }).end());
    await recordPaid(db, 1);
    await events.settle();
    expect(await statuses()).toEqual(['pending']);
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  it('are forgotten 30 days after they ended, and not while they are pending', async () => {
    await events.addEndpoint(receiver.url);
    receiver.answer(({ body }, response) =>
      response.writeHead(body.data['order_id'] === 2 ? 500 : 200).end(),
    );
    await recordPaid(db, 1);
    await recordPaid(db, 2);
    await events.settle();
    clock.advance(29 * 86_400);
    await events.forget();
    expect(await statuses()).toEqual(['succeeded', 'pending']);
    clock.advance(2 * 86_400);
    await events.forget();
    expect(await statuses()).toEqual(['pending']);
  });

  it('that were being sent by a process that died are sent by another', async () => {
    await events.addEndpoint(receiver.url);
    await recordPaid(db, 1);
    const other = createTestEvents(db, clock);
    await other.sweeps[0]?.run();
    await other.whenIdle();
    // As if it had died before writing down the result.
    const soon = new Date(clock.now().getTime() + 30_000);
    await db.query(`UPDATE webhook_deliveries SET status = 'pending', attempts = 0, finished_at = NULL`);
    await db.query(
      `INSERT INTO webhook_lanes SELECT endpoint_id, stream, $1, gen_random_uuid(), $2 FROM webhook_deliveries`,
      [clock.now(), soon],
    );
    await events.settle();
    expect(receiver.received).toHaveLength(1);
    clock.advance(31);
    await events.settle();
    expect(receiver.received).toHaveLength(2);
    expect(await statuses()).toEqual(['succeeded']);
    await other.close();
  });
});

describe('an endpoint', () => {
  const state = async () => (await db.query('SELECT status, disabled_reason FROM webhook_endpoints')).rows[0];

  it('that answers 410 is disabled with an alert', async () => {
    const { id } = await events.addEndpoint(receiver.url);
    receiver.answer(410);
    await recordPaid(db, 1);
    await events.settle();
    expect(await state()).toEqual({ status: 'disabled', disabled_reason: 'gone' });
    expect(events.disabled).toEqual([{ id, reason: 'gone' }]);
    await recordPaid(db, 2);
    await events.settle();
    expect(receiver.received).toHaveLength(1);
  });

  it('that nothing reached for five days is disabled with one alert, not a minute before', async () => {
    const { id } = await events.addEndpoint(receiver.url);
    receiver.answer(503);
    await recordPaid(db, 1);
    await events.settle();
    clock.advance(5 * 86_400 - 60);
    await recordPaid(db, 2);
    await events.settle();
    expect(await state()).toEqual({ status: 'active', disabled_reason: null });
    clock.advance(120);
    await events.settle();
    expect(await state()).toEqual({ status: 'disabled', disabled_reason: 'failing' });
    expect(events.disabled).toEqual([{ id, reason: 'failing' }]);
  });

  it('that was reached in between is not', async () => {
    await events.addEndpoint(receiver.url);
    receiver.answer(503);
    await recordPaid(db, 1);
    await events.settle();
    receiver.answer(200);
    clock.advance(4 * 86_400);
    await events.settle();
    receiver.answer(503);
    clock.advance(2 * 86_400);
    await recordPaid(db, 2);
    await events.settle();
    expect(await state()).toEqual({ status: 'active', disabled_reason: null });
  });
});
