import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { systemClock } from '../../../platform/time.ts';
import { forgetEvents, recordPaid } from '../test-events.ts';
import { listEventsAfter } from './event-log-store.ts';
import { publishEvents } from './publish-events.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => forgetEvents(db));
afterAll(() => db.drop());

const deps = () => ({ db, clock: systemClock });
const after = async (sequence: number) => listEventsAfter(db, { after: sequence, limit: 1_000 });

describe('the published log', () => {
  it('passes nobody by: what commits late, with an earlier position, comes later', async () => {
    const slow = new pg.Client({ connectionString: db.url });
    await slow.connect();
    await slow.query('BEGIN');
    await slow.query(
      `INSERT INTO outbox_events (id, type, stream, data) VALUES (gen_random_uuid(), 'order.paid', 'order:1', '{}')`,
    );
    await recordPaid(db, 2);
    await publishEvents(deps());
    const seen = await after(0);
    expect(seen.map(({ stream }) => stream)).toEqual(['order:2']);
    await slow.query('COMMIT');
    await slow.end();
    await publishEvents(deps());
    expect((await after(seen.at(-1)?.sequence ?? 0)).map(({ stream }) => stream)).toEqual(['order:1']);
  });

  it('has every event once, without a gap, however many publishers and writers there are', async () => {
    const writer = async (order: number): Promise<void> => {
      for (let n = 0; n < 25; n += 1) await recordPaid(db, order, n);
    };
    const load = { isOn: true };
    const followed: number[] = [];
    const follow = async (): Promise<void> => {
      for (let last = 0; ;) {
        const done = !load.isOn;
        if (done) await publishEvents(deps());
        const next = await after(last);
        followed.push(...next.map(({ sequence }) => sequence));
        last = next.at(-1)?.sequence ?? last;
        if (done && next.length === 0) return;
      }
    };
    const publisher = async (): Promise<void> => {
      while (load.isOn) await publishEvents(deps());
    };
    const others = [follow(), publisher(), publisher()];
    await Promise.all([1, 2, 3, 4].map(writer));
    load.isOn = false;
    await Promise.all(others);
    expect(followed).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    const all = await after(0);
    for (const order of [1, 2, 3, 4]) {
      const own = all.filter(({ stream }) => stream === `order:${order}`);
      expect(own.map(({ data }) => data['total_minor'])).toEqual(Array.from({ length: 25 }, (_, n) => n));
    }
  });
});
