import type { RecordAudit } from '../../../platform/audit.ts';
import type { Database } from '../../../platform/db/database.ts';
import { inTransaction, violatedConstraint } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { lockOrder, orderNotFound } from '../../orders/index.ts';
import type { Actor } from '../enter-manual-codes.ts';
import { clearAssignee, findAssignee, setAssignee } from './order-action-store.ts';

export interface AssignOrderDeps {
  readonly db: Database;
  readonly recordAudit: RecordAudit;
}

export interface Assignment {
  readonly orderId: number;
  /** Who takes care of it; null for nobody. */
  readonly adminId: number | null;
  /** Whom the operator believes has it; when left out, whoever has it loses it. */
  readonly expected?: number | null | undefined;
  readonly actor: Actor;
}

/**
 * @throws NOT_FOUND for the order or the operator; CONFLICT when somebody else took it meanwhile.
 */
export async function assignOrder(deps: AssignOrderDeps, assignment: Assignment): Promise<void> {
  const { orderId, adminId, expected, actor } = assignment;
  try {
    await inTransaction(deps.db, async (tx) => {
      if (!(await lockOrder(tx, orderId))) throw orderNotFound();
      const before = await findAssignee(tx, orderId);
      if (expected !== undefined && expected !== before) {
        throw new AppError('CONFLICT', 'Another operator took this order meanwhile', {
          data: { type: 'AssignedMeanwhile', adminId: before },
        });
      }
      if (adminId === null) await clearAssignee(tx, orderId);
      else await setAssignee(tx, { orderId, adminId, assignedBy: actor.adminId });
      await deps.recordAudit(tx, {
        ...actor,
        action: 'orders:assign',
        resource: `order:${orderId}`,
        before: { admin_id: before },
        after: { admin_id: adminId },
      });
    });
  } catch (error) {
    if (violatedConstraint(error) !== 'order_assignments_admin_id_fkey') throw error;
    throw new AppError('NOT_FOUND', `There is no operator ${adminId}`, { cause: error });
  }
}
