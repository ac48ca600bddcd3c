import type { Tx } from '../../platform/db/database.ts';
import { commitWith } from '../../platform/db/database.ts';
import type { Clock } from '../../platform/time.ts';
import { openAlert, resolveAlertsOfCause } from '../alerts/index.ts';
import { recordEvents } from '../events/index.ts';
import type { EventType } from '../events/index.ts';
import { applyOrderFact, lockOrder, markOrderPaid } from '../orders/index.ts';
import type { OrderRow } from '../orders/index.ts';
import { giveUpSessions } from './captures/capture-store.ts';
import { askForDelivery, failHandOver } from './ask-for-delivery.ts';
import type { HandOver } from './ask-for-delivery.ts';
import type { CallbackClaim, Verification } from './gateways/gateway.ts';
import { paymentStates } from './payment-states.ts';
import type { FailureReason, PaymentFact, PaymentStatus } from './payment-states.ts';
import {
  listPaymentsOfOrder,
  lockPayment,
  markPaymentSucceeded,
  markPaymentUnpaid,
  reschedulePayment,
} from './payment-store.ts';
import type { PaymentRow } from './payment-store.ts';
import { nextVerificationAt } from './verify-schedule.ts';

export interface SettlePaymentDeps {
  readonly clock: Clock;
  /**
   * Looks at what the order holds, under its lock; answers with what gives it to the order and queues its letter, or
   * undefined where a job has to see to it. Fulfillment knows. Absent: it is a job always.
   */
  readonly prepareHandOver?: ((tx: Tx, orderId: number) => Promise<HandOver>) | undefined;
}

export interface Settled {
  readonly payment: PaymentRow;
  /** As it is now, where this made it paid. */
  readonly order?: OrderRow | undefined;
}

export interface Finding {
  readonly paymentId: number;
  readonly orderId: number;
  readonly verification: Verification;
  /**
   * What the callback said, when one asked: then "anything else" than a confirmed success ends the payment as
   * FAILED or CANCELLED, as the interface orders. The sweep passes nothing and leaves an open question open.
   */
  readonly claims: CallbackClaim | undefined;
  /**
   * Whether the sweep's schedule asked. Only its own questions use the schedule up: a page that asks every two seconds
   * would otherwise end it within half a minute, and a success after that would never be heard of.
   */
  readonly isScheduled: boolean;
  /** Writes down that the gateway was asked: sent behind the locks, in their packet. */
  readonly record: () => Promise<unknown>;
}

/**
 * Applies what a gateway answered to a payment and its order, in the caller's transaction, under the order's lock.
 * Safe to run twice and in any order: SUCCEEDED is absorbing and a verified success always wins. With a payment that
 * then is SUCCEEDED the transaction may be committed already: nothing may be written behind it.
 *
 * @throws HandOverError
 */
export async function settlePayment(tx: Tx, deps: SettlePaymentDeps, finding: Finding): Promise<Settled> {
  const { verification, isScheduled } = finding;
  const isConfirmed = verification.kind === 'confirmed';
  // What the order holds is asked last, so that nothing else fails because that did.
  const [order, payment, , handOver] = await Promise.all([
    lockOrder(tx, finding.orderId),
    lockPayment(tx, finding.paymentId),
    finding.record(),
    isConfirmed ? deps.prepareHandOver?.(tx, finding.orderId).catch(failHandOver) : undefined,
  ]);
  if (!order || !payment) throw new Error(`Payment ${finding.paymentId} has no order`);
  if (payment.status === 'SUCCEEDED') return { payment };
  // One that never left PENDING has no such alert: the way of nearly all stays as short as it is.
  if (payment.status !== 'PENDING') await resolveUnavailable(tx, payment, verification);
  if (isConfirmed)
    return settleConfirmed(tx, deps.clock, { order, payment, verification, isScheduled, handOver });
  return { payment: await settleUnconfirmed(tx, deps.clock, { ...finding, verification, order, payment }) };
}

async function settleUnconfirmed(
  tx: Tx,
  clock: Clock,
  facts: Finding & Facts & { readonly verification: Exclude<Verification, { kind: 'confirmed' }> },
): Promise<PaymentRow> {
  const { order, payment, verification, claims, isScheduled } = facts;
  // The sweep's "no" tells nothing new about a session that the customer cancelled.
  const isSettled = claims === undefined && payment.status === 'CANCELLED';
  const outcome = isSettled ? undefined : unpaidOutcome(verification, claims);
  if (outcome) return settleUnpaid(tx, clock, { order, payment, isScheduled, ...outcome });
  if (!isScheduled) return payment;
  const next = {
    status: payment.status,
    failureReason: payment.failure_reason,
    step: payment.verify_step + 1,
  };
  const nextVerifyAt = nextVerificationAt({ ...next, now: clock.now() });
  await reschedulePayment(tx, {
    id: payment.id,
    nextVerifyAt,
    step: next.step,
    reason: payment.failure_reason,
  });
  return payment;
}

interface Outcome {
  readonly fact: PaymentFact;
  readonly to: Exclude<PaymentStatus, 'SUCCEEDED'>;
  readonly reason: FailureReason;
}

const failed = { to: 'FAILED' } as const;

/** What a verification without success means; nothing when it is no answer and no callback forces one. */
export function unpaidOutcome(
  verification: Exclude<Verification, { kind: 'confirmed' }>,
  claims: CallbackClaim | undefined,
): Outcome | undefined {
  const cancelled: Outcome = { fact: 'customerCancelled', to: 'CANCELLED', reason: 'CUSTOMER_CANCELLED' };
  if (claims === undefined) {
    if (verification.kind === 'refused')
      return { ...failed, fact: 'gatewayRefused', reason: 'GATEWAY_REFUSED' };
    return verification.kind === 'cancelled' ? cancelled : undefined;
  }
  if (verification.kind === 'cancelled' || claims === 'cancel') return cancelled;
  if (verification.kind === 'unknown') {
    return { ...failed, fact: 'verificationUnavailable', reason: 'VERIFICATION_UNAVAILABLE' };
  }
  const reason = verification.kind === 'processing' ? 'NOT_CONFIRMED' : 'GATEWAY_REFUSED';
  return { ...failed, fact: 'gatewayRefused', reason };
}

interface Facts {
  readonly order: OrderRow;
  readonly payment: PaymentRow;
  readonly isScheduled: boolean;
}

type ConfirmedFacts = Facts & {
  readonly verification: Extract<Verification, { kind: 'confirmed' }>;
  readonly handOver: HandOver | undefined;
};

async function settleConfirmed(tx: Tx, clock: Clock, facts: ConfirmedFacts): Promise<Settled> {
  const { order, payment, verification, handOver } = facts;
  const { amountMinor, currency, gatewayTransactionId } = verification;
  if (!isWhatWasAsked(payment, verification)) return { payment: await settleMismatch(tx, clock, facts) };
  const drivesOrder = order.paid_at === null;
  const at = clock.now();
  const proof = { id: payment.id, drivesOrder, amountMinor, currency, at, gatewayTransactionId };
  const succeeded = paymentEvent('payment.succeeded', { ...payment, failure_reason: null });
  const settle = () => markPaymentSucceeded(tx, proof);
  if (!drivesOrder) {
    const [settled] = await Promise.all([settle(), ...reportDuplicate(tx, { order, payment, succeeded })]);
    return { payment: settled ?? payment };
  }
  const pay = () => markOrderPaid(tx, order.id, at);
  // All of it follows from what the locks showed, so it leaves in one packet.
  const deliver = () => askForDelivery(tx, { order, succeeded, handOver: handOver?.(order) });
  // The use of a discount may be tried for under a savepoint, which nothing else must fall into: by itself and last.
  if (order.discount_code !== null) {
    const [settled] = await Promise.all([settle(), ...deliver()]);
    return { payment: settled ?? payment, order: await pay() };
  }
  const [settled, paid] = await commitWith(tx, () => Promise.all([settle(), pay(), ...deliver()]));
  return { payment: settled ?? payment, order: paid };
}

type NewEvent = ReturnType<typeof paymentEvent>;

function reportDuplicate(
  tx: Tx,
  facts: { order: OrderRow; payment: PaymentRow; succeeded: NewEvent },
): Promise<unknown>[] {
  const { order, payment, succeeded } = facts;
  return [
    openAlert(tx, {
      type: 'duplicate_payment',
      orderId: order.id,
      cause: `payment:${payment.id}`,
      message: `Order ${order.order_number} was paid twice: refund ${payment.transaction_id}`,
      details: { transaction_id: payment.transaction_id, amount_minor: payment.amount_minor },
    }),
    recordEvents(tx, [succeeded]),
  ];
}

async function settleMismatch(tx: Tx, clock: Clock, facts: ConfirmedFacts): Promise<PaymentRow> {
  const { order, payment, verification, isScheduled } = facts;
  await openAlert(tx, {
    type: 'payment_mismatch',
    orderId: order.id,
    cause: `payment:${payment.id}`,
    message: `${payment.transaction_id} was paid with another amount or currency than asked: settle it by hand`,
    details: {
      asked: { amount_minor: payment.amount_minor, currency: payment.currency },
      paid: { amount_minor: verification.amountMinor, currency: verification.currency },
    },
  });
  const outcome: Outcome = { fact: 'amountMismatched', to: 'FAILED', reason: 'PAYMENT_MISMATCH' };
  return settleUnpaid(tx, clock, { order, payment, isScheduled, ...outcome });
}

async function settleUnpaid(tx: Tx, clock: Clock, change: Outcome & Facts): Promise<PaymentRow> {
  const { order, payment, fact, to, reason } = change;
  const repeated = payment.status === to && payment.failure_reason === reason;
  const step = repeated ? payment.verify_step + 1 : 0;
  const nextVerifyAt = nextVerificationAt({ status: to, failureReason: reason, step, now: clock.now() });
  if (reason === 'VERIFICATION_UNAVAILABLE') await alertUnavailable(tx, order, payment);
  if (repeated && !change.isScheduled) return payment;
  const from = paymentStates.sources(fact, to);
  const changed = await markPaymentUnpaid(tx, { id: payment.id, to, from, reason, nextVerifyAt, step });
  if (!changed) {
    const known = payment.status === to ? reason : payment.failure_reason;
    await reschedulePayment(tx, { id: payment.id, nextVerifyAt, step, reason: known });
    return payment;
  }
  await recordEvents(tx, [
    paymentEvent(to === 'CANCELLED' ? 'payment.cancelled' : 'payment.failed', changed),
  ]);
  // An order whose units went back is settled until somebody pays it again.
  if (order.paid_at === null && order.held_until !== null) await followPayment(tx, order, to);
  return changed;
}

/** The order follows its last open session (decisions 4.10): while another one is open it stays PENDING. */
async function followPayment(tx: Tx, order: OrderRow, to: 'PENDING' | 'FAILED' | 'CANCELLED'): Promise<void> {
  const payments = await listPaymentsOfOrder(tx, order.id);
  if (payments.some((payment) => payment.status === 'PENDING')) return;
  const fact = to === 'CANCELLED' ? 'paymentCancelled' : 'paymentFailed';
  const changed = await applyOrderFact(tx, { orderId: order.id, fact, to });
  if (!changed || to !== 'CANCELLED') return;
  // The customer has left: an earlier session that was given up for failed does not take the money after all.
  await giveUpSessions(tx, order.id, ['FAILED']);
  const data = { order_id: order.id, order_number: order.order_number, reason: 'payment_cancelled' };
  await recordEvents(tx, [{ type: 'order.cancelled', stream: `order:${order.id}`, data }]);
}

async function alertUnavailable(tx: Tx, order: OrderRow, payment: PaymentRow): Promise<void> {
  await openAlert(tx, {
    type: 'payment_verification_unavailable',
    orderId: order.id,
    cause: `payment:${payment.id}`,
    message: `${payment.transaction_id} could not be verified with ${payment.gateway}; the sweep keeps asking`,
    details: { transaction_id: payment.transaction_id, gateway: payment.gateway },
  });
}

/** The gateway has spoken: what it says is now the payment's business, and no alert's. "Not yet" is no word. */
async function resolveUnavailable(tx: Tx, payment: PaymentRow, verification: Verification): Promise<void> {
  const word = definiteWord(payment, verification);
  if (word === undefined) return;
  await resolveAlertsOfCause(tx, {
    type: 'payment_verification_unavailable',
    cause: `payment:${payment.id}`,
    notes: `${payment.transaction_id} was verified later and ${word}`,
  });
}

function definiteWord(payment: PaymentRow, verification: Verification): string | undefined {
  switch (verification.kind) {
    case 'confirmed':
      return isWhatWasAsked(payment, verification) ? 'succeeded' : 'was paid with another amount or currency';
    case 'refused':
      return `was refused by the gateway: ${verification.reason}`;
    case 'cancelled':
      return `was cancelled at the gateway: ${verification.reason}`;
    case 'processing':
    case 'unknown':
      return undefined;
  }
}

function isWhatWasAsked(payment: PaymentRow, paid: ConfirmedFacts['verification']): boolean {
  return paid.currency === payment.currency && paid.amountMinor >= payment.amount_minor;
}

/** What other systems are told of a payment. */
export function paymentEvent(type: Extract<EventType, `payment.${string}`>, payment: PaymentRow) {
  return {
    type,
    stream: `order:${payment.order_id}`,
    data: {
      payment_id: payment.id,
      order_id: payment.order_id,
      transaction_id: payment.transaction_id,
      method: payment.method,
      amount_minor: payment.amount_minor,
      currency: payment.currency,
      failure_reason: payment.failure_reason,
    },
  };
}
