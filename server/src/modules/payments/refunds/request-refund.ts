import { inTransaction } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import { formatMinor } from '../../../platform/money.ts';
import { lockOrder } from '../../orders/index.ts';
import { findPayment, lockPayment } from '../payment-store.ts';
import { approveLocked } from './decide-refund.ts';
import { paymentNotFound } from './errors.ts';
import type { Actor, RefundDeps } from './refund-deps.ts';
import { insertRefund, sumRefundsOfPayment } from './refund-store.ts';
import type { RefundRow } from './refund-store.ts';

export interface RequestRefundInput {
  readonly paymentId: number;
  /** In minor units; all that is left when left out. */
  readonly amountMinor: number | undefined;
  readonly reason: string;
  /** Approved in the same step (decisions 4.19); `by_hand` records one that was made outside the gateway. */
  readonly approve: 'later' | 'now' | 'by_hand';
  readonly actor: Actor;
}

const REFERENCE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/**
 * Requests that money of a payment goes back, in part or whole. Nothing is sent here: a job does that once it is
 * approved. Fulfilled items are not clawed back (decisions 4.19).
 *
 * @throws NOT_FOUND; BAD_REQUEST when the payment has not succeeded or nothing is left; VALIDATION_ERROR when the
 * amount is more than is left.
 */
export async function requestRefund(deps: RefundDeps, input: RequestRefundInput): Promise<RefundRow> {
  const found = await findPayment(deps.db, input.paymentId);
  if (!found) throw paymentNotFound();
  return inTransaction(deps.db, async (tx) => {
    // Order, then payment: the lock order of everything that touches money.
    const [, payment] = await Promise.all([lockOrder(tx, found.order_id), lockPayment(tx, found.id)]);
    if (payment?.status !== 'SUCCEEDED') {
      throw new AppError(
        'BAD_REQUEST',
        `Payment ${found.id} is ${found.status}: only a SUCCEEDED one can be refunded`,
      );
    }
    const { id: paymentId, currency } = payment;
    const leftMinor = (payment.verified_amount_minor ?? 0) - (await sumRefundsOfPayment(tx, paymentId));
    const amountMinor = refundable(input.amountMinor ?? leftMinor, leftMinor);
    const reference = deps.random.text(REFERENCE_ALPHABET, 20);
    const { reason, actor } = input;
    const refund = await insertRefund(tx, {
      paymentId,
      reference,
      amountMinor,
      currency,
      reason,
      adminId: actor.adminId,
    });
    const after = { amount_minor: amountMinor, reason, payment_id: paymentId };
    await deps.recordAudit(tx, {
      ...actor,
      action: 'refunds:request',
      resource: `refund:${refund.id}`,
      after,
    });
    if (input.approve === 'later') return refund;
    const byHand = input.approve === 'by_hand' || !deps.gateways.named(payment.gateway).refund;
    return approveLocked(deps, tx, { refund, payment, byHand, notes: null, actor });
  });
}

function refundable(amountMinor: number, leftMinor: number): number {
  if (leftMinor <= 0) throw new AppError('BAD_REQUEST', 'Nothing of this payment is left to refund');
  if (amountMinor <= 0 || amountMinor > leftMinor) {
    throw fieldError(
      'amount',
      `amount must be more than 0 and at most ${formatMinor(leftMinor)}, which is left to refund`,
    );
  }
  return amountMinor;
}
