import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface WebhookEndpointRow {
  readonly id: number;
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  readonly status: 'active' | 'disabled';
  readonly disabled_reason: 'operator' | 'gone' | 'failing' | null;
  readonly secret_sealed: Buffer;
  readonly previous_secret_sealed: Buffer | null;
  readonly previous_secret_until: Date | null;
  readonly failing_since: Date | null;
  readonly created_by: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface EndpointHealth {
  readonly pending: number;
  readonly succeeded: number;
  readonly parked: number;
  readonly last_delivered_at: Date | null;
}

const nextId = statement(
  'webhooks_next_id',
  `SELECT nextval(pg_get_serial_sequence('webhook_endpoints', 'id')) AS id`,
);

/** The id before the row: the secret is sealed for the place where it stands. */
export async function takeEndpointId(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(nextId);
  if (!rows[0]) throw new Error('nextval gave no row');
  return rows[0].id;
}

const insert = statement(
  'webhooks_insert',
  `INSERT INTO webhook_endpoints (id, url, description, events, secret_sealed, created_by)
   OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6) RETURNING *`,
);

export async function insertEndpoint(
  tx: Tx,
  endpoint: Pick<
    WebhookEndpointRow,
    'id' | 'url' | 'description' | 'events' | 'secret_sealed' | 'created_by'
  >,
): Promise<WebhookEndpointRow> {
  const { id, url, description, events, secret_sealed: secret, created_by: adminId } = endpoint;
  const { rows } = await tx.query<WebhookEndpointRow>(insert, [
    id,
    url,
    description,
    events,
    secret,
    adminId,
  ]);
  if (!rows[0]) throw new Error('INSERT … RETURNING gave no row');
  return rows[0];
}

const find = statement('webhooks_find', 'SELECT * FROM webhook_endpoints WHERE id = $1');
const lock = statement('webhooks_lock', 'SELECT * FROM webhook_endpoints WHERE id = $1 FOR NO KEY UPDATE');

export async function findEndpoint(reader: Reader, id: number): Promise<WebhookEndpointRow | undefined> {
  return (await reader.query<WebhookEndpointRow>(find, [id])).rows[0];
}

export async function lockEndpoint(tx: Tx, id: number): Promise<WebhookEndpointRow | undefined> {
  return (await tx.query<WebhookEndpointRow>(lock, [id])).rows[0];
}

const list = statement('webhooks_list', 'SELECT * FROM webhook_endpoints ORDER BY id LIMIT $1 OFFSET $2');
const count = statement('webhooks_count', 'SELECT count(*)::int AS total FROM webhook_endpoints');

export async function listEndpoints(
  reader: Reader,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: WebhookEndpointRow[]; total: number }> {
  const [found, counted] = await Promise.all([
    reader.query<WebhookEndpointRow>(list, [limit, offset]),
    reader.query<{ total: number }>(count),
  ]);
  return { rows: found.rows, total: counted.rows[0]?.total ?? 0 };
}

const health = statement(
  'webhooks_health',
  `SELECT count(*) FILTER (WHERE status = 'pending')::int AS pending,
     count(*) FILTER (WHERE status = 'succeeded')::int AS succeeded,
     count(*) FILTER (WHERE status = 'parked')::int AS parked,
     max(finished_at) FILTER (WHERE status = 'succeeded') AS last_delivered_at
   FROM webhook_deliveries WHERE endpoint_id = $1`,
);

export async function readEndpointHealth(reader: Reader, id: number): Promise<EndpointHealth> {
  const { rows } = await reader.query<EndpointHealth>(health, [id]);
  return rows[0] ?? { pending: 0, succeeded: 0, parked: 0, last_delivered_at: null };
}

const update = statement(
  'webhooks_update',
  `UPDATE webhook_endpoints SET url = $2, description = $3, events = $4, status = $5, disabled_reason = $6,
     failing_since = CASE WHEN status = 'disabled' AND $5 = 'active' THEN NULL ELSE failing_since END
   WHERE id = $1 RETURNING *`,
);

/** One that is active again starts with a clean record. */
export async function updateEndpointRow(
  tx: Tx,
  endpoint: Pick<WebhookEndpointRow, 'id' | 'url' | 'description' | 'events' | 'status' | 'disabled_reason'>,
): Promise<WebhookEndpointRow | undefined> {
  const { id, url, description, events, status, disabled_reason: reason } = endpoint;
  const { rows } = await tx.query<WebhookEndpointRow>(update, [id, url, description, events, status, reason]);
  return rows[0];
}

const remove = statement('webhooks_delete', 'DELETE FROM webhook_endpoints WHERE id = $1');

/** Its deliveries and their attempts go with it. */
export async function deleteEndpointRow(tx: Tx, id: number): Promise<number> {
  return (await tx.query(remove, [id])).count;
}

const rotate = statement(
  'webhooks_rotate',
  `UPDATE webhook_endpoints SET previous_secret_sealed = secret_sealed, previous_secret_until = $3, secret_sealed = $2
   WHERE id = $1 RETURNING *`,
);

export async function rotateEndpointSecret(
  tx: Tx,
  { id, sealed, previousUntil }: { id: number; sealed: Buffer; previousUntil: Date },
): Promise<WebhookEndpointRow | undefined> {
  return (await tx.query<WebhookEndpointRow>(rotate, [id, sealed, previousUntil])).rows[0];
}

const disable = statement(
  'webhooks_disable',
  `UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = $2 WHERE id = $1 AND status = 'active'`,
);

/** @returns 0 when it was disabled before. */
export async function disableEndpoint(tx: Tx, id: number, reason: 'gone' | 'failing'): Promise<number> {
  return (await tx.query(disable, [id, reason])).count;
}

const markFailing = statement(
  'webhooks_mark_failing',
  'UPDATE webhook_endpoints SET failing_since = $2 WHERE id = $1 AND failing_since IS NULL',
);
const markReached = statement(
  'webhooks_mark_reached',
  'UPDATE webhook_endpoints SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL',
);

/** Since when nothing gets through: the first failure counts, a success ends it. */
export async function markEndpointFailing(tx: Tx, id: number, since: Date | null): Promise<void> {
  await (since ? tx.query(markFailing, [id, since]) : tx.query(markReached, [id]));
}
