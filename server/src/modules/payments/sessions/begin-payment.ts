import type { Tx } from '../../../platform/db/database.ts';
import type { Random } from '../../../platform/random.ts';
import type { Clock } from '../../../platform/time.ts';
import type { OrderRow } from '../../orders/index.ts';
import type { ConfiguredGateway } from '../gateways/gateway.ts';
import { insertPayment } from '../payment-store.ts';
import type { PaymentRow } from '../payment-store.ts';
import { nextVerificationAt } from '../verify-schedule.ts';

export interface BeginPaymentDeps {
  readonly clock: Clock;
  readonly random: Random;
}

export interface PaymentToBegin {
  readonly order: OrderRow;
  readonly method: string;
  /** Undefined when nothing is to be paid. */
  readonly gateway: ConfiguredGateway | undefined;
  readonly description?: string | undefined;
}

const REFERENCE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/**
 * Writes down the payment whose session is opened next, after the transaction: whatever becomes of the session, the
 * sweep asks about it. The caller holds the order's lock, or has just made the order, and has its units held.
 */
export function beginPayment(
  deps: BeginPaymentDeps,
  tx: Tx,
  { order, method, gateway, description }: PaymentToBegin,
): Promise<PaymentRow> {
  const now = deps.clock.now();
  return insertPayment(tx, {
    orderId: order.id,
    prefix: gateway?.transactionPrefix ?? 'FREE',
    suffix: deps.random.text(REFERENCE_ALPHABET, 10),
    at: now,
    gatewayReference: deps.random.text(REFERENCE_ALPHABET, 20),
    method,
    gateway: gateway?.name ?? 'none',
    amountMinor: order.total_minor,
    currency: order.currency,
    description: description ?? `Order ${order.order_number}`,
    nextVerifyAt: gateway
      ? nextVerificationAt({ status: 'PENDING', failureReason: null, step: 0, now })
      : null,
  });
}
