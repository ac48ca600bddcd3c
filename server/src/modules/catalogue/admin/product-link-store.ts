import { statement } from '../../../platform/db/database.ts';
import type { Tx } from '../../../platform/db/database.ts';

// Locked against deletion until the end: a tag that is there now is there when the product gets it.
const listTags = statement(
  'catalogue_lock_tags',
  'SELECT id FROM tags WHERE id = ANY($1::bigint[]) ORDER BY id FOR KEY SHARE',
);

/** Those of the ids that no tag has. */
export async function listMissingTags(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(listTags, [ids]);
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}

const removeTags = statement(
  'catalogue_remove_product_tags',
  'DELETE FROM product_tags WHERE product_id = $1 AND tag_id <> ALL($2::bigint[])',
);
const addTags = statement(
  'catalogue_add_product_tags',
  'INSERT INTO product_tags (product_id, tag_id) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING',
);

export async function replaceProductTags(
  tx: Tx,
  productId: number,
  tagIds: readonly number[],
): Promise<number> {
  const removed = await tx.query(removeTags, [productId, tagIds]);
  const added = await tx.query(addTags, [productId, tagIds]);
  return removed.count + added.count;
}

const removeVariants = statement(
  'catalogue_delete_variants_of_product',
  'DELETE FROM product_variants WHERE product_id = $1',
);

/** Fails on the foreign key of whatever was sold or stocked. */
export async function deleteVariantsOfProduct(tx: Tx, productId: number): Promise<number> {
  return (await tx.query(removeVariants, [productId])).count;
}
