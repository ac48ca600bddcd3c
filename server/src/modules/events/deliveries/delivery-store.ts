import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import type { WebhookEndpointRow } from '../endpoints/endpoint-store.ts';
import type { SentWebhook } from './send-webhook.ts';

export interface DeliveryRow {
  readonly id: number;
  readonly endpoint_id: number;
  readonly event_id: string;
  readonly event_type: string;
  readonly stream: string;
  readonly sequence: number;
  readonly status: 'pending' | 'succeeded' | 'parked';
  readonly attempts: number;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

/** The next delivery of a stream with what is sent and where. */
export interface DueDelivery
  extends
    Omit<DeliveryRow, 'created_at'>,
    Pick<
      WebhookEndpointRow,
      'url' | 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_until' | 'failing_since'
    > {
  readonly data: Readonly<Record<string, unknown>>;
  readonly occurred_at: Date;
}

const findHead = statement(
  'deliveries_find_head',
  `SELECT d.*, event.data, event.occurred_at, endpoint.url, endpoint.secret_sealed, endpoint.previous_secret_sealed,
     endpoint.previous_secret_until, endpoint.failing_since
   FROM webhook_deliveries d JOIN outbox_events event ON event.id = d.event_id
   JOIN webhook_endpoints endpoint ON endpoint.id = d.endpoint_id
   WHERE d.endpoint_id = $1 AND d.stream = $2 AND d.status = 'pending' ORDER BY d.sequence LIMIT 1`,
);

export async function findFirstPending(
  reader: Reader,
  endpointId: number,
  stream: string,
): Promise<DueDelivery | undefined> {
  return (await reader.query<DueDelivery>(findHead, [endpointId, stream])).rows[0];
}

const settle = statement(
  'deliveries_settle',
  `UPDATE webhook_deliveries SET attempts = $2 + 1, status = $3, finished_at = $4
   WHERE id = $1 AND status = 'pending' AND attempts = $2`,
);

/** Guarded by the number of tries: a result that comes twice, or too late, changes nothing. */
export async function settleDelivery(
  tx: Tx,
  change: { id: number; attempts: number; status: DeliveryRow['status']; finishedAt: Date | null },
): Promise<number> {
  const { id, attempts, status, finishedAt } = change;
  return (await tx.query(settle, [id, attempts, status, finishedAt])).count;
}

const log = statement(
  'deliveries_log_attempt',
  `INSERT INTO webhook_attempts (delivery_id, url, started_at, duration_ms, response_status, response_body, error)
   SELECT $1, $2, $3, $4, $5, $6, $7 WHERE EXISTS (SELECT FROM webhook_deliveries WHERE id = $1)`,
);

export async function insertAttempt(
  tx: Tx,
  deliveryId: number,
  sent: SentWebhook & { url: string },
): Promise<void> {
  const { url, startedAt, durationMs, status, responseBody, error } = sent;
  await tx.query(log, [deliveryId, url, startedAt, durationMs, status, responseBody, error]);
}

export interface DeliveryFilter {
  readonly endpointId: number;
  readonly status: string | null;
  readonly eventType: string | null;
  readonly eventId: string | null;
}

const matching = `
  WHERE d.endpoint_id = $1 AND ($2::text IS NULL OR d.status = $2) AND ($3::text IS NULL OR d.event_type = $3)
    AND ($4::uuid IS NULL OR d.event_id = $4)`;

export interface AttemptJson {
  readonly url: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
}

export interface ListedDelivery extends DeliveryRow {
  readonly data: Readonly<Record<string, unknown>>;
  readonly occurred_at: Date;
  readonly next_attempt_at: Date | null;
  readonly log: readonly AttemptJson[];
}

/** What is next in its stream is due when the stream is; what waits behind it has no time yet. */
const listed = `
  SELECT d.*, event.data, event.occurred_at,
    CASE WHEN d.status = 'pending' AND NOT EXISTS (
      SELECT FROM webhook_deliveries earlier WHERE earlier.endpoint_id = d.endpoint_id AND earlier.stream = d.stream
        AND earlier.status = 'pending' AND earlier.sequence < d.sequence) THEN lane.due_at END AS next_attempt_at,
    coalesce((SELECT jsonb_agg(to_jsonb(a) - 'id' - 'delivery_id' ORDER BY a.id) FROM webhook_attempts a
      WHERE a.delivery_id = d.id), '[]') AS log
  FROM webhook_deliveries d JOIN outbox_events event ON event.id = d.event_id
  LEFT JOIN webhook_lanes lane ON lane.endpoint_id = d.endpoint_id AND lane.stream = d.stream`;
const list = statement('deliveries_list', `${listed} ${matching} ORDER BY d.id DESC LIMIT $5 OFFSET $6`);
const count = statement(
  'deliveries_count',
  `SELECT count(*)::int AS total FROM webhook_deliveries d ${matching}`,
);
const find = statement('deliveries_find', `${listed} WHERE d.id = $1`);

export async function listDeliveries(
  reader: Reader,
  filter: DeliveryFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ListedDelivery[]; total: number }> {
  const values = [filter.endpointId, filter.status, filter.eventType, filter.eventId];
  const [found, counted] = await Promise.all([
    reader.query<ListedDelivery>(list, [...values, limit, offset]),
    reader.query<{ total: number }>(count, values),
  ]);
  return { rows: found.rows, total: counted.rows[0]?.total ?? 0 };
}

export async function findDelivery(reader: Reader, id: number): Promise<ListedDelivery | undefined> {
  return (await reader.query<ListedDelivery>(find, [id])).rows[0];
}

const reopen = statement(
  'deliveries_reopen',
  `UPDATE webhook_deliveries SET status = 'pending', attempts = 0, finished_at = NULL WHERE id = $1
   RETURNING endpoint_id, stream`,
);

/** From the first try again, whatever became of it. */
export async function reopenDelivery(
  tx: Tx,
  id: number,
): Promise<{ endpoint_id: number; stream: string } | undefined> {
  return (await tx.query<{ endpoint_id: number; stream: string }>(reopen, [id])).rows[0];
}

export interface ReplayRange {
  readonly endpointId: number;
  readonly afterSequence: number;
  readonly from: Date | null;
  readonly to: Date | null;
  readonly limit: number;
}

const replay = statement(
  'deliveries_replay',
  `INSERT INTO webhook_deliveries (endpoint_id, event_id, event_type, stream, sequence)
   SELECT endpoint.id, event.id, event.type, event.stream, event.sequence
   FROM webhook_endpoints endpoint JOIN outbox_events event ON endpoint.events && ARRAY['*', event.type]
   WHERE endpoint.id = $1 AND event.sequence > $2 AND ($3::timestamptz IS NULL OR event.occurred_at >= $3)
     AND ($4::timestamptz IS NULL OR event.occurred_at < $4)
   ORDER BY event.sequence LIMIT $5
   ON CONFLICT (endpoint_id, event_id) DO UPDATE SET status = 'pending', attempts = 0, finished_at = NULL
   RETURNING stream, sequence`,
);

/** Makes every event of the range pending for an endpoint, those it never got included. */
export async function reopenRange(
  tx: Tx,
  range: ReplayRange,
): Promise<{ stream: string; sequence: number }[]> {
  const { endpointId, afterSequence, from, to, limit } = range;
  const values = [endpointId, afterSequence, from, to, limit];
  return (await tx.query<{ stream: string; sequence: number }>(replay, values)).rows;
}

const forget = statement(
  'deliveries_forget',
  `DELETE FROM webhook_deliveries WHERE id IN (
     SELECT id FROM webhook_deliveries WHERE status <> 'pending' AND finished_at < $1 ORDER BY finished_at LIMIT $2)`,
);

/** What ended before, with its attempts; the events themselves stay, and can be replayed. */
export async function deleteDeliveriesEndedBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  return (await tx.query(forget, [before, limit])).count;
}
