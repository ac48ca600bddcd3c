import type { Tx } from '../../platform/db/database.ts';
import { recordEvents } from '../events/index.ts';
import { insertAlert, resolveOpenAlertOf, resolveOpenAlerts } from './alert-store.ts';

/** Types of decisions 6.7, with how bad each is. */
export const alertSeverities = {
  fulfillment_failed: 'critical',
  fulfillment_partial: 'critical',
  payment_verification_unavailable: 'warning',
  payment_mismatch: 'critical',
  duplicate_payment: 'critical',
  low_stock: 'warning',
  partner_balance_low: 'warning',
  partner_result_late: 'warning',
  sms_abuse: 'critical',
  webhook_disabled: 'warning',
} as const;

export type AlertType = keyof typeof alertSeverities;

export interface NewAlert {
  readonly type: AlertType;
  readonly orderId: number | null;
  /** What it is about, `order:17` or `payment:9`: while one is open, the same cause opens no second. */
  readonly cause: string;
  /** For the operator: what happened and what to do. */
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Opens an alert, unless one is open for the same cause. */
export async function openAlert(tx: Tx, alert: NewAlert): Promise<void> {
  await openNewAlert(tx, alert);
}

/** The same, for those who have more to do when it is new. @returns whether it is. */
export async function openNewAlert(tx: Tx, alert: NewAlert): Promise<boolean> {
  const severity = alertSeverities[alert.type];
  const details = JSON.stringify(alert.details ?? {});
  const row = await insertAlert(tx, [
    alert.type,
    severity,
    alert.orderId,
    alert.cause,
    alert.message,
    details,
  ]);
  if (!row) return false;
  const data = { alert_id: row.id, alert_type: alert.type, severity, order_id: alert.orderId };
  await recordEvents(tx, [{ type: 'alert.opened', stream: alert.cause, data }]);
  return true;
}

/** Resolves the open alerts of these types on an order; the notes say what resolved them. */
export async function resolveAlertsOfOrder(
  tx: Tx,
  target: { orderId: number; types: readonly AlertType[]; notes: string },
): Promise<void> {
  const rows = await resolveOpenAlerts(tx, target);
  await recordEvents(
    tx,
    rows.map((row) => ({
      type: 'alert.resolved' as const,
      stream: `order:${target.orderId}`,
      data: { alert_id: row.id, alert_type: row.type, order_id: row.order_id },
    })),
  );
}

/** What caused an alert is over: resolves the open one of this type, if there is one. */
export async function resolveAlertsOfCause(
  tx: Tx,
  target: { type: AlertType; cause: string; notes: string },
): Promise<void> {
  const row = await resolveOpenAlertOf(tx, target);
  if (!row) return;
  const data = { alert_id: row.id, alert_type: row.type, order_id: row.order_id };
  await recordEvents(tx, [{ type: 'alert.resolved', stream: target.cause, data }]);
}
