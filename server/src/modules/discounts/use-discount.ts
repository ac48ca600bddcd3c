import type { Tx } from '../../platform/db/database.ts';
import { findLastUse } from './candidate-store.ts';
import type { UsedCandidateRow } from './candidate-store.ts';
import { checkDiscount, firstFailure } from './discount-rules.ts';
import { ruleOf } from './discount-store.ts';
import { DiscountChangedError, discountRefused, tooManyAtOnce } from './errors.ts';
import { readCustomer } from './quote-discount.ts';
import type { DiscountQuote, HasPaidOrder } from './quote-discount.ts';
import {
  countCustomerUse,
  countUse,
  insertUncountedUse,
  insertUse,
  releaseUse,
  rollBackToSavepoint,
  savepoint,
  settleUse,
} from './use-store.ts';

/**
 * Takes the use that an order was priced with, in the order's transaction and last in it: the row of a hot code is
 * locked from here to the commit.
 *
 * @throws DiscountChangedError when the rule was edited or the use is gone since the quote: nothing may commit; quote
 * again, which says why.
 */
export async function consumeDiscount(tx: Tx, quote: DiscountQuote, orderId: number): Promise<void> {
  if (!(await takeUse(tx, { ...quote, orderId }))) throw new DiscountChangedError();
}

/** Three guarded writes in one packet; unless each of them wrote its row, the caller rolls back. */
async function takeUse(
  tx: Tx,
  use: Omit<DiscountQuote, 'shares'> & { readonly orderId: number },
): Promise<boolean> {
  const { discountId, userId, revision } = use;
  const written = await Promise.all([
    insertUse(tx, use),
    countCustomerUse(tx, { discountId, userId, limit: use.usageLimitPerUser }),
    countUse(tx, { discountId, revision }),
  ]);
  return written.every((rows) => rows === 1);
}

/** An unpaid order died: its use goes back, once. The caller holds the order's lock; call it last before the commit. */
export async function releaseDiscountUse(tx: Tx, orderId: number): Promise<void> {
  await releaseUse(tx, orderId);
}

/** Looks at what is true now before each try: an edit or another order may come between the look and the guard. */
const TRIES = 3;

/**
 * An order with a discount is about to be paid: it must hold its use, and the method must be one of the discount's.
 * A use that went back is taken again, at the price that was agreed, if a new order could have it too (decisions 4.5).
 * The caller holds the order's lock.
 *
 * @throws BAD_REQUEST with the messages of interface part 7, SERVICE_UNAVAILABLE in a rush; nothing may commit then.
 */
export async function holdDiscountUse(
  tx: Tx,
  order: { readonly orderId: number; readonly paymentMethod: string; readonly at: Date },
  hasPaidOrder: HasPaidOrder,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const last = await findLastUse(tx, order.orderId);
    if (!last) throw new Error(`Order ${order.orderId} has a discount and never used one`);
    await refuseUnlessHoldable(tx, { ...order, last }, hasPaidOrder);
    if (last.is_live || (await tryToTake(tx, order.orderId, last))) return;
    if (attempt >= TRIES) throw tooManyAtOnce();
  }
}

async function refuseUnlessHoldable(
  tx: Tx,
  facts: { paymentMethod: string; at: Date; last: UsedCandidateRow },
  hasPaidOrder: HasPaidOrder,
): Promise<void> {
  const { last } = facts;
  const checks = checkDiscount(ruleOf(last), {
    ...facts,
    code: last.shown_code,
    subtotalMinor: last.subtotal_minor,
    // Which items it covers was settled with the price.
    lines: undefined,
    isCodeTaken: last.is_code_taken,
    customer: await readCustomer({ db: tx, hasPaidOrder }, last, last.user_id),
  });
  // What is held already stays held, whatever became of the rule; the method is chosen only now.
  const open = last.is_live ? checks.filter(({ check }) => check === 'payment_method') : checks;
  const failure = firstFailure(open);
  if (failure) throw discountRefused(failure);
}

async function tryToTake(tx: Tx, orderId: number, last: UsedCandidateRow): Promise<boolean> {
  await savepoint(tx);
  if (await takeUse(tx, useOf(orderId, last))) return true;
  await rollBackToSavepoint(tx);
  return false;
}

function useOf(orderId: number, last: UsedCandidateRow) {
  return {
    orderId,
    discountId: last.id,
    revision: last.revision,
    codeId: last.code_id,
    code: last.shown_code,
    userId: last.user_id,
    subtotalMinor: last.subtotal_minor,
    discountMinor: last.discount_minor,
    isFirstOrder: last.first_order_only,
    usageLimitPerUser: last.usage_limit_per_user,
  };
}

/**
 * The money of an order came: its use is final. When it had been given back before, it is taken again if one is left,
 * and otherwise honoured all the same and recorded as over the limit: money taken is money honoured (decisions 4.6).
 * Never refuses.
 */
export async function settleDiscountUse(tx: Tx, orderId: number, at: Date): Promise<void> {
  if ((await settleUse(tx, orderId, at)) > 0) return;
  for (let attempt = 1; ; attempt += 1) {
    const last = await findLastUse(tx, orderId);
    if (!last || last.is_live) return;
    if (await tryToTake(tx, orderId, last)) {
      await settleUse(tx, orderId, at);
      return;
    }
    if (attempt < TRIES) continue;
    await insertUncountedUse(tx, useOf(orderId, last), at);
    return;
  }
}
