import type { RecordAudit } from '../../../platform/audit.ts';
import type { Database } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { findOrder, orderNotFound } from '../../orders/index.ts';
import type { Actor } from '../enter-manual-codes.ts';
import { insertNote } from './order-action-store.ts';

export interface AddNoteDeps {
  readonly db: Database;
  readonly recordAudit: RecordAudit;
}

/** @throws NOT_FOUND */
export async function addNote(
  deps: AddNoteDeps,
  note: { readonly orderId: number; readonly text: string; readonly actor: Actor },
): Promise<{ id: number; created_at: Date }> {
  const { orderId, text, actor } = note;
  return inTransaction(deps.db, async (tx) => {
    if (!(await findOrder(tx, orderId))) throw orderNotFound();
    const added = await insertNote(tx, { orderId, adminId: actor.adminId, text });
    await deps.recordAudit(tx, {
      ...actor,
      action: 'orders:note',
      resource: `order:${orderId}`,
      after: { note_id: added.id },
    });
    return added;
  });
}
