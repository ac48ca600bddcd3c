import type { Database, Tx } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { AppError, fieldError } from '../../platform/errors.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { Logger } from '../../platform/log.ts';
import { formatMinor } from '../../platform/money.ts';
import type { Random } from '../../platform/random.ts';
import { secondsAfter } from '../../platform/time.ts';
import type { Clock } from '../../platform/time.ts';
import { recordEvents } from '../events/index.ts';
import {
  fulfillOrderJob,
  fulfillOrderKey,
  lockOrder,
  markOrderPaid,
  markSessionOpened,
  orderNotFound,
  payableStatuses,
  setOrderHold,
} from '../orders/index.ts';
import type { OrderRow } from '../orders/index.ts';
import type { ConfiguredGateway, SessionRequest, SessionResult } from './gateways/gateway.ts';
import type { Gateways } from './gateways/registry.ts';
import {
  insertPayment,
  markPaymentSucceeded,
  markPaymentUnpaid,
  storePaymentSession,
} from './payment-store.ts';
import type { PaymentRow } from './payment-store.ts';
import { nextVerificationAt } from './verify-schedule.ts';

export interface InitiatePaymentDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly gateways: Gateways;
  readonly orderTtlSeconds: number;
  /** Absolute address of the callback of a gateway. */
  callbackUrlOf(gateway: ConfiguredGateway): string;
  findCustomer(userId: number): Promise<SessionRequest['customer']>;
  /**
   * Makes sure that an order holds its units and its discount use, and takes again what had gone back (decisions 4.5);
   * throws CONFLICT or BAD_REQUEST when it is gone, or the discount is not for this payment method.
   */
  holdOrder(
    tx: Tx,
    order: OrderRow,
    hold: { readonly until: Date; readonly paymentMethod: string; readonly at: Date },
  ): Promise<void>;
}

export interface InitiatePaymentInput {
  readonly orderId: number;
  readonly userId: number;
  readonly method: string | undefined;
  /** In minor units; the order's total when left out. */
  readonly amountMinor: number | undefined;
  readonly currency: string | undefined;
  readonly description: string | undefined;
}

export interface OpenedPayment {
  readonly transactionId: string;
  /** Null when nothing is to be paid (decisions 4.9). */
  readonly paymentGatewayUrl: string | null;
  readonly method: string;
  readonly status: PaymentRow['status'];
}

const REFERENCE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/**
 * Opens a payment session for one of the caller's orders (interface part 3, first two rows; decisions 4.4 to 4.10).
 *
 * @throws NOT_FOUND for somebody else's order; BAD_REQUEST when the order is paid or in another state than the four
 * payable ones, or its discount cannot be used (any more); VALIDATION_ERROR for amount, currency or method; CONFLICT
 * when released units are gone;
 * BAD_GATEWAY (`PaymentSessionError`) when the gateway opened no session: the payment is FAILED, nothing is charged.
 */
export async function initiatePayment(
  deps: InitiatePaymentDeps,
  input: InitiatePaymentInput,
): Promise<OpenedPayment> {
  const begun = await inTransaction(deps.db, (tx) => beginPayment(deps, tx, input));
  const { order, payment, gateway } = begun;
  if (!gateway) return toOpened(payment, null);
  const session = await openSession(deps, gateway, begun);
  if (session.kind === 'refused') {
    deps.log.warn(
      { paymentId: payment.id, gateway: gateway.name, reason: session.reason },
      'no payment session',
    );
    await inTransaction(deps.db, (tx) => refuseSession(tx, deps.clock, payment));
    throw noSession(order, payment);
  }
  await inTransaction(deps.db, async (tx) => {
    await Promise.all([
      markSessionOpened(tx, order.id),
      storePaymentSession(tx, {
        id: payment.id,
        url: session.url,
        session: session.session,
        sessionId: session.sessionId,
      }),
    ]);
  });
  return toOpened(payment, session.url);
}

interface BegunPayment {
  readonly order: OrderRow;
  readonly payment: PaymentRow;
  /** Undefined when nothing is to be paid. */
  readonly gateway: ConfiguredGateway | undefined;
}

async function beginPayment(
  deps: InitiatePaymentDeps,
  tx: Tx,
  input: InitiatePaymentInput,
): Promise<BegunPayment> {
  const order = await lockOrder(tx, input.orderId);
  if (!order || order.user_id !== input.userId) throw orderNotFound();
  refuseUnlessPayable(order, input);
  const method = input.method ?? order.payment_method;
  if (method === null) throw fieldError('method', 'method is required: the order names none');
  const now = deps.clock.now();
  const heldUntil = secondsAfter(now, deps.orderTtlSeconds);
  const gateway = order.total_minor === 0 ? undefined : gatewayFor(deps.gateways, method);
  await deps.holdOrder(tx, order, { until: heldUntil, paymentMethod: method, at: now });
  const [payment] = await Promise.all([
    insertPayment(tx, {
      orderId: order.id,
      prefix: gateway?.transactionPrefix ?? 'FREE',
      suffix: deps.random.text(REFERENCE_ALPHABET, 10),
      at: now,
      gatewayReference: deps.random.text(REFERENCE_ALPHABET, 20),
      method,
      gateway: gateway?.name ?? 'none',
      amountMinor: order.total_minor,
      currency: order.currency,
      description: input.description ?? `Order ${order.order_number}`,
      nextVerifyAt: gateway
        ? nextVerificationAt({ status: 'PENDING', failureReason: null, step: 0, now })
        : null,
    }),
    setOrderHold(tx, { orderId: order.id, until: heldUntil, paymentMethod: method }),
  ]);
  if (!gateway) await settleFree(tx, now, { order, payment });
  return { order, payment, gateway };
}

function refuseUnlessPayable(order: OrderRow, input: InitiatePaymentInput): void {
  if (order.paid_at !== null || !payableStatuses.includes(order.status)) {
    const state = order.paid_at === null ? order.status : 'paid';
    throw new AppError(
      'BAD_REQUEST',
      `Order ${order.order_number} is ${state}: no payment can be opened for it`,
    );
  }
  if (input.currency !== undefined && input.currency !== order.currency) {
    throw fieldError('currency', `currency must be ${order.currency}`);
  }
  if (input.amountMinor !== undefined && input.amountMinor !== order.total_minor) {
    throw fieldError('amount', `amount must be the order's total, ${formatMinor(order.total_minor)}`);
  }
}

function gatewayFor(gateways: Gateways, method: string): ConfiguredGateway {
  const gateway = gateways.forMethod(method);
  if (gateway) return gateway;
  const offered = [...gateways.methods].join(', ') || 'none';
  throw fieldError('method', `Payment method ${method} is not available; available: ${offered}`);
}

/** Nothing to pay: the order is paid at once, without a gateway (decisions 4.9). */
async function settleFree(
  tx: Tx,
  at: Date,
  { order, payment }: { order: OrderRow; payment: PaymentRow },
): Promise<void> {
  const proof = {
    amountMinor: 0,
    currency: order.currency,
    at,
    gatewayTransactionId: payment.transaction_id,
  };
  const data = { order_id: order.id, order_number: order.order_number, total_minor: 0 };
  await markPaymentSucceeded(tx, { id: payment.id, drivesOrder: true, ...proof });
  await Promise.all([
    recordEvents(tx, [{ type: 'order.paid', stream: `order:${order.id}`, data }]),
    enqueue(tx, fulfillOrderJob.of({ orderId: order.id }), { key: fulfillOrderKey(order.id) }),
  ]);
  await markOrderPaid(tx, order.id, at);
}

async function openSession(
  deps: InitiatePaymentDeps,
  gateway: ConfiguredGateway,
  begun: BegunPayment,
): Promise<SessionResult> {
  const { order, payment } = begun;
  try {
    return await gateway.openSession({
      transactionId: payment.transaction_id,
      gatewayReference: payment.gateway_reference,
      amountMinor: payment.amount_minor,
      currency: payment.currency,
      description: `Order ${order.order_number}`,
      customer: await deps.findCustomer(order.user_id),
      itemCount: 1,
      callbackUrl: deps.callbackUrlOf(gateway),
      at: deps.clock.now(),
    });
  } catch (error) {
    // The gateway may have opened a session we know nothing of; the sweep asks about it all the same.
    deps.log.error({ err: error, gateway: gateway.name }, 'opening a payment session failed');
    return { kind: 'refused', reason: 'no answer' };
  }
}

/** The payment is FAILED, the order stays as it was (decisions 4.10). */
async function refuseSession(tx: Tx, clock: Clock, payment: PaymentRow): Promise<void> {
  await lockOrder(tx, payment.order_id);
  const reason = 'SESSION_REFUSED';
  const nextVerifyAt = nextVerificationAt({
    status: 'FAILED',
    failureReason: reason,
    step: 0,
    now: clock.now(),
  });
  await markPaymentUnpaid(tx, {
    id: payment.id,
    to: 'FAILED',
    from: ['PENDING'],
    reason,
    nextVerifyAt,
    step: 0,
  });
  const { id: payment_id, order_id, transaction_id, method, amount_minor, currency } = payment;
  const data = {
    payment_id,
    order_id,
    transaction_id,
    method,
    amount_minor,
    currency,
    failure_reason: reason,
  };
  await recordEvents(tx, [{ type: 'payment.failed', stream: `order:${order_id}`, data }]);
}

function noSession(order: OrderRow, payment: PaymentRow): AppError {
  return new AppError(
    'BAD_GATEWAY',
    'The payment page could not be opened. Nothing was charged: try again or pay another way',
    {
      data: {
        type: 'PaymentSessionError',
        order_id: order.id,
        order_number: order.order_number,
        transactionId: payment.transaction_id,
      },
    },
  );
}

function toOpened(payment: PaymentRow, url: string | null): OpenedPayment {
  const { transaction_id: transactionId, method } = payment;
  return { transactionId, paymentGatewayUrl: url, method, status: url === null ? 'SUCCEEDED' : 'PENDING' };
}
