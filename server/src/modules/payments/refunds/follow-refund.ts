import type { Database } from '../../../platform/db/database.ts';
import { inOneStatement, inTransaction, violatedConstraint } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/log.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { Clock } from '../../../platform/time.ts';
import { lockOrder } from '../../orders/index.ts';
import type { RefundQuestion, RefundResult } from '../gateways/refund.ts';
import type { Gateways } from '../gateways/registry.ts';
import { lockPayment } from '../payment-store.ts';
import { claimRefundToAsk, claimRefundToSend, findRefund } from './refund-store.ts';
import type { RefundDetailRow } from './refund-store.ts';
import { settleRefund } from './settle-refund.ts';

export interface FollowRefundDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gateways: Gateways;
}

/** Longer than the slowest call: whoever finds it passed may be sure that nobody is sending any more. */
const LEASE_SECONDS = 75;

/**
 * Takes a refund one step further: an approved one is sent, one that was sent is asked about. It is sent by whoever
 * wins the claim and by nobody else, ever again, unless that call certainly never left.
 */
export async function followRefund(deps: FollowRefundDeps, refundId: number): Promise<void> {
  const refund = await findRefund(deps.db, refundId);
  if (refund?.status === 'approved') await sendRefund(deps, refund);
  else if (refund) await askAboutRefund(deps, refund);
}

async function sendRefund(deps: FollowRefundDeps, refund: RefundDetailRow): Promise<void> {
  const claim = {
    id: refund.id,
    leaseSeconds: LEASE_SECONDS,
    askAt: secondsAfter(deps.clock.now(), LEASE_SECONDS + 5),
  };
  if (!(await claimSending(deps, claim))) return;
  const { refund: send } = deps.gateways.named(refund.gateway);
  const reason = `gateway ${refund.gateway} has no refund`;
  const result = send ? await send(toQuestion(refund)) : ({ kind: 'refused', reason, details: {} } as const);
  await applyResult(deps, refund, result);
}

async function claimSending(
  deps: FollowRefundDeps,
  claim: { id: number; leaseSeconds: number; askAt: Date },
): Promise<boolean> {
  try {
    return await inOneStatement(deps.db, (tx) => claimRefundToSend(tx, claim));
  } catch (error) {
    // Another refund of the payment began at this very moment: this one waits for its end.
    if (violatedConstraint(error) === 'refunds__one_under_way') return false;
    throw error;
  }
}

/** Asks the gateway what became of a refund that was sent. Does nothing while somebody else is at it. */
export async function askAboutRefund(deps: FollowRefundDeps, refund: RefundDetailRow): Promise<void> {
  if (!(await inOneStatement(deps.db, (tx) => claimRefundToAsk(tx, refund.id, LEASE_SECONDS)))) return;
  const { queryRefund: ask } = deps.gateways.named(refund.gateway);
  const reason = `gateway ${refund.gateway} cannot be asked about refunds`;
  const result = ask
    ? await ask(toQuestion(refund))
    : ({ kind: 'unknown', reason, neverSent: false, details: {} } as const);
  // That a question never left says nothing about the refund.
  await applyResult(deps, refund, result.kind === 'unknown' ? { ...result, neverSent: false } : result);
}

async function applyResult(
  deps: FollowRefundDeps,
  claimed: RefundDetailRow,
  result: RefundResult,
): Promise<void> {
  deps.log.info({ refundId: claimed.id, gateway: claimed.gateway, outcome: result.kind }, 'refund answered');
  await inTransaction(deps.db, async (tx) => {
    const [, payment] = await Promise.all([
      lockOrder(tx, claimed.order_id),
      lockPayment(tx, claimed.payment_id),
    ]);
    const refund = await findRefund(tx, claimed.id);
    if (payment && refund) await settleRefund(tx, deps.clock, { refund, payment, result });
  });
}

function toQuestion(refund: RefundDetailRow): RefundQuestion {
  return {
    refundReference: refund.reference,
    amountMinor: refund.amount_minor,
    reason: refund.reason,
    payment: {
      gatewayReference: refund.gateway_reference,
      session: refund.gateway_session,
      gatewayTransactionId: refund.gateway_transaction_id ?? '',
      amountMinor: refund.verified_amount_minor,
      openedAt: refund.opened_at,
    },
    gatewayRefundId: refund.gateway_refund_id ?? undefined,
    otherRefundIds: refund.other_refund_ids,
  };
}
