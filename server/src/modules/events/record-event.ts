import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';
import type { EventFields, EventType } from './event-catalogue.ts';

interface EventOf<Type extends EventType> {
  readonly type: Type;
  /** Events of one stream stay in order: `order:17`. Hold the lock of what it names when you record one. */
  readonly stream: string;
  /** Ids, statuses and amounts. Never a voucher code, pin, password, OTP or token. */
  readonly data: EventFields<Type>;
}

export type NewEvent = { [Type in EventType]: EventOf<Type> }[EventType];

const insertEvents = statement(
  'events_insert',
  `INSERT INTO outbox_events (id, type, stream, data)
   SELECT gen_random_uuid(), event ->> 'type', event ->> 'stream', event -> 'data'
   FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS given(event, n)
   ORDER BY n`,
);

/** Records facts in the transaction that makes them true: they exist exactly when it commits. */
export async function recordEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length > 0) await tx.query(insertEvents, [JSON.stringify(events)]);
}
