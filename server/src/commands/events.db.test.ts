import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../test/support/test-database.ts';
import type { TestDatabase } from '../../test/support/test-database.ts';
import { isSignedWith, startWebhookReceiver } from '../../test/support/webhook-receiver.ts';
import { createTestEvents, recordPaid } from '../modules/events/test-events.ts';
import { systemClock } from '../platform/time.ts';
import { registerEvents } from './events.ts';

let db: TestDatabase;
let publisher: ReturnType<typeof createTestEvents>;
beforeEach(async () => {
  db = await createTestDatabase();
  publisher = createTestEvents(db, systemClock);
});
afterEach(async () => {
  await publisher.close();
  await db.drop();
});

/** The command as typed, running until it is stopped. */
function run(...words: string[]) {
  const stop = new AbortController();
  const said = { out: '', err: '' };
  const program = new Command()
    .exitOverride()
    .configureOutput({ writeErr: (text) => void (said.err += text) });
  registerEvents(program, {
    open: async () => ({ db, close: async () => undefined }),
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    signal: () => stop.signal,
  });
  const ended = program.parseAsync(['events', ...words], { from: 'user' });
  return {
    said,
    ended,
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

const publishPaid = async (...orders: number[]): Promise<void> => {
  for (const order of orders) await recordPaid(db, order);
  await publisher.settle();
};

describe('events tail', () => {
  it('prints what is in the log from a place on, then what comes', async () => {
    await publishPaid(1, 2);
    const tail = run('tail', '--after', '1');
    await expect.poll(() => tail.said.out).toContain('VC-2');
    await publishPaid(3);
    await expect.poll(() => tail.said.out).toContain('VC-3');
    await tail.stop();
    const lines = tail.said.out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { sequence: 2, type: 'order.paid', data: { order_id: 2 } },
      { sequence: 3, type: 'order.paid', data: { order_id: 3 } },
    ]);
  });

  it('prints only the kinds asked for, and names them when there is no such kind', async () => {
    await publishPaid(1);
    const tail = run('tail', '--after', '0', '--type', 'order.created', 'order.paid');
    await expect.poll(() => tail.said.out).toContain('VC-1');
    await tail.stop();
    await expect(run('tail', '--type', 'order.eaten').ended).rejects.toThrow('order.created, order.paid');
  });
});

describe('events listen', () => {
  it('forwards events to a URL, signed with the secret it prints', async () => {
    const consumer = await startWebhookReceiver();
    await publishPaid(1);
    const listener = run('listen', '--forward-to', consumer.url, '--after', '0');
    await expect.poll(() => listener.said.out).toContain('→ 200');
    const [, secret = ''] = /signed with (whsec_\S+)/.exec(listener.said.err) ?? [];
    consumer.answer(500);
    await publishPaid(2);
    await expect.poll(() => listener.said.out).toContain('→ 500');
    await listener.stop();
    expect(consumer.received.map(({ body }) => body.data['order_id'])).toEqual([1, 2]);
    expect(consumer.received.map((one) => isSignedWith(secret, one))).toEqual([true, true]);
    await consumer.close();
  });
});
