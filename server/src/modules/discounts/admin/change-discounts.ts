import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import { inTransaction, violatedConstraint } from '../../../platform/db/database.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import { listUnknownIds } from '../../catalogue/index.ts';
import { deleteUnusedDiscount, insertDiscount, lockDiscount, updateDiscount } from '../discount-store.ts';
import type { DiscountRow, DiscountValues } from '../discount-store.ts';
import { blankDiscount, changedValues, toAudit } from './discount-wire.ts';
import type { DiscountChange } from './discount-wire.ts';
import { codeTaken, discountNotFound } from '../errors.ts';
import { countOrdersOf } from '../use-store.ts';

export interface ChangeDiscountsDeps {
  readonly db: Database;
  readonly recordAudit: RecordAudit;
}

export type Actor = AuditActor;

/** @throws VALIDATION_ERROR; CONFLICT when the code exists in any case, or in a batch. */
export async function createDiscount(
  deps: ChangeDiscountsDeps,
  given: DiscountChange & { readonly code: string },
  actor: Actor,
): Promise<DiscountRow> {
  const values = changedValues(blankDiscount({ code: given.code.trim() }), given);
  return translating(values, () =>
    inTransaction(deps.db, async (tx) => {
      await refuseUnknownIds(tx, values);
      const created = await insertDiscount(tx, values);
      await deps.recordAudit(tx, {
        ...actor,
        action: 'discounts:create',
        resource: `discount:${created.id}`,
        after: toAudit(created),
      });
      return created;
    }),
  );
}

/**
 * Holds at once everywhere: nobody keeps a discount in memory, and an order that was priced by the former rule takes
 * its use only by pricing again.
 *
 * @throws NOT_FOUND; VALIDATION_ERROR; CONFLICT for a code that exists, or a limit below the uses so far.
 */
export async function changeDiscount(
  deps: ChangeDiscountsDeps,
  wanted: { readonly id: number; readonly change: DiscountChange },
  actor: Actor,
): Promise<DiscountRow> {
  const { id, change } = wanted;
  return translating(change, () =>
    inTransaction(deps.db, async (tx) => {
      const before = await lockDiscount(tx, id);
      if (!before) throw discountNotFound();
      const values = changedValues(before, change);
      await refuseUnknownIds(tx, values);
      const after = await updateDiscount(tx, id, values);
      if (!after) throw discountNotFound();
      await deps.recordAudit(tx, {
        ...actor,
        action: 'discounts:update',
        resource: `discount:${id}`,
        before: toAudit(before),
        after: toAudit(after),
      });
      return after;
    }),
  );
}

/** @throws NOT_FOUND; CONFLICT once any order has used it: what was sold keeps its history. */
export async function deleteDiscount(deps: ChangeDiscountsDeps, id: number, actor: Actor): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    // An order that is just using it waits for this lock, finds nothing and is priced again.
    const before = await lockDiscount(tx, id);
    if (!before) throw discountNotFound();
    if ((await deleteUnusedDiscount(tx, id)) === 0) throw usedAlready(await countOrdersOf(tx, id));
    await deps.recordAudit(tx, {
      ...actor,
      action: 'discounts:delete',
      resource: `discount:${id}`,
      before: toAudit(before),
    });
  });
}

function usedAlready(orders: number): AppError {
  const message = `${orders} ${orders === 1 ? 'order has' : 'orders have'} used this discount: set is_active to false instead`;
  return new AppError('CONFLICT', message, { data: { type: 'DiscountInUse', orders } });
}

const fieldOfList = {
  variantIds: 'variant_ids',
  productIds: 'product_ids',
  brandIds: 'brand_ids',
  categoryIds: 'category_ids',
} as const;

async function refuseUnknownIds(tx: Tx, values: DiscountValues): Promise<void> {
  const { variant_ids: variantIds, product_ids: productIds, brand_ids: brandIds } = values;
  const ids = { variantIds, productIds, brandIds, categoryIds: values.category_ids };
  const [unknown] = await listUnknownIds(tx, ids);
  if (unknown) throw fieldError(fieldOfList[unknown.list], `There is none with the id ${unknown.id}`);
}

/** Constraints decide what two operators at once may do; here they become answers. */
async function translating<Value>(
  { code = '', usage_limit: limit }: Pick<DiscountChange, 'code' | 'usage_limit'>,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'discount_codes__code') throw codeTaken(code.trim());
    if (constraint === 'discounts__uses_within_limit')
      throw new AppError('CONFLICT', `There are more than ${limit} live uses already`);
    throw error;
  }
}
