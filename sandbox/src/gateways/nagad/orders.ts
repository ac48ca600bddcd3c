import { dhakaDateTime, dhakaDigits } from '../../dhaka-time.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { randomCapitals, randomDigits, randomLetters } from '../../random-text.ts';
import type { Outcome } from '../gateway.ts';

export interface Order {
  paymentReferenceId: string;
  merchantId: string;
  orderId: string;
  /** Ours; the complete call must bring it back. */
  challenge: string;
  /** "2026-11-21 14:03:09" in Dhaka. */
  orderDateTime: string;
  /** Set by the complete call. */
  checkout?: {
    amount: string;
    amountMinor: number;
    callbackUrl: string;
    additionalMerchantInfo: string | null;
  };
  outcome?: Outcome;
  paidAt?: string;
  issuerPaymentRef?: string;
  clientMobileNo: string;
  /** What a fault made verifications say instead; whoever asks again hears it again. */
  lie?: { failed?: true; amountMinor?: number };
}

export interface Cancellation {
  referenceNo: string;
  paymentReferenceId: string;
  amountMinor: number;
  issuerDateTime: string;
  issuerRefNo: string;
}

export interface Orders {
  open(merchantId: string, orderId: string): Order;
  save(order: Order): void;
  find(paymentReferenceId: string): Order | undefined;
  withOrderId(orderId: string): Order | undefined;
  settle(order: Order, outcome: Outcome): void;
  addCancellation(order: Order, what: { referenceNo: string; amountMinor: number }): Cancellation;
  cancellationsOf(paymentReferenceId: string): Cancellation[];
}

export function openOrders(ledger: Ledger): Orders {
  const orders = ledger.table<Order>('wallet_direct/orders');
  const cancellations = ledger.table<Cancellation>('wallet_direct/cancellations');
  const byOrderId = orders.indexBy((order) => order.orderId);
  const cancellationsOf = cancellations.indexBy((cancellation) => cancellation.paymentReferenceId);
  const save = (order: Order) => orders.put(order.paymentReferenceId, order);
  return {
    open(merchantId, orderId) {
      const reference = `${dhakaDigits()}.${merchantId}.${orderId}.${randomLetters(9)}`;
      const order: Order = {
        paymentReferenceId: Buffer.from(reference).toString('base64'),
        merchantId,
        orderId,
        challenge: randomLetters(40),
        orderDateTime: dhakaDateTime(),
        clientMobileNo: `017****${randomDigits(4)}`,
      };
      save(order);
      return order;
    },
    save,
    find: (paymentReferenceId) => orders.get(paymentReferenceId),
    withOrderId: (orderId) => byOrderId(orderId)[0],
    settle(order, outcome) {
      const paid =
        outcome === 'success' ? { paidAt: dhakaDateTime(), issuerPaymentRef: randomCapitals(8) } : {};
      save({ ...order, outcome, ...paid });
    },
    addCancellation(order, { referenceNo, amountMinor }) {
      const { paymentReferenceId } = order;
      const issued = { issuerDateTime: dhakaDateTime(), issuerRefNo: randomCapitals(8) };
      const cancellation: Cancellation = { referenceNo, paymentReferenceId, amountMinor, ...issued };
      cancellations.put(`${paymentReferenceId}/${referenceNo}`, cancellation);
      return cancellation;
    },
    cancellationsOf,
  };
}

export function cancelledMinor(cancellations: readonly Cancellation[]): number {
  return cancellations.reduce((sum, cancellation) => sum + cancellation.amountMinor, 0);
}
