import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';

export interface AlertRow {
  readonly id: number;
  readonly type: string;
  readonly severity: string;
  readonly order_id: number | null;
}

const insert = statement(
  'alerts_insert',
  `INSERT INTO admin_alerts (type, severity, order_id, cause, message, details) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (type, cause) WHERE status = 'open' DO NOTHING
   RETURNING id, type, severity, order_id`,
);

const resolveOfOrder = statement(
  'alerts_resolve_of_order',
  `UPDATE admin_alerts SET status = 'resolved', resolved_at = now(), resolution_notes = $3
   WHERE order_id = $1 AND type = ANY ($2) AND status = 'open'
   RETURNING id, type, severity, order_id`,
);

const resolveOfCause = statement(
  'alerts_resolve_of_cause',
  `UPDATE admin_alerts SET status = 'resolved', resolved_at = now(), resolution_notes = $3
   WHERE type = $1 AND cause = $2 AND status = 'open'
   RETURNING id, type, severity, order_id`,
);

/** No row when an alert for the same cause is open already. */
export async function insertAlert(tx: Tx, values: readonly unknown[]): Promise<AlertRow | undefined> {
  return (await tx.query<AlertRow>(insert, values)).rows[0];
}

export async function resolveOpenAlerts(
  tx: Tx,
  target: { orderId: number; types: readonly string[]; notes: string },
): Promise<AlertRow[]> {
  return (await tx.query<AlertRow>(resolveOfOrder, [target.orderId, target.types, target.notes])).rows;
}

export async function resolveOpenAlertOf(
  tx: Tx,
  target: { type: string; cause: string; notes: string },
): Promise<AlertRow | undefined> {
  return (await tx.query<AlertRow>(resolveOfCause, [target.type, target.cause, target.notes])).rows[0];
}
