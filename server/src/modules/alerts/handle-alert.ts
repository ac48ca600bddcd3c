import type { AuditActor, RecordAudit } from '../../platform/audit.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { recordEvents } from '../events/index.ts';
import { findAlert, markAlertAcknowledged, markAlertResolved } from './alert-admin-store.ts';
import type { StoredAlertRow } from './alert-admin-store.ts';

export interface HandleAlertDeps {
  readonly db: Database;
  readonly recordAudit: RecordAudit;
}

/**
 * An operator has seen an alert. It stays open; a second operator finds it seen.
 *
 * @throws NOT_FOUND; CONFLICT when it is resolved.
 */
export async function acknowledgeAlert(
  deps: HandleAlertDeps,
  { id, actor }: { readonly id: number; readonly actor: AuditActor },
): Promise<StoredAlertRow> {
  return inTransaction(deps.db, async (tx) => {
    const changed = await markAlertAcknowledged(tx, id, actor.adminId);
    if (!changed) return getOpenAlert(tx, id);
    await deps.recordAudit(tx, { ...actor, action: 'alerts:acknowledge', resource: `alert:${id}` });
    return changed;
  });
}

/**
 * An operator has dealt with an alert and says how.
 *
 * @throws NOT_FOUND; CONFLICT when it is resolved already.
 */
export async function resolveAlert(
  deps: HandleAlertDeps,
  { id, notes, actor }: { readonly id: number; readonly notes: string; readonly actor: AuditActor },
): Promise<StoredAlertRow> {
  return inTransaction(deps.db, async (tx) => {
    const resolved = await markAlertResolved(tx, { id, adminId: actor.adminId, notes });
    if (!resolved) return getOpenAlert(tx, id);
    const { type, cause, order_id: orderId } = resolved;
    const data = { alert_id: id, alert_type: type, order_id: orderId };
    await recordEvents(tx, [{ type: 'alert.resolved', stream: cause, data }]);
    await deps.recordAudit(tx, {
      ...actor,
      action: 'alerts:resolve',
      resource: `alert:${id}`,
      before: { status: 'open' },
      after: { status: 'resolved', resolution_notes: notes },
    });
    return resolved;
  });
}

async function getOpenAlert(tx: Tx, id: number): Promise<StoredAlertRow> {
  const alert = await findAlert(tx, id);
  if (!alert) throw new AppError('NOT_FOUND', `There is no alert ${id}`);
  if (alert.status === 'resolved') throw new AppError('CONFLICT', `Alert ${id} is resolved already`);
  return alert;
}
