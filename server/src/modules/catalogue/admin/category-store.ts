import { statement } from '../../../platform/db/database.ts';
import type { Tx } from '../../../platform/db/database.ts';

const lockTree = statement(
  'catalogue_lock_category_tree',
  `SELECT pg_advisory_xact_lock(hashtext('category tree'))`,
);

/** Until the end of the transaction nobody else hangs a category somewhere else. */
export async function lockCategoryTree(tx: Tx): Promise<void> {
  await tx.query(lockTree);
}

// UNION and not UNION ALL: should the stored tree have a circle, the walk ends.
const listAncestors = statement(
  'catalogue_list_category_ancestors',
  `WITH RECURSIVE line AS (
     SELECT id, parent_id FROM categories WHERE id = $1
     UNION SELECT c.id, c.parent_id FROM categories c JOIN line ON c.id = line.parent_id)
   SELECT id FROM line`,
);

/** The category and all above it. */
export async function listCategoryAncestors(tx: Tx, id: number): Promise<number[]> {
  return (await tx.query<{ id: number }>(listAncestors, [id])).rows.map((row) => row.id);
}
