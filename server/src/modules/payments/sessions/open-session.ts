import type { Database, Tx } from '../../../platform/db/database.ts';
import { inOneBatch, inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Clock } from '../../../platform/time.ts';
import { recordEvents } from '../../events/index.ts';
import { lockOrder, markSessionOpened } from '../../orders/index.ts';
import type { Customer, OrderRow } from '../../orders/index.ts';
import type { ConfiguredGateway, SessionResult } from '../gateways/gateway.ts';
import { markPaymentUnpaid, storePaymentSession } from '../payment-store.ts';
import type { PaymentRow } from '../payment-store.ts';
import { paymentEvent } from '../settle-payment.ts';
import { nextVerificationAt } from '../verify-schedule.ts';

export interface OpenSessionDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Absolute address of the callback of a gateway. */
  callbackUrlOf(gateway: ConfiguredGateway): string;
}

/** A payment that is written down and has no session yet. */
export interface BegunPayment {
  readonly order: OrderRow;
  readonly payment: PaymentRow;
  readonly gateway: ConfiguredGateway;
  readonly customer: Customer | undefined;
}

export interface OpenedPayment {
  readonly transactionId: string;
  /** Null when nothing is to be paid (decisions 4.9). */
  readonly paymentGatewayUrl: string | null;
  readonly method: string;
  readonly status: PaymentRow['status'];
}

/**
 * Has the gateway open the session of a payment that was begun, outside any transaction, and keeps its address.
 *
 * @throws BAD_GATEWAY (`PaymentSessionError`) when it opened none: the payment is FAILED, nothing is charged.
 */
export async function openSession(deps: OpenSessionDeps, begun: BegunPayment): Promise<OpenedPayment> {
  const { order, payment, gateway } = begun;
  const session = await askForSession(deps, begun);
  if (session.kind === 'refused') {
    deps.log.warn(
      { paymentId: payment.id, gateway: gateway.name, reason: session.reason },
      'no payment session',
    );
    await inTransaction(deps.db, (tx) => refuseSession(tx, deps.clock, payment));
    throw noSession(order, payment);
  }
  // The order's row first, as everywhere; both writes are guarded by what they find, so nothing waits for an answer.
  await inOneBatch(deps.db, (tx) =>
    Promise.all([
      markSessionOpened(tx, order.id),
      storePaymentSession(tx, {
        id: payment.id,
        url: session.url,
        session: session.session,
        sessionId: session.sessionId,
      }),
    ]),
  );
  return toOpened(payment, session.url);
}

/** Gateways insist on an address. */
const NO_ADDRESS = 'no-address@vouchers.example';

async function askForSession(deps: OpenSessionDeps, begun: BegunPayment): Promise<SessionResult> {
  const { order, payment, gateway, customer } = begun;
  try {
    if (!customer) throw new Error(`There is no user ${order.user_id}`);
    return await gateway.openSession({
      transactionId: payment.transaction_id,
      gatewayReference: payment.gateway_reference,
      amountMinor: payment.amount_minor,
      currency: payment.currency,
      description: `Order ${order.order_number}`,
      customer: { ...customer, email: customer.email ?? NO_ADDRESS },
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
  await recordEvents(tx, [paymentEvent('payment.failed', { ...payment, failure_reason: reason })]);
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

/** As customers are told. */
export function toOpened(payment: PaymentRow, url: string | null): OpenedPayment {
  const { transaction_id: transactionId, method } = payment;
  return { transactionId, paymentGatewayUrl: url, method, status: url === null ? 'SUCCEEDED' : 'PENDING' };
}
