import type { Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

const addNote = statement(
  'recovery_add_note',
  'INSERT INTO order_notes (order_id, admin_id, text) VALUES ($1, $2, $3) RETURNING id, created_at',
);

export interface NewNote {
  readonly orderId: number;
  readonly adminId: number;
  readonly text: string;
}

export async function insertNote(tx: Tx, note: NewNote): Promise<{ id: number; created_at: Date }> {
  const { rows } = await tx.query<{ id: number; created_at: Date }>(addNote, [
    note.orderId,
    note.adminId,
    note.text,
  ]);
  if (!rows[0]) throw new Error('INSERT … RETURNING gave no row');
  return rows[0];
}

const lockAssignment = statement(
  'recovery_find_assignment',
  'SELECT admin_id FROM order_assignments WHERE order_id = $1',
);

/** Under the order's lock. @returns the operator who has the order, if any. */
export async function findAssignee(tx: Tx, orderId: number): Promise<number | null> {
  return (await tx.query<{ admin_id: number }>(lockAssignment, [orderId])).rows[0]?.admin_id ?? null;
}

const assign = statement(
  'recovery_assign',
  `INSERT INTO order_assignments (order_id, admin_id, assigned_by) VALUES ($1, $2, $3)
   ON CONFLICT (order_id) DO UPDATE
     SET admin_id = EXCLUDED.admin_id, assigned_by = EXCLUDED.assigned_by, assigned_at = now()`,
);

export async function setAssignee(
  tx: Tx,
  assignment: { orderId: number; adminId: number; assignedBy: number },
): Promise<void> {
  await tx.query(assign, [assignment.orderId, assignment.adminId, assignment.assignedBy]);
}

const unassign = statement('recovery_unassign', 'DELETE FROM order_assignments WHERE order_id = $1');

export async function clearAssignee(tx: Tx, orderId: number): Promise<void> {
  await tx.query(unassign, [orderId]);
}
