import { Type } from 'typebox';
import type { Static } from 'typebox';

import { AppError, errorCatalogue, fieldError } from '../../../platform/errors.ts';
import type { ErrorCode } from '../../../platform/errors.ts';

/** What became of each row, in the order sent. */
export const bulkResultSchema = Type.Object({
  changed: Type.Integer(),
  failed: Type.Integer(),
  results: Type.Array(
    Type.Object({
      id: Type.Integer(),
      outcome: Type.Enum(['changed', 'scheduled', 'withdrawn', 'failed']),
      errorCode: Type.Optional(Type.String()),
      message: Type.Optional(Type.String()),
    }),
  ),
});
export type BulkResult = Static<typeof bulkResultSchema>;

/**
 * Does it row by row; one that fails keeps none of the others back.
 * @param where the field of the body that names the ids.
 * @throws VALIDATION_ERROR when an id is there twice: the second would undo the first.
 */
export async function doForEach<Item extends { readonly id: number }>(
  items: readonly Item[],
  where: 'ids' | 'items',
  change: (item: Item) => Promise<'changed' | 'scheduled' | 'withdrawn'>,
): Promise<BulkResult> {
  const ids = items.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw fieldError(where, `The id ${twice} is there twice`);
  const results: BulkResult['results'] = [];
  for (const item of items) {
    try {
      results.push({ id: item.id, outcome: await change(item) });
    } catch (error) {
      if (!(error instanceof AppError) || isOurFault(error.code)) throw error;
      results.push({ id: item.id, outcome: 'failed', errorCode: error.code, message: error.message });
    }
  }
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  return { changed: results.length - failed, failed, results };
}

const isOurFault = (code: ErrorCode): boolean => errorCatalogue[code].status >= 500;
