import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { freePort } from '../../../../test/support/test-service.ts';
import { systemClock } from '../../../platform/time.ts';
import { createTestEvents, forgetEvents, recordPaid } from '../test-events.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());
beforeEach(async () => {
  await forgetEvents(db);
  await db.query('DELETE FROM event_followers');
});

it('a NATS server that is away holds up nothing else, and its place in the log is kept', async () => {
  const port = await freePort();
  const events = createTestEvents(db, systemClock, { natsUrl: `nats://127.0.0.1:${port}` });
  await recordPaid(db, 1);
  const [publish, stream] = ['publish_events', 'stream_events'].map((name) =>
    events.sweeps.find((sweep) => sweep.name === name),
  );
  await publish?.run();
  await expect(stream?.run()).rejects.toThrow(/refused/i);
  const { rows } = await db.query('SELECT sequence FROM outbox_events');
  expect(rows).toEqual([{ sequence: 1 }]);
  expect((await db.query('SELECT FROM event_followers')).count).toBe(0);
  await events.close();
});

/** A NATS server of our own, where the program is installed: nothing else of the service needs it. */
const server = await startNats();

describe.runIf(server !== undefined)('events in a JetStream stream', () => {
  let connection: NatsConnection;
  let manager: JetStreamManager;
  const url = server?.url ?? '';
  beforeAll(async () => {
    connection = await connect({ servers: url });
    manager = await jetstreamManager(connection);
  });
  afterAll(async () => {
    await connection.close();
    await server?.stop();
  });

  const messages = async () => {
    const { state } = await manager.streams.info('VOUCHER_EVENTS');
    const found = [];
    for (let seq = 1; seq <= state.messages; seq += 1)
      found.push(await manager.streams.getMessage('VOUCHER_EVENTS', { seq }));
    return found;
  };

  it('are there in the order of the log, by kind, once, though they are sent again after a crash', async () => {
    const events = createTestEvents(db, systemClock, { natsUrl: url });
    for (const order of [1, 2, 3]) await recordPaid(db, order);
    await events.turn();
    // As if the process had died before it wrote down how far it came.
    await db.query('UPDATE event_followers SET sequence = 1');
    await recordPaid(db, 4);
    await events.turn();
    await events.close();
    const found = await messages();
    expect(found.map((message) => message?.subject)).toEqual(Array(4).fill('voucher.events.order.paid'));
    const bodies = found.map((message) => message?.json<{ id: string; data: { order_id: number } }>());
    expect(bodies.map((body) => body?.data.order_id)).toEqual([1, 2, 3, 4]);
    expect(found.map((message) => message?.header.get('Nats-Msg-Id'))).toEqual(
      bodies.map((body) => body?.id),
    );
  });
});

async function startNats(): Promise<{ url: string; stop(): Promise<void> } | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'nats-'));
  const port = await freePort();
  const child = spawn('nats-server', ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', folder], {
    stdio: 'ignore',
  });
  const started = await Promise.race([
    once(child, 'error').then(() => false),
    vi.waitFor(() => assertListening(port), { timeout: 10_000 }).then(() => true),
  ]);
  if (!started) {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function assertListening(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(port, '127.0.0.1');
    socket.once('error', reject).once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}
