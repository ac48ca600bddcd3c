import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import type { RecordedEvent } from '../event-body.ts';

export interface PublishedEvent extends RecordedEvent {
  readonly sequence: number;
  readonly stream: string;
}

const lockHead = statement('events_lock_head', 'SELECT last FROM event_log_head FOR UPDATE');

/** Until the transaction ends, no other publisher gives sequences. */
export async function lockEventLogHead(tx: Tx): Promise<void> {
  await tx.query(lockHead);
}

/**
 * Under the head's lock, and in a statement of its own, so that its snapshot is newer than the lock. It sees every
 * committed row, whatever its position; a row that commits later gets a later sequence, so nobody who follows the
 * sequence can pass it. Within a stream it keeps the order: who records the second fact held the lock of what the stream
 * names, so the first was committed, seen here, and has the lower position.
 *
 * Lanes are written last: a lane's lock is what keeps "nothing is pending here" true until the lane is gone.
 */
const publish = statement(
  'events_publish',
  `WITH unpublished AS MATERIALIZED (
     SELECT id, position FROM outbox_events WHERE sequence IS NULL ORDER BY position LIMIT $1
   ), numbered AS MATERIALIZED (
     SELECT id, row_number() OVER (ORDER BY position) AS n FROM unpublished
   ), published AS (
     UPDATE outbox_events event SET sequence = head.last + numbered.n
     FROM numbered, event_log_head head WHERE event.id = numbered.id
     RETURNING event.id, event.type, event.stream, event.sequence
   ), moved AS (
     UPDATE event_log_head SET last = last + (SELECT count(*) FROM numbered)
   ), delivery AS (
     INSERT INTO webhook_deliveries (endpoint_id, event_id, event_type, stream, sequence)
     SELECT endpoint.id, published.id, published.type, published.stream, published.sequence
     FROM published JOIN webhook_endpoints endpoint
       ON endpoint.status = 'active' AND endpoint.events && ARRAY['*', published.type]
     ORDER BY published.sequence
     RETURNING endpoint_id, stream
   ), lane AS (
     INSERT INTO webhook_lanes (endpoint_id, stream, due_at)
     SELECT DISTINCT endpoint_id, stream, $2::timestamptz FROM delivery ORDER BY 1, 2
     ON CONFLICT (endpoint_id, stream) DO UPDATE SET stream = EXCLUDED.stream
   )
   SELECT count(*)::int AS published FROM numbered`,
);

/** @returns how many events got their sequence, at most `limit`. */
export async function publishNextEvents(tx: Tx, { limit, at }: { limit: number; at: Date }): Promise<number> {
  return (await tx.query<{ published: number }>(publish, [limit, at])).rows[0]?.published ?? 0;
}

const listAfter = statement(
  'events_list_after',
  `SELECT id, type, stream, sequence, data, occurred_at FROM outbox_events
   WHERE sequence > $1 AND ($3::text[] IS NULL OR type = ANY($3)) ORDER BY sequence LIMIT $2`,
);

/** The published log after a place in it. Without a gap: sequences become visible in order. */
export async function listEventsAfter(
  reader: Reader,
  { after, limit, types = null }: { after: number; limit: number; types?: readonly string[] | null },
): Promise<PublishedEvent[]> {
  return (await reader.query<PublishedEvent>(listAfter, [after, limit, types])).rows;
}

const readHead = statement('events_read_head', 'SELECT last FROM event_log_head');

export async function findLastSequence(reader: Reader): Promise<number> {
  return (await reader.query<{ last: number }>(readHead)).rows[0]?.last ?? 0;
}

const readFollower = statement(
  'events_read_follower',
  'SELECT sequence FROM event_followers WHERE name = $1',
);
const moveFollower = statement(
  'events_move_follower',
  `INSERT INTO event_followers (name, sequence) VALUES ($1, $2)
   ON CONFLICT (name) DO UPDATE SET sequence = greatest(event_followers.sequence, EXCLUDED.sequence)`,
);

export async function findFollowerSequence(reader: Reader, name: string): Promise<number> {
  return (await reader.query<{ sequence: number }>(readFollower, [name])).rows[0]?.sequence ?? 0;
}

/** Never backwards. */
export async function setFollowerSequence(tx: Tx, name: string, sequence: number): Promise<void> {
  await tx.query(moveFollower, [name, sequence]);
}
