import type { Tx } from '../../../platform/db/database.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import type { Random } from '../../../platform/random.ts';
import type { Clock } from '../../../platform/time.ts';
import type { OrderItemRow } from '../../orders/index.ts';
import { listAssignedUnitNumbers } from '../../vouchers/index.ts';
import { listUsableSources } from '../partner-sources/source-store.ts';
import type { SourceRow } from '../partner-sources/source-store.ts';
import { composePurchase, missingUnits } from './compose-purchase.ts';
import type { Effort, Unit } from './compose-purchase.ts';
import { purchaseJobKey, runPurchaseJob } from './jobs.ts';
import { chooseNextPurchase } from './purchase-rules.ts';
import type { NextPurchase, PastPurchase } from './purchase-rules.ts';
import { insertPurchases, listPurchasesOfItems } from './purchase-store.ts';
import type { NewPurchase, PurchaseRow } from './purchase-store.ts';

export interface StartPurchasesDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Begins to buy what items lack: one intent for each missing unit at its best source, and its job. In the transaction
 * that found it missing, under the order's lock.
 *
 * @returns items that cannot be bought anywhere, with the reason.
 */
export async function startPurchases(
  tx: Tx,
  deps: StartPurchasesDeps,
  items: readonly OrderItemRow[],
): Promise<Map<number, string>> {
  const ids = items.map(({ id }) => id);
  const [sources, assigned] = await Promise.all([
    listUsableSources(
      tx,
      items.map((item) => item.variant_id),
    ),
    listAssignedUnitNumbers(tx, ids),
  ]);
  const failures = new Map<number, string>();
  const purchases: NewPurchase[] = [];
  for (const item of items) {
    const own = sources.filter((source) => source.variant_id === item.variant_id);
    const next = nextOf(own, { item, past: [], mayWait: true });
    if (next.kind === 'exhausted') {
      failures.set(item.id, next.reason);
      continue;
    }
    const effort: Effort = { correlationId: deps.random.uuid(), adminId: null };
    for (const unitNo of missingUnits(item, assigned)) {
      purchases.push(composePurchase(deps, { item, unitNo, purchasesBefore: 0 }, { ...effort, ...next }));
    }
  }
  await enqueuePurchases(tx, await insertPurchases(tx, purchases));
  return failures;
}

/**
 * Buys a unit that its last source refused from the next one, or from the same again after a while.
 *
 * @returns why it cannot be bought any more; nothing when the next purchase is on its way.
 */
export async function buyElsewhere(
  tx: Tx,
  deps: StartPurchasesDeps,
  { refused, item }: { refused: PurchaseRow; item: OrderItemRow },
): Promise<string | undefined> {
  const [sources, purchases] = await Promise.all([
    listUsableSources(tx, [item.variant_id]),
    listPurchasesOfItems(tx, [item.id]),
  ]);
  const ofUnit = purchases.filter((purchase) => purchase.unit_no === refused.unit_no);
  const past = pastOf(ofUnit, refused.correlation_id);
  const next = nextOf(sources, { item, past, mayWait: true });
  if (next.kind === 'exhausted') return next.reason;
  const unit: Unit = { item, unitNo: refused.unit_no, purchasesBefore: ofUnit.length };
  const effort: Effort = { correlationId: refused.correlation_id, adminId: null };
  const ids = await insertPurchases(tx, [composePurchase(deps, unit, { ...effort, ...next })]);
  // One that has to wait is found by the sweep when its time has come.
  if (next.afterSeconds === 0) await enqueuePurchases(tx, ids);
  return undefined;
}

/** The noes of one effort about one unit, oldest first. */
export function pastOf(purchases: readonly PurchaseRow[], correlationId: string): PastPurchase[] {
  return purchases
    .filter((purchase) => purchase.correlation_id === correlationId && purchase.status === 'REJECTED')
    .map((purchase) => ({
      sourceId: purchase.source_id ?? 0,
      partnerName: purchase.partner_name ?? 'no partner',
      round: purchase.round,
      isTransient: purchase.is_transient,
      retryAfterSeconds: purchase.retry_after_seconds,
      reason: purchase.failure_reason ?? 'refused',
    }));
}

type NextFrom =
  | Extract<NextPurchase, { kind: 'exhausted' }>
  | (Extract<NextPurchase, { kind: 'buy' }> & { readonly source: SourceRow });

/** The rule's choice, with the source it chose. */
export function nextOf(
  sources: readonly SourceRow[],
  about: { item: OrderItemRow; past: readonly PastPurchase[]; mayWait: boolean },
): NextFrom {
  const { item, past, mayWait } = about;
  const ranked = sources.map((source) => ({ id: source.id, requiredFields: source.required_fields }));
  const next = chooseNextPurchase({ sources: ranked, input: item.fulfillment_input, past, mayWait });
  if (next.kind === 'exhausted') return next;
  const source = sources.find(({ id }) => id === next.sourceId);
  if (!source) throw new Error(`The rule chose source ${next.sourceId}, which is not offered`);
  return { ...next, source };
}

async function enqueuePurchases(tx: Tx, ids: readonly number[]): Promise<void> {
  await Promise.all(
    ids.map((transactionId) =>
      enqueue(tx, runPurchaseJob.of({ transactionId }), { key: purchaseJobKey(transactionId) }),
    ),
  );
}
