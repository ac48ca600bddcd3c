import type { Tx } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { listOrderItems, lockOrder, setItemStatuses } from '../../orders/index.ts';
import type { OrderItemRow } from '../../orders/index.ts';
import { listAssignedUnitNumbers, listAssignedVouchers } from '../../vouchers/index.ts';
import { isPartnerUsable } from '../partner-accounts/partner-store.ts';
import { findSource, listUsableSources } from '../partner-sources/source-store.ts';
import type { SourceRow } from '../partner-sources/source-store.ts';
import { composePurchase, missingUnits } from './compose-purchase.ts';
import type { Unit } from './compose-purchase.ts';
import { insertPurchases, listPurchasesOfItems } from './purchase-store.ts';
import type { PurchaseRow } from './purchase-store.ts';
import { openStatuses } from './purchase-states.ts';
import { runPurchase } from './run-purchase.ts';
import type { RunPurchaseDeps } from './run-purchase.ts';
import { nextOf, pastOf } from './start-purchases.ts';

/**
 * An operator's order to buy what an item lacks. The guards of interface part 7 are the caller's, and so are units held
 * for it: those that the caller did not give it are bought, and go back into the stock.
 */
export interface ItemPurchase {
  readonly orderId: number;
  readonly orderItemId: number;
  /** Only this source, active or not; else all active ones in order. */
  readonly partnerSourceId?: number | undefined;
  readonly adminId: number;
  /** The attempt's: its purchases carry it. */
  readonly correlationId: string;
}

export type ItemPurchaseOutcome =
  /** The item has everything it was sold; its letter is the caller's business. Nothing was bought when it had it before. */
  | {
      readonly kind: 'complete';
      readonly voucherIds: readonly number[];
      readonly transactionIds: readonly number[];
    }
  /** Some unit was not had: refused everywhere, or nobody knows yet. What was had is stored. */
  | {
      readonly kind: 'partner_failed';
      readonly errorMessage: string;
      readonly transactionIds: readonly number[];
    }
  /** An earlier purchase of the item is unclear: it is to be asked about or settled first. Nothing was called or written. */
  | { readonly kind: 'purchase_open'; readonly transactionIds: readonly number[] }
  /** Nobody sells it, or not with what the order tells. Nothing was called or written. */
  | { readonly kind: 'no_source'; readonly errorMessage: string };

/** Longer than any call: the sweep must not take what the operator's request is about to do. */
const OPERATOR_SECONDS = 180;

/**
 * Buys the units an item lacks while the operator waits, from each source in turn until one delivers, each after a
 * definite no of the one before. Never twice: a unit with an unclear purchase is not bought, whoever asks.
 *
 * The letter, the attempt and the order's status are left to the caller. An answer that comes later, by the schedule
 * of questions, is taken and finishes the order by itself.
 */
export async function purchaseForItem(
  deps: RunPurchaseDeps,
  wanted: ItemPurchase,
): Promise<ItemPurchaseOutcome> {
  const begun = await inTransaction(deps.db, (tx) => begin(tx, deps, wanted));
  if ('kind' in begun) return begun;
  await Promise.all(begun.transactionIds.map((id) => buyUnit(deps, { ...begun, wanted, transactionId: id })));
  return inTransaction(deps.db, (tx) => conclude(tx, wanted));
}

interface Begun {
  readonly item: OrderItemRow;
  readonly sources: readonly SourceRow[];
  readonly transactionIds: readonly number[];
}

async function begin(
  tx: Tx,
  deps: RunPurchaseDeps,
  wanted: ItemPurchase,
): Promise<Begun | ItemPurchaseOutcome> {
  const { item, purchases, missing } = await lockItem(tx, wanted);
  const open = purchases.filter(({ status }) => openStatuses.includes(status)).map(({ id }) => id);
  if (open.length > 0) return { kind: 'purchase_open', transactionIds: open };
  if (missing.length === 0) return conclude(tx, wanted);
  const sources = await sourcesFor(tx, item, wanted.partnerSourceId);
  const next = nextOf(sources, { item, past: [], mayWait: false });
  if (next.kind === 'exhausted') return { kind: 'no_source', errorMessage: next.reason };
  const { correlationId, adminId } = wanted;
  const from = { ...next, correlationId, adminId, afterSeconds: OPERATOR_SECONDS };
  const units = missing.map((unitNo): Unit => ({
    item,
    unitNo,
    purchasesBefore: countOf(purchases, unitNo),
  }));
  const rows = units.map((unit) => composePurchase(deps, unit, from));
  return { item, sources, transactionIds: await insertPurchases(tx, rows) };
}

const countOf = (purchases: readonly PurchaseRow[], unitNo: number): number =>
  purchases.filter((purchase) => purchase.unit_no === unitNo).length;

async function lockItem(tx: Tx, { orderId, orderItemId }: ItemPurchase) {
  const [order, items, purchases, assigned] = await Promise.all([
    lockOrder(tx, orderId),
    listOrderItems(tx, [orderId]),
    listPurchasesOfItems(tx, [orderItemId]),
    listAssignedUnitNumbers(tx, [orderItemId]),
  ]);
  const item = items.find(({ id }) => id === orderItemId);
  if (!order || !item) throw new Error(`Order ${orderId} has no item ${orderItemId}`);
  const credited = purchases.filter(({ status }) => status === 'OK');
  const missing = missingUnits(item, item.mode === 'TOPUP' ? credited : assigned);
  return { item, purchases, missing };
}

async function sourcesFor(tx: Tx, item: OrderItemRow, forced: number | undefined): Promise<SourceRow[]> {
  if (forced === undefined) return listUsableSources(tx, [item.variant_id]);
  const source = await findSource(tx, forced);
  if (source?.variant_id !== item.variant_id) return [];
  return (await isPartnerUsable(tx, source.partner_id)) ? [source] : [];
}

async function buyUnit(
  deps: RunPurchaseDeps,
  unit: Begun & { wanted: ItemPurchase; transactionId: number },
): Promise<void> {
  let transactionId: number | undefined = unit.transactionId;
  while (transactionId !== undefined) {
    const done: PurchaseRow | undefined = await runPurchase(deps, transactionId, {
      isUrgent: true,
      leavesOrderAlone: true,
    });
    if (done?.status !== 'REJECTED') return;
    transactionId = await inTransaction(deps.db, (tx) => planNext(tx, deps, { ...unit, refused: done }));
  }
}

/** The next source after a definite no, as long as the unit still lacks what it was sold. */
async function planNext(
  tx: Tx,
  deps: RunPurchaseDeps,
  { item, sources, wanted, refused }: Begun & { wanted: ItemPurchase; refused: PurchaseRow },
): Promise<number | undefined> {
  const { purchases, missing } = await lockItem(tx, wanted);
  const { unit_no: unitNo } = refused;
  const ofUnit = purchases.filter((purchase) => purchase.unit_no === unitNo);
  const isOpen = ofUnit.some(({ status }) => openStatuses.includes(status));
  if (!missing.includes(unitNo) || isOpen) return undefined;
  const next = nextOf(sources, { item, past: pastOf(ofUnit, wanted.correlationId), mayWait: false });
  if (next.kind === 'exhausted') return undefined;
  const { correlationId, adminId } = wanted;
  const from = { ...next, correlationId, adminId, afterSeconds: OPERATOR_SECONDS };
  const [id] = await insertPurchases(tx, [
    composePurchase(deps, { item, unitNo, purchasesBefore: ofUnit.length }, from),
  ]);
  return id;
}

/** An item that has everything reads PROCESSING until its owner was told. */
async function conclude(tx: Tx, wanted: ItemPurchase): Promise<ItemPurchaseOutcome> {
  const { item, purchases, missing } = await lockItem(tx, wanted);
  const own = purchases.filter((purchase) => purchase.correlation_id === wanted.correlationId);
  const transactionIds = own.map(({ id }) => id);
  if (missing.length > 0) return { kind: 'partner_failed', errorMessage: whyMissing(own), transactionIds };
  if (item.fulfillment_status === 'PENDING' || item.fulfillment_status === 'FAILED') {
    await setItemStatuses(tx, [item.id], 'PROCESSING');
  }
  const vouchers = await listAssignedVouchers(tx, [item.id]);
  return { kind: 'complete', voucherIds: vouchers.map(({ id }) => id), transactionIds };
}

function whyMissing(purchases: readonly PurchaseRow[]): string {
  const reasons = purchases
    .filter(({ status }) => status !== 'OK')
    .map(({ partner_name: partner, status, failure_reason: reason }) => {
      const isUnclear = openStatuses.includes(status);
      return `${partner ?? 'Partner'}: ${reason ?? 'no answer'}${isUnclear ? ' (unclear; it is being asked about)' : ''}`;
    });
  return [...new Set(reasons)].join('; ').slice(0, 500) || 'The item still lacks a code';
}
