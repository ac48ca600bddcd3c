import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

const findDue = statement(
  'catalogue_find_due',
  `SELECT 1 WHERE EXISTS (SELECT FROM scheduled_prices WHERE effective_at <= $1)
     OR EXISTS (SELECT FROM products WHERE status = 'draft' AND publish_at <= $1)
     OR EXISTS (SELECT FROM products WHERE status = 'active' AND unpublish_at <= $1)`,
);

/** 1 when a price or a product waits for a moment that has come, else 0. */
export async function countDue(reader: Reader, now: Date): Promise<number> {
  return (await reader.query(findDue, [now])).count;
}

const publishDue = statement(
  'catalogue_publish_due',
  `UPDATE products SET status = 'active', publish_at = NULL WHERE status = 'draft' AND publish_at <= $1`,
);
const unpublishDue = statement(
  'catalogue_unpublish_due',
  `UPDATE products SET status = 'archived', unpublish_at = NULL WHERE status = 'active' AND unpublish_at <= $1`,
);

/** Drafts whose moment has come go on sale. */
export async function publishDueProducts(tx: Tx, now: Date): Promise<number> {
  return (await tx.query(publishDue, [now])).count;
}

/** Active products whose moment has come are archived. */
export async function unpublishDueProducts(tx: Tx, now: Date): Promise<number> {
  return (await tx.query(unpublishDue, [now])).count;
}
