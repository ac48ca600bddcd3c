import { inTransaction } from '../../platform/db/database.ts';
import type { Database } from '../../platform/db/database.ts';
import { createLog } from '../../platform/log.ts';
import { systemRandom } from '../../platform/random.ts';
import { createSecretBox } from '../../platform/secret-box.ts';
import type { Clock } from '../../platform/time.ts';
import { createEvents } from './create-events.ts';
import type { EventsDeps } from './create-events.ts';
import { insertEndpoint, takeEndpointId } from './endpoints/endpoint-store.ts';
import { makeWebhookSecret, sealWebhookSecret } from './endpoints/webhook-secret.ts';
import { recordEvents } from './record-event.ts';

/** A clock that is moved by hand. It starts now: signatures are valid for five minutes of real time. */
export function createHandClock(): Clock & { advance(seconds: number): void } {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance: (seconds) => void (offsetMs += seconds * 1000),
  };
}

/** The module on a test's database, with what it was asked to alert. */
export function createTestEvents(db: Database, clock: Clock, given: Partial<EventsDeps> = {}) {
  const disabled: { id: number; reason: string }[] = [];
  const box = createSecretBox({
    sealing: [{ id: 'k1', key: Buffer.alloc(32, 1) }],
    digesting: Buffer.alloc(32, 2),
  });
  const events = createEvents({
    db,
    clock,
    box,
    random: systemRandom,
    log: createLog({ level: 'silent' }),
    recordAudit: async () => undefined,
    allowPrivate: true,
    natsUrl: undefined,
    alertDisabled: async (_tx, { id, reason }) => void disabled.push({ id, reason }),
    resolveDisabled: async () => undefined,
    ...given,
  });
  const turn = async (): Promise<void> => {
    for (const sweep of events.sweeps) await sweep.run();
  };
  return {
    ...events,
    box,
    disabled,
    /** One turn of the sweeps; what it started goes on. */
    turn,
    /** The hourly sweep alone. */
    async forget(): Promise<void> {
      await events.sweeps.find((sweep) => sweep.name === 'forget_deliveries')?.run();
    },
    /** Turns until nothing is under way. */
    async settle(): Promise<void> {
      await turn();
      await events.whenIdle();
    },
    async addEndpoint(url: string, kinds: readonly string[] = ['*']) {
      const secret = makeWebhookSecret(systemRandom);
      const id = await inTransaction(db, async (tx) => {
        const next = await takeEndpointId(tx);
        const sealed = sealWebhookSecret(box, next, secret);
        const row = {
          id: next,
          url,
          description: '',
          events: kinds,
          secret_sealed: sealed,
          created_by: null,
        };
        return (await insertEndpoint(tx, row)).id;
      });
      return { id, secret };
    },
  };
}

/** A fact about an order, committed. */
export const recordPaid = (db: Database, orderId: number, totalMinor = 100): Promise<void> =>
  inTransaction(db, (tx) =>
    recordEvents(tx, [
      {
        type: 'order.paid',
        stream: `order:${orderId}`,
        data: { order_id: orderId, order_number: `VC-${orderId}`, total_minor: totalMinor },
      },
    ]),
  );

/** An empty log and no endpoint, between tests. */
export async function forgetEvents(db: Database): Promise<void> {
  await db.query('TRUNCATE outbox_events, webhook_endpoints CASCADE');
  await db.query('UPDATE event_log_head SET last = 0');
}
