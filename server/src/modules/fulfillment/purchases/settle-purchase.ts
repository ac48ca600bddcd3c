import type { Tx } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { secondsAfter } from '../../../platform/time.ts';
import { listOrderItems, lockOrder } from '../../orders/index.ts';
import type { OrderItemRow, OrderRow } from '../../orders/index.ts';
import { concludeOrder, failItems } from '../conclude-order.ts';
import type { ConcludeOrderDeps } from '../conclude-order.ts';
import type { Partner, QueryResult } from '../partners/partner.ts';
import { judgeResult } from './purchase-rules.ts';
import type { Judgement } from './purchase-rules.ts';
import {
  applyPurchaseFact,
  findPurchase,
  lockPurchase,
  markPurchaseSent,
  reschedulePurchase,
} from './purchase-store.ts';
import type { PurchaseChange, PurchaseRow } from './purchase-store.ts';
import { buyElsewhere } from './start-purchases.ts';
import { isUnitServed, takeDelivery } from './take-delivery.ts';

export interface SettlePurchaseDeps extends ConcludeOrderDeps {
  readonly box: SecretBox;
}

/** Beyond a call's own time-out, before it is taken for dead. */
export const LEASE_MARGIN_SECONDS = 10;

export interface Answered {
  readonly transactionId: number;
  readonly result: QueryResult;
  readonly partner: Pick<Partner, 'query' | 'isRepeatable' | 'notFoundIsFinalAfterSeconds' | 'timeoutMs'>;
  /** Whoever asked carries the order on: nothing is sent and nobody is alerted. */
  readonly leavesOrderAlone?: boolean;
}

export interface Settled {
  readonly purchase: PurchaseRow;
  /** The same reference is to be sent again, by the caller, now. */
  readonly sendAgain: boolean;
}

/**
 * Applies what a partner answered about a purchase, in the caller's transaction, under the order's lock: the code is
 * stored and the purchase marked in one. Safe to run twice and in any order: what is done stays done, and a delivery
 * is taken whatever the purchase was held for meanwhile.
 */
export async function settlePurchase(tx: Tx, deps: SettlePurchaseDeps, answered: Answered): Promise<Settled> {
  const facts = await lockPurchaseFacts(tx, answered.transactionId);
  const { purchase } = facts;
  if (purchase.status === 'OK' || purchase.status === 'LATE') return { purchase, sendAgain: false };
  const judgement = judgeResult(answered.result, askedNow(deps, purchase, answered.partner));
  if (judgement.kind === 'repeat') return sendAgain(tx, deps, { purchase, partner: answered.partner });
  const { result } = answered;
  const told = {
    response: result.details,
    partnerTransactionId: 'partnerTransactionId' in result ? result.partnerTransactionId : null,
  };
  await applyJudgement(tx, deps, {
    ...facts,
    judgement,
    told,
    leavesOrderAlone: answered.leavesOrderAlone ?? false,
  });
  return { purchase: (await findPurchase(tx, purchase.id)) ?? purchase, sendAgain: false };
}

export interface PurchaseFacts {
  readonly purchase: PurchaseRow;
  readonly order: OrderRow;
  readonly item: OrderItemRow;
}

/** The order is locked first, then the purchase: whoever changes either waits here. */
export async function lockPurchaseFacts(tx: Tx, transactionId: number): Promise<PurchaseFacts> {
  const known = await findPurchase(tx, transactionId);
  if (!known) throw new Error(`There is no purchase ${transactionId}`);
  const [order, purchase, items] = await Promise.all([
    lockOrder(tx, known.order_id),
    lockPurchase(tx, transactionId),
    listOrderItems(tx, [known.order_id]),
  ]);
  const item = items.find(({ id }) => id === known.order_item_id);
  if (!order || !purchase || !item) throw new Error(`Purchase ${transactionId} has no order`);
  return { purchase, order, item };
}

function askedNow(deps: SettlePurchaseDeps, purchase: PurchaseRow, partner: Answered['partner']) {
  const now = deps.clock.now().getTime();
  const since = (moment: Date | null): number => Math.max(0, (now - (moment?.getTime() ?? now)) / 1000);
  return {
    status: purchase.status,
    mode: purchase.mode,
    secondsSinceFirstCall: since(purchase.first_sent_at),
    secondsSinceLastCall: since(purchase.last_sent_at),
    questions: purchase.query_step,
    canQuery: partner.query !== undefined,
    isRepeatable: partner.isRepeatable,
    notFoundIsFinalAfterSeconds: partner.notFoundIsFinalAfterSeconds,
  };
}

async function sendAgain(
  tx: Tx,
  deps: SettlePurchaseDeps,
  { purchase, partner }: { purchase: PurchaseRow; partner: Answered['partner'] },
): Promise<Settled> {
  const at = deps.clock.now();
  const leaseUntil = secondsAfter(at, partner.timeoutMs / 1000 + LEASE_MARGIN_SECONDS);
  const sent = await markPurchaseSent(tx, { id: purchase.id, at, leaseUntil });
  return { purchase, sendAgain: sent };
}

export interface Judged extends PurchaseFacts {
  readonly judgement: Exclude<Judgement, { kind: 'repeat' }>;
  /** What the partner told besides. */
  readonly told: Pick<PurchaseChange, 'response' | 'partnerTransactionId' | 'resolvedBy' | 'resolutionNotes'>;
  readonly leavesOrderAlone: boolean;
}

/** What a judgement does to the purchase, its item and its order. */
export async function applyJudgement(tx: Tx, deps: SettlePurchaseDeps, judged: Judged): Promise<void> {
  const { judgement } = judged;
  switch (judgement.kind) {
    case 'done': {
      const problem = await takeDelivery(tx, deps, { ...judged, codes: judgement.codes });
      if (problem === undefined) return conclude(tx, deps, judged);
      const disputed = { kind: 'disputed', reason: problem, askAgainAfterSeconds: null } as const;
      return applyJudgement(tx, deps, { ...judged, judgement: disputed });
    }
    case 'refused':
      return settleRefused(tx, deps, { ...judged, judgement });
    case 'disputed':
      return settleUnclear(tx, deps, { ...judged, fact: 'disputed', to: 'DISPUTED', needsAttention: true });
    case 'unanswered': {
      const { needsAttention } = judgement;
      return settleUnclear(tx, deps, { ...judged, fact: 'unanswered', to: 'UNKNOWN', needsAttention });
    }
  }
}

/** Neither a code nor a no. What was declared dead stays so; everything else goes on being asked about. */
async function settleUnclear(
  tx: Tx,
  deps: SettlePurchaseDeps,
  judged: Judged & Pick<Change, 'fact' | 'to'> & { readonly needsAttention: boolean },
): Promise<void> {
  const { purchase, fact, to, judgement } = judged;
  const why = 'reason' in judgement ? judgement.reason : '';
  const changed = await changePurchase(tx, deps, { ...judged, change: { fact, to, reason: why } });
  if (!changed) await reschedule(tx, deps, judged);
  if (purchase.status === 'REJECTED') return;
  // A call is no longer under way, and the rest of the order may have waited for that.
  if (!judged.needsAttention) return conclude(tx, deps, judged);
  const who = purchase.partner_name ?? 'the partner';
  return callForAttention(tx, deps, { ...judged, reason: `nobody knows yet what ${who} did: ${why}` });
}

async function settleRefused(
  tx: Tx,
  deps: SettlePurchaseDeps,
  judged: Judged & { judgement: Extract<Judgement, { kind: 'refused' }> },
): Promise<void> {
  const { purchase, item, judgement } = judged;
  const { reason, isTransient, retryAfterSeconds } = judgement;
  const refusal = { fact: 'refused', to: 'REJECTED', reason, isTransient, retryAfterSeconds } as const;
  if (!(await changePurchase(tx, deps, { ...judged, change: refusal }))) return reschedule(tx, deps, judged);
  // What an operator began, the operator goes on with; an item that was given up stays so until somebody acts.
  if (purchase.admin_id !== null || item.fulfillment_status !== 'PENDING') return conclude(tx, deps, judged);
  if (await isUnitServed(tx, judged)) return conclude(tx, deps, judged);
  const exhausted = await buyElsewhere(tx, deps, { refused: purchase, item });
  if (exhausted !== undefined) await callForAttention(tx, deps, { ...judged, reason: exhausted });
}

/** The item cannot be had by itself, or not soon: an operator is told, once. */
async function callForAttention(
  tx: Tx,
  deps: SettlePurchaseDeps,
  judged: Judged & { readonly reason: string },
): Promise<void> {
  const { purchase, order, item, reason } = judged;
  const hasNewFailure = item.fulfillment_status === 'PENDING' && !item.fulfilled;
  if (hasNewFailure) {
    await failItems(tx, {
      orderId: order.id,
      reasons: new Map([[item.id, reason.slice(0, 500)]]),
      status: 'PARTNER_FAILED',
      correlationId: purchase.correlation_id,
    });
  }
  await conclude(tx, deps, { ...judged, hasNewFailure });
}

async function conclude(
  tx: Tx,
  deps: SettlePurchaseDeps,
  judged: Judged & { readonly hasNewFailure?: boolean },
): Promise<void> {
  if (judged.leavesOrderAlone) return;
  await concludeOrder(tx, deps, { orderId: judged.order.id, hasNewFailure: judged.hasNewFailure ?? false });
}

type Change = Pick<PurchaseChange, 'fact' | 'to' | 'reason'> &
  Partial<Pick<PurchaseChange, 'isTransient' | 'retryAfterSeconds'>>;

function changePurchase(
  tx: Tx,
  deps: SettlePurchaseDeps,
  { change, ...judged }: Judged & { readonly change: Change },
): Promise<boolean> {
  const at = deps.clock.now();
  const nextStepAt = nextStepOf(deps, judged);
  const { id, query_step: queryStep } = judged.purchase;
  return applyPurchaseFact(tx, { id, ...change, ...judged.told, nextStepAt, queryStep, at });
}

/** The same as before was answered: only the next question moves. */
async function reschedule(tx: Tx, deps: SettlePurchaseDeps, judged: Judged): Promise<void> {
  const { id, query_step: queryStep } = judged.purchase;
  await reschedulePurchase(tx, { id, at: nextStepOf(deps, judged), queryStep });
}

function nextStepOf(deps: SettlePurchaseDeps, { judgement }: Judged): Date | null {
  const seconds = 'askAgainAfterSeconds' in judgement ? judgement.askAgainAfterSeconds : null;
  return seconds === null ? null : secondsAfter(deps.clock.now(), seconds);
}
