import type { AuditEntry } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { secondsAfter } from '../../../platform/time.ts';
import { lockOrder } from '../../orders/index.ts';
import { lockPayment } from '../payment-store.ts';
import type { PaymentRow } from '../payment-store.ts';
import { notInState, refundNotFound } from './errors.ts';
import { followRefundJob } from './jobs.ts';
import type { Actor, RefundDeps } from './refund-deps.ts';
import { applyRefundFact, findRefund, noteOnRefund, recordDecision } from './refund-store.ts';
import type { RefundDetailRow, RefundRow } from './refund-store.ts';
import { settleRefund } from './settle-refund.ts';

export interface Decision {
  readonly refundId: number;
  readonly notes: string | null;
  readonly actor: Actor;
}

/** Seconds until the sweep looks after a refund whose job was lost. */
const NET_SECONDS = 60;

/** @throws NOT_FOUND; CONFLICT unless it is requested. */
export function approveRefund(
  deps: RefundDeps,
  decision: Decision & { byHand: boolean },
): Promise<RefundRow> {
  return decideLocked(deps, decision.refundId, (tx, refund, payment) => {
    const byHand = decision.byHand || !deps.gateways.named(payment.gateway).refund;
    return approveLocked(deps, tx, { refund, payment, byHand, notes: decision.notes, actor: decision.actor });
  });
}

/** @throws NOT_FOUND; CONFLICT unless it is requested. */
export function rejectRefund(deps: RefundDeps, decision: Decision): Promise<RefundRow> {
  return decideLocked(deps, decision.refundId, async (tx, refund) => {
    const at = deps.clock.now();
    await takeDecision(deps, tx, { ...decision, refund, action: 'refunds:reject' });
    return changed(await applyRefundFact(tx, { id: refund.id, fact: 'adminRejected', to: 'rejected', at }));
  });
}

/**
 * What an operator found out about a refund whose answer was lost and that its gateway cannot be asked about.
 *
 * @throws NOT_FOUND; CONFLICT unless it is unknown.
 */
export function settleByHand(
  deps: RefundDeps,
  finding: Decision & { outcome: 'succeeded' | 'failed'; notes: string },
): Promise<RefundRow> {
  return decideLocked(deps, finding.refundId, async (tx, refund, payment) => {
    if (refund.status !== 'unknown') throw notInState(refund.id, refund.status, 'unknown');
    await noteOnRefund(tx, refund.id, finding.notes);
    const { actor, notes, outcome } = finding;
    await writeAudit(deps, tx, { ...actor, action: 'refunds:settle', refund, after: { outcome, notes } });
    const details = {};
    const gatewayRefundId = refund.gateway_refund_id ?? `by-hand:${refund.id}`;
    const result =
      outcome === 'succeeded'
        ? ({ kind: 'refunded', gatewayRefundId, details } as const)
        : ({ kind: 'refused', reason: notes, details } as const);
    return settleRefund(tx, deps.clock, { refund, payment, result });
  });
}

/** Under the order's and the payment's lock, as everything that moves money. */
async function decideLocked(
  deps: RefundDeps,
  refundId: number,
  work: (tx: Tx, refund: RefundDetailRow, payment: PaymentRow) => Promise<RefundRow>,
): Promise<RefundRow> {
  const found = await findRefund(deps.db, refundId);
  if (!found) throw refundNotFound();
  return inTransaction(deps.db, async (tx) => {
    const [, payment] = await Promise.all([lockOrder(tx, found.order_id), lockPayment(tx, found.payment_id)]);
    const refund = await findRefund(tx, refundId);
    if (!refund || !payment) throw refundNotFound();
    return work(tx, refund, payment);
  });
}

/** Approves a request: it is sent by a job, or was made by hand and counts at once. */
export async function approveLocked(
  deps: RefundDeps,
  tx: Tx,
  facts: { refund: RefundRow; payment: PaymentRow; byHand: boolean; notes: string | null; actor: Actor },
): Promise<RefundRow> {
  const { refund, payment, byHand } = facts;
  const at = deps.clock.now();
  await takeDecision(deps, tx, { ...facts, action: byHand ? 'refunds:record' : 'refunds:approve' });
  if (byHand) return settleRefund(tx, deps.clock, { refund, payment, result: 'by_hand' });
  const nextActionAt = secondsAfter(at, NET_SECONDS);
  const approved = await applyRefundFact(tx, {
    id: refund.id,
    fact: 'adminApproved',
    to: 'approved',
    at,
    nextActionAt,
  });
  await enqueue(tx, followRefundJob.of({ refundId: refund.id }), {
    key: `refund:${refund.id}`,
    maxAttempts: 3,
  });
  return changed(approved);
}

async function takeDecision(
  deps: RefundDeps,
  tx: Tx,
  decision: { refund: RefundRow; notes: string | null; actor: Actor; action: string },
): Promise<void> {
  const { refund, notes, actor, action } = decision;
  const taken = await recordDecision(tx, {
    id: refund.id,
    adminId: actor.adminId,
    at: deps.clock.now(),
    notes,
  });
  if (!taken) throw notInState(refund.id, refund.status, 'requested');
  await writeAudit(deps, tx, { ...actor, action, refund, after: { notes } });
}

function writeAudit(
  deps: RefundDeps,
  tx: Tx,
  entry: Omit<AuditEntry, 'resource' | 'before'> & { refund: RefundRow },
): Promise<void> {
  const { refund, ...facts } = entry;
  return deps.recordAudit(tx, {
    ...facts,
    resource: `refund:${refund.id}`,
    before: { status: refund.status },
  });
}

function changed(refund: RefundRow | undefined): RefundRow {
  if (!refund) throw new Error('a refund changed while its payment was locked');
  return refund;
}
