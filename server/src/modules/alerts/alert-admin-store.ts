import type { Reader, Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';

export interface StoredAlertRow {
  readonly id: number;
  readonly type: string;
  readonly severity: string;
  readonly status: 'open' | 'resolved';
  readonly order_id: number | null;
  readonly cause: string;
  readonly message: string;
  readonly details: Record<string, unknown>;
  readonly acknowledged_at: Date | null;
  readonly acknowledged_by: number | null;
  readonly resolution_notes: string | null;
  readonly resolved_by: number | null;
  readonly created_at: Date;
  readonly resolved_at: Date | null;
}

export interface AlertFilter {
  readonly status: string | null;
  readonly type: string | null;
  readonly severity: string | null;
  readonly orderId: number | null;
  readonly isAcknowledged: boolean | null;
  readonly search: string | null;
  readonly oldestFirst: boolean;
}

const matching = `
  FROM admin_alerts
  WHERE ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR type = $2) AND ($3::text IS NULL OR severity = $3)
    AND ($4::bigint IS NULL OR order_id = $4) AND ($5::boolean IS NULL OR (acknowledged_at IS NOT NULL) = $5)
    AND ($6::text IS NULL OR strpos(lower(message), lower($6)) > 0)`;
const newestFirst = statement(
  'alerts_list_newest',
  `SELECT * ${matching} ORDER BY id DESC LIMIT $7 OFFSET $8`,
);
const oldestFirst = statement('alerts_list_oldest', `SELECT * ${matching} ORDER BY id LIMIT $7 OFFSET $8`);
const countMatching = statement('alerts_count', `SELECT count(*)::int AS total ${matching}`);

export async function listAlerts(
  reader: Reader,
  filter: AlertFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: StoredAlertRow[]; total: number }> {
  const { status, type, severity, orderId, isAcknowledged, search } = filter;
  const values = [status, type, severity, orderId, isAcknowledged, search];
  const list = filter.oldestFirst ? oldestFirst : newestFirst;
  const [found, counted] = await Promise.all([
    reader.query<StoredAlertRow>(list, [...values, limit, offset]),
    reader.query<{ total: number }>(countMatching, values),
  ]);
  return { rows: found.rows, total: counted.rows[0]?.total ?? 0 };
}

const find = statement('alerts_find', 'SELECT * FROM admin_alerts WHERE id = $1');

export async function findAlert(reader: Reader, id: number): Promise<StoredAlertRow | undefined> {
  return (await reader.query<StoredAlertRow>(find, [id])).rows[0];
}

const setAcknowledged = statement(
  'alerts_set_acknowledged',
  `UPDATE admin_alerts SET acknowledged_at = now(), acknowledged_by = $2
   WHERE id = $1 AND status = 'open' AND acknowledged_at IS NULL RETURNING *`,
);

/** No row when it is resolved, or somebody saw it before. */
export async function markAlertAcknowledged(
  tx: Tx,
  id: number,
  adminId: number,
): Promise<StoredAlertRow | undefined> {
  return (await tx.query<StoredAlertRow>(setAcknowledged, [id, adminId])).rows[0];
}

const setResolved = statement(
  'alerts_set_resolved',
  `UPDATE admin_alerts SET status = 'resolved', resolved_at = now(), resolved_by = $2, resolution_notes = $3
   WHERE id = $1 AND status = 'open' RETURNING *`,
);

/** No row when it is resolved already. */
export async function markAlertResolved(
  tx: Tx,
  resolution: { id: number; adminId: number; notes: string },
): Promise<StoredAlertRow | undefined> {
  const { id, adminId, notes } = resolution;
  return (await tx.query<StoredAlertRow>(setResolved, [id, adminId, notes])).rows[0];
}
