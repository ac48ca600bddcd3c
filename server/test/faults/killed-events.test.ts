import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createHandClock, createTestEvents } from '../../src/modules/events/test-events.ts';
import { createTestDatabase } from '../support/test-database.ts';
import type { TestDatabase } from '../support/test-database.ts';
import { isSignedWith, startWebhookReceiver } from '../support/webhook-receiver.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

const WRITER = join(import.meta.dirname, 'event-writer.ts');
/** 200 prove it; what every run can afford is fewer. */
const kills = Number(process.env['EVENT_KILLS'] ?? 40);

let db: TestDatabase;
let receiver: WebhookReceiver;
let events: ReturnType<typeof createTestEvents>;
let secret: string;
const clock = createHandClock();

beforeAll(async () => {
  db = await createTestDatabase();
  receiver = await startWebhookReceiver();
  events = createTestEvents(db, clock);
  ({ secret } = await events.addEndpoint(receiver.url));
});
afterAll(async () => {
  await events.close();
  await receiver.close();
  await db.drop();
});

/** Lets a process write and send for a while that nobody can foretell, then kills it with -9. */
async function killOne(round: number): Promise<void> {
  const child = spawn(process.execPath, [WRITER, db.url, String(round)], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => void (complaints += chunk.toString()));
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('exit', (_code, signal) => resolve(signal)),
  );
  child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), randomInt(30, 600)));
  expect(await ended, complaints).toBe('SIGKILL');
}

/** Everything left behind is sent: what the dead had claimed, too. */
async function finish(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) {
    await events.settle();
    const { rows } = await db.query<{ pending: number }>(
      `SELECT (SELECT count(*) FROM webhook_deliveries WHERE status = 'pending')
         + (SELECT count(*) FROM outbox_events WHERE sequence IS NULL) AS pending`,
    );
    if (rows[0]?.pending === 0) return;
    clock.advance(31);
  }
  throw new Error('Deliveries are left over');
}

interface Fact {
  readonly type: string;
  readonly alert_id: number;
}
const keyOf = ({ type, alert_id: id }: Fact): string => `${type} ${id}`;

describe(`events of a process that is killed ${kills} times while it writes`, () => {
  beforeAll(async () => {
    for (let round = 0; round < kills; round += 1) await killOne(round);
    await finish();
  }, 600_000);

  it('are exactly the facts that were committed, each once in the log', async () => {
    const facts = await db.query<Fact>(
      `SELECT 'alert.opened' AS type, id AS alert_id FROM admin_alerts
       UNION ALL SELECT 'alert.resolved', id FROM admin_alerts WHERE status = 'resolved'`,
    );
    const logged = await db.query<Fact>(
      `SELECT type, (data ->> 'alert_id')::bigint AS alert_id FROM outbox_events ORDER BY sequence`,
    );
    expect(facts.rows.length).toBeGreaterThan(kills);
    expect(logged.rows.map(keyOf).toSorted()).toEqual(facts.rows.map(keyOf).toSorted());
  });

  it('all arrived, signed, and nothing that was taken back did', async () => {
    const logged = await db.query<{ id: string }>('SELECT id FROM outbox_events');
    const arrived = new Set(receiver.received.map(({ body }) => body.id));
    expect([...arrived].toSorted()).toEqual(logged.rows.map(({ id }) => id).toSorted());
    // Tolerance of the library is five minutes, and this may take longer: the last ones stand for all.
    expect(receiver.received.slice(-50).every((one) => isSignedWith(secret, one))).toBe(true);
  });

  it('arrived in order within each stream', async () => {
    const logged = await db.query<{ id: string; stream: string }>(
      'SELECT id, stream FROM outbox_events ORDER BY sequence',
    );
    const firsts = [...new Set(receiver.received.map(({ body }) => body.id))];
    const placeOf = new Map(firsts.map((id, place) => [id, place]));
    for (const [stream, own] of Map.groupBy(logged.rows, (row) => row.stream)) {
      const places = own.map(({ id }) => placeOf.get(id) ?? -1);
      expect(places, stream).toEqual(places.toSorted((a, b) => a - b));
    }
  });

  it('kept the order of the facts: every stream goes opened, resolved, opened', async () => {
    const { rows } = await db.query<{ stream: string; types: string[] }>(
      'SELECT stream, array_agg(type ORDER BY sequence) AS types FROM outbox_events GROUP BY stream',
    );
    expect(rows).toHaveLength(6);
    for (const { stream, types } of rows) {
      const expected = types.map((_, index) => (index % 2 === 0 ? 'alert.opened' : 'alert.resolved'));
      expect(types, stream).toEqual(expected);
    }
  });
});
