import type { Reader, Tx } from '../../../platform/db/database.ts';
import { commitWith, inTransaction } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import { formatMinor } from '../../../platform/money.ts';
import { secondsAfter } from '../../../platform/time.ts';
import {
  lockOrder,
  markOrderPaid,
  orderNotFound,
  payableStatuses,
  setOrderHold,
} from '../../orders/index.ts';
import type { Customer, OrderRow } from '../../orders/index.ts';
import { askForDelivery } from '../ask-for-delivery.ts';
import type { ConfiguredGateway } from '../gateways/gateway.ts';
import type { Gateways } from '../gateways/registry.ts';
import { markPaymentSucceeded } from '../payment-store.ts';
import type { PaymentRow } from '../payment-store.ts';
import { beginPayment } from './begin-payment.ts';
import type { BeginPaymentDeps } from './begin-payment.ts';
import { openSession, toOpened } from './open-session.ts';
import type { OpenedPayment, OpenSessionDeps } from './open-session.ts';

export interface InitiatePaymentDeps extends BeginPaymentDeps, OpenSessionDeps {
  readonly gateways: Gateways;
  readonly orderTtlSeconds: number;
  findCustomer(reader: Reader, userId: number): Promise<Customer | undefined>;
  /** Why operators do not want an amount paid by a method; the catalogue knows. */
  readMethodRules(reader: Reader): Promise<(method: string, amountMinor: number) => string | undefined>;
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
  const { gateway, ...begun } = await inTransaction(deps.db, (tx) => begin(deps, tx, input));
  // Nothing to pay: it is paid already.
  return gateway ? openSession(deps, { ...begun, gateway }) : toOpened(begun.payment, null);
}

interface Begun {
  readonly order: OrderRow;
  readonly payment: PaymentRow;
  readonly customer: Customer | undefined;
  /** Undefined when nothing is to be paid. */
  readonly gateway: ConfiguredGateway | undefined;
}

async function begin(deps: InitiatePaymentDeps, tx: Tx, input: InitiatePaymentInput): Promise<Begun> {
  const [order, customer, problemWith] = await Promise.all([
    lockOrder(tx, input.orderId),
    deps.findCustomer(tx, input.userId),
    deps.readMethodRules(tx),
  ]);
  if (!order || order.user_id !== input.userId) throw orderNotFound();
  refuseUnlessPayable(order, input);
  const method = input.method ?? order.payment_method;
  if (method === null) throw fieldError('method', 'method is required: the order names none');
  const problem = problemWith(method, order.total_minor);
  if (problem !== undefined) throw fieldError('method', problem);
  const now = deps.clock.now();
  const heldUntil = secondsAfter(now, deps.orderTtlSeconds);
  const gateway =
    order.total_minor === 0 ? undefined : gatewayFor(deps.gateways, { method, field: 'method' });
  await deps.holdOrder(tx, order, { until: heldUntil, paymentMethod: method, at: now });
  const { description } = input;
  const write = () =>
    Promise.all([
      beginPayment(deps, tx, { order, method, gateway, description }),
      setOrderHold(tx, { orderId: order.id, until: heldUntil, paymentMethod: method }),
    ]);
  const [payment] = gateway ? await commitWith(tx, write) : await write();
  if (!gateway) await settleFree(tx, now, { order, payment });
  return { order, payment, customer, gateway };
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

/** @throws VALIDATION_ERROR about the field that names a method which no gateway serves. */
export function gatewayFor(
  gateways: Gateways,
  { method, field }: { readonly method: string; readonly field: string },
): ConfiguredGateway {
  const gateway = gateways.forMethod(method);
  if (gateway) return gateway;
  const offered = [...gateways.methods].join(', ') || 'none';
  throw fieldError(field, `Payment method ${method} is not available; available: ${offered}`);
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
  await markPaymentSucceeded(tx, { id: payment.id, drivesOrder: true, ...proof });
  await Promise.all(askForDelivery(tx, { order }));
  await markOrderPaid(tx, order.id, at);
}
