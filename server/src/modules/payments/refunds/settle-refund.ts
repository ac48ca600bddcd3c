import type { Tx } from '../../../platform/db/database.ts';
import type { Clock } from '../../../platform/time.ts';
import { resolveAlertsOfCause } from '../../alerts/index.ts';
import { recordEvents } from '../../events/index.ts';
import type { RefundResult } from '../gateways/refund.ts';
import type { PaymentRow } from '../payment-store.ts';
import { nextQuestionAt, nextTryAt } from './refund-schedule.ts';
import { addToRefundedAmount, applyRefundFact, rescheduleRefund } from './refund-store.ts';
import type { RefundRow } from './refund-store.ts';

export interface RefundFinding {
  readonly refund: RefundRow;
  readonly payment: PaymentRow;
  /** What the gateway said, or that an operator refunded it outside the gateway. */
  readonly result: RefundResult | 'by_hand';
}

/**
 * Applies what became of a refund, in the caller's transaction, under the payment's lock. Safe to run twice: each
 * change is guarded by the states it may leave, and the money is counted by the one change that brings it about.
 *
 * @returns the refund as it now is.
 */
export async function settleRefund(tx: Tx, clock: Clock, finding: RefundFinding): Promise<RefundRow> {
  const { refund, result } = finding;
  const { id } = refund;
  const at = clock.now();
  if (result === 'by_hand') {
    return countRefunded(
      tx,
      finding,
      await applyRefundFact(tx, { id, fact: 'refundedByHand', to: 'manual', at }),
    );
  }
  switch (result.kind) {
    case 'refunded': {
      const { gatewayRefundId } = result;
      const change = { id, fact: 'gatewayRefunded', to: 'succeeded', at, gatewayRefundId } as const;
      return countRefunded(tx, finding, await applyRefundFact(tx, change));
    }
    case 'refused': {
      const change = { id, fact: 'gatewayRefused', to: 'failed', at, failureReason: result.reason } as const;
      return (await applyRefundFact(tx, change)) ?? refund;
    }
    case 'processing':
      return keepAsking(tx, at, { refund, reason: null, gatewayRefundId: result.gatewayRefundId });
    case 'unknown':
      return refund.status === 'sending' && result.neverSent && refund.gateway_refund_id === null
        ? tryAgain(tx, at, { refund, reason: result.reason })
        : keepAsking(tx, at, { refund, reason: result.reason, gatewayRefundId: undefined });
  }
}

async function countRefunded(
  tx: Tx,
  finding: RefundFinding,
  settled: RefundRow | undefined,
): Promise<RefundRow> {
  const { refund, payment } = finding;
  if (!settled) return refund;
  if (await addToRefundedAmount(tx, payment.id, settled.amount_minor)) {
    // What an operator had to do about a second payment of one order is done.
    const notes = `${payment.transaction_id} was refunded`;
    await resolveAlertsOfCause(tx, { type: 'duplicate_payment', cause: `payment:${payment.id}`, notes });
  }
  await recordEvents(tx, [
    {
      type: 'payment.refunded',
      stream: `order:${payment.order_id}`,
      data: {
        payment_id: payment.id,
        order_id: payment.order_id,
        transaction_id: payment.transaction_id,
        refund_id: settled.id,
        amount_minor: settled.amount_minor,
        currency: settled.currency,
        by_hand: settled.status === 'manual',
      },
    },
  ]);
  return settled;
}

interface OpenEnd {
  readonly refund: RefundRow;
  /** Null when the gateway is processing it. */
  readonly reason: string | null;
  readonly gatewayRefundId: string | undefined;
}

/** Sent, without an end yet: it is asked about again and never sent again. */
async function keepAsking(
  tx: Tx,
  at: Date,
  { refund, reason, gatewayRefundId }: OpenEnd,
): Promise<RefundRow> {
  const { id, step } = refund;
  const nextActionAt = nextQuestionAt(step, at);
  const plan = { id, at, gatewayRefundId, nextActionAt, step: step + 1 };
  const change =
    reason === null
      ? ({ ...plan, fact: 'gatewayProcessing', to: 'sending' } as const)
      : ({ ...plan, fact: 'answerLost', to: 'unknown', failureReason: reason } as const);
  const changed = await applyRefundFact(tx, change);
  if (changed) return changed;
  await rescheduleRefund(tx, { ...plan, reason, gatewayRefundId: gatewayRefundId ?? null });
  return refund;
}

/** It certainly never left: nothing was done, so it may be sent again, in a while. */
async function tryAgain(
  tx: Tx,
  at: Date,
  { refund, reason }: { refund: RefundRow; reason: string },
): Promise<RefundRow> {
  const { id, step } = refund;
  const plan = { nextActionAt: nextTryAt(step, at), step: step + 1 };
  const change = { id, fact: 'neverSent', to: 'approved', at, failureReason: reason, ...plan } as const;
  return (await applyRefundFact(tx, change)) ?? refund;
}
