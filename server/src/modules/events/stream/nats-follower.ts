import type { JetStreamClient } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

import { inOneStatement } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Sweep } from '../../../platform/jobs/sweeps.ts';
import { toEventBody } from '../event-body.ts';
import { findFollowerSequence, listEventsAfter, setFollowerSequence } from './event-log-store.ts';
import type { PublishedEvent } from './event-log-store.ts';

const FOLLOWER = 'nats';
const BATCH = 200;
const STREAM = 'VOUCHER_EVENTS';
/** Subjects are `voucher.events.<type>`: `voucher.events.order.paid`. */
const SUBJECT = 'voucher.events';
/** A batch is repeated at most this long after it was sent first, or a duplicate gets through (at least once). */
const DUPLICATE_WINDOW_NANOS = 3_600 * 1_000_000_000;
const FORGET_AFTER_NANOS = 30 * 86_400 * 1_000_000_000;

interface Link {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
}

export interface NatsFollower {
  readonly sweep: Sweep;
  readonly close: () => Promise<void>;
}

/**
 * Copies the published log to a JetStream stream, in order, from where it stopped: at least once, and the server drops
 * what it has seen by the event's id.
 */
export function createNatsFollower(deps: { readonly db: Database; readonly url: string }): NatsFollower {
  let link: Link | undefined;
  const connected = async (): Promise<Link> => {
    if (!link || link.connection.isClosed()) link = await openLink(deps.url);
    return link;
  };
  return {
    sweep: {
      name: 'stream_events',
      everySeconds: 1,
      run: async () => {
        for (;;) {
          const after = await findFollowerSequence(deps.db, FOLLOWER);
          const events = await listEventsAfter(deps.db, { after, limit: BATCH });
          const last = events.at(-1);
          if (!last) return;
          const { client } = await connected();
          // One after the other: an event that failed must not be overtaken by the next of its stream.
          for (const event of events) await send(client, event);
          await inOneStatement(deps.db, (tx) => setFollowerSequence(tx, FOLLOWER, last.sequence));
        }
      },
    },
    async close() {
      await link?.connection.close();
    },
  };
}

async function send(client: JetStreamClient, event: PublishedEvent): Promise<void> {
  const body = JSON.stringify(toEventBody(event));
  await client.publish(`${SUBJECT}.${event.type}`, body, { msgID: event.id });
}

/** Loaded only where NATS is used. */
async function openLink(url: string): Promise<Link> {
  const [{ connect }, { jetstream, jetstreamManager }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ]);
  const connection = await connect({ servers: url, name: 'voucher-commerce', timeout: 5_000 });
  const manager = await jetstreamManager(connection);
  const settings = {
    subjects: [`${SUBJECT}.>`],
    duplicate_window: DUPLICATE_WINDOW_NANOS,
    max_age: FORGET_AFTER_NANOS,
  };
  try {
    await manager.streams.info(STREAM);
  } catch {
    // Whoever runs the server may have made it with settings of their own; only a missing one is made here.
    await manager.streams.add({ name: STREAM, ...settings });
  }
  return { connection, client: jetstream(connection) };
}
