import type { Database, Tx } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { OutboundResponse } from '../../../platform/outbound/outbound-client.ts';
import { secondsAfter } from '../../../platform/time.ts';
import { listAssignedUnitNumbers } from '../../vouchers/index.ts';
import type { OpenPartner, PartnerDirectory } from '../partner-accounts/partner-directory.ts';
import { isPartnerUsable } from '../partner-accounts/partner-store.ts';
import type { Partner, PurchaseResult, QueryResult } from '../partners/partner.ts';
import { askPartner, buyFromPartner } from './ask-partner.ts';
import type { AskPartnerDeps } from './ask-partner.ts';
import { ANSWER_CONTEXT, findBuyingAnswer } from './call-store.ts';
import { findPurchase, markPurchaseSent, reschedulePurchase } from './purchase-store.ts';
import type { PurchaseRow } from './purchase-store.ts';
import { LEASE_MARGIN_SECONDS, lockPurchaseFacts, settlePurchase } from './settle-purchase.ts';
import type { PurchaseFacts, SettlePurchaseDeps } from './settle-purchase.ts';

export interface RunPurchaseDeps extends SettlePurchaseDeps, AskPartnerDeps {
  readonly db: Database;
  readonly partners: PartnerDirectory;
}

export interface RunOptions {
  /** Until when the sweep took the step for this run: as long as nobody moved it since, it is due for this run. */
  readonly takenUntilMs?: number | undefined;
  /** Do the next step although it is not due: an operator waits for it. */
  readonly isUrgent?: boolean;
  /** Whoever asked carries the order on with the outcome. */
  readonly leavesOrderAlone?: boolean;
}

/** How long a question may take before another process asks it too; asking twice does no harm. */
const QUESTION_SECONDS = 60;
const NO_ROOM_SECONDS = 1;

/**
 * Does what is next with a purchase: the call, which nobody else makes then, or the question what became of it. No
 * lock is held meanwhile, and the intent was committed before.
 *
 * @returns the purchase as it then is; undefined when nothing was to be done.
 */
export async function runPurchase(
  deps: RunPurchaseDeps,
  transactionId: number,
  options: RunOptions = {},
): Promise<PurchaseRow | undefined> {
  const known = await findPurchase(deps.db, transactionId);
  if (!known || known.partner_id === null) return undefined;
  const partner = await openPartner(deps, known.partner_id);
  let step = await inTransaction(deps.db, (tx) => takeStep(tx, deps, { transactionId, partner, ...options }));
  for (;;) {
    if (step.kind === 'nothing') return undefined;
    const result = await doStep(deps, step, partner);
    const settled = await inTransaction(deps.db, (tx) =>
      settlePurchase(tx, deps, { transactionId, result, partner: partner.traits, ...options }),
    );
    if (!settled.sendAgain) return settled.purchase;
    step = { kind: 'buy', purchase: settled.purchase };
  }
}

type UsedPartner = OpenPartner & {
  readonly traits: Pick<Partner, 'query' | 'isRepeatable' | 'notFoundIsFinalAfterSeconds' | 'timeoutMs'>;
};

/** One whose configuration cannot be used any more can be neither asked nor repeated. */
const unusableTraits = { isRepeatable: false, notFoundIsFinalAfterSeconds: 86_400, timeoutMs: 0 };

async function openPartner(deps: RunPurchaseDeps, partnerId: number): Promise<UsedPartner> {
  const partner = await deps.partners.open(partnerId);
  try {
    return { ...partner, traits: partner.build(partner.line) };
  } catch {
    return { ...partner, traits: unusableTraits };
  }
}

type Step =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'buy'; readonly purchase: PurchaseRow; readonly replay?: OutboundResponse }
  | { readonly kind: 'ask'; readonly purchase: PurchaseRow }
  /** The answer is known without a call. */
  | { readonly kind: 'settle'; readonly result: QueryResult };

function doStep(deps: RunPurchaseDeps, step: Exclude<Step, { kind: 'nothing' }>, partner: OpenPartner) {
  if (step.kind === 'settle') return Promise.resolve(step.result);
  if (step.kind === 'ask') return askPartner(deps, step.purchase, partner);
  return buyFromPartner(deps, step.purchase, { partner, replay: step.replay });
}

interface Taking extends RunOptions {
  readonly transactionId: number;
  readonly partner: UsedPartner;
}

/** Decides under the order's lock what is next, and takes it, so that nobody else does. */
async function takeStep(tx: Tx, deps: RunPurchaseDeps, taking: Taking): Promise<Step> {
  const facts = await lockPurchaseFacts(tx, taking.transactionId);
  const { purchase } = facts;
  const stepAt = purchase.next_step_at;
  const isDue = stepAt !== null && (stepAt <= deps.clock.now() || stepAt.getTime() === taking.takenUntilMs);
  switch (purchase.status) {
    case 'INTENT':
      return isDue || taking.isUrgent ? takeIntent(tx, deps, { ...taking, ...facts }) : nothing;
    case 'SENT':
      return isDue ? takeOrphan(tx, deps, purchase) : nothing;
    case 'UNKNOWN':
    case 'DISPUTED':
    case 'REJECTED':
      return isDue || taking.isUrgent ? takeQuestion(tx, deps, { ...taking, purchase }) : nothing;
    case 'OK':
    case 'LATE':
      return nothing;
  }
}

const nothing: Step = { kind: 'nothing' };

async function takeIntent(tx: Tx, deps: RunPurchaseDeps, taking: Taking & PurchaseFacts): Promise<Step> {
  const { purchase, partner } = taking;
  const at = deps.clock.now();
  const unneeded = await whyUnneeded(tx, taking);
  if (unneeded !== undefined) return { kind: 'settle', result: unneeded };
  // A slow partner must not hold all workers: they come back.
  if (!taking.isUrgent && !partner.line.hasRoom()) {
    const later = secondsAfter(at, NO_ROOM_SECONDS);
    await reschedulePurchase(tx, { id: purchase.id, at: later, queryStep: purchase.query_step });
    return nothing;
  }
  const leaseUntil = secondsAfter(at, partner.traits.timeoutMs / 1000 + LEASE_MARGIN_SECONDS);
  const sent = await markPurchaseSent(tx, { id: purchase.id, at, leaseUntil });
  return sent ? { kind: 'buy', purchase } : nothing;
}

/** Nothing has been sent yet, so a purchase that nobody needs or nobody may make any more is simply not made. */
async function whyUnneeded(
  tx: Tx,
  { purchase, order, item, partner }: PurchaseFacts & Taking,
): Promise<PurchaseResult | undefined> {
  const refuse = (reason: string): PurchaseResult => ({
    kind: 'refused',
    reason,
    isTransient: false,
    details: {},
  });
  const isOrderOpen = order.status === 'PENDING' || order.status === 'NEEDS_ATTENTION';
  if (order.paid_at === null || !isOrderOpen || item.fulfilled) return refuse('not needed any more');
  const assigned = await listAssignedUnitNumbers(tx, [item.id]);
  if (assigned.some((unit) => unit.unit_no === purchase.unit_no)) return refuse('not needed any more');
  return (await isPartnerUsable(tx, partner.row.id)) ? undefined : refuse('the partner is switched off');
}

/** Whoever made the call died. Its answer may have been kept; without it nobody knows. */
async function takeOrphan(tx: Tx, deps: RunPurchaseDeps, purchase: PurchaseRow): Promise<Step> {
  const since = purchase.last_sent_at ?? purchase.created_at;
  const kept = await findBuyingAnswer(tx, { transactionId: purchase.id, since });
  await holdFor(tx, deps, purchase);
  if (!kept?.response_sealed) {
    const reason = 'the call was made and its answer was lost with the process that made it';
    return { kind: 'settle', result: { kind: 'unknown', reason, details: {} } };
  }
  const replay = JSON.parse(deps.box.open(kept.response_sealed, ANSWER_CONTEXT)) as OutboundResponse;
  return { kind: 'buy', purchase, replay };
}

async function takeQuestion(
  tx: Tx,
  deps: RunPurchaseDeps,
  { purchase, partner }: Taking & { purchase: PurchaseRow },
): Promise<Step> {
  const { query, isRepeatable, timeoutMs } = partner.traits;
  const queryStep = purchase.query_step + 1;
  if (query) {
    await holdFor(tx, deps, { ...purchase, query_step: queryStep });
    return { kind: 'ask', purchase };
  }
  if (!isRepeatable || purchase.status !== 'UNKNOWN') {
    await reschedulePurchase(tx, { id: purchase.id, at: null, queryStep });
    return nothing;
  }
  // It cannot be asked, but the same reference never buys twice: asking is sending again.
  const at = deps.clock.now();
  await reschedulePurchase(tx, { id: purchase.id, at, queryStep });
  const leaseUntil = secondsAfter(at, timeoutMs / 1000 + LEASE_MARGIN_SECONDS);
  return (await markPurchaseSent(tx, { id: purchase.id, at, leaseUntil }))
    ? { kind: 'buy', purchase }
    : nothing;
}

async function holdFor(tx: Tx, deps: RunPurchaseDeps, purchase: PurchaseRow): Promise<void> {
  const until = secondsAfter(deps.clock.now(), QUESTION_SECONDS);
  await reschedulePurchase(tx, { id: purchase.id, at: until, queryStep: purchase.query_step });
}
