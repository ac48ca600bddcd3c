import { printAmount } from '../../amount.ts';
import { dhakaGmtText } from '../../dhaka-time.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { randomCapitals, randomDigits, randomLetters } from '../../random-text.ts';
import type { Outcome } from '../gateway.ts';
import type { CreateOrder } from './create-fields.ts';

export interface Payment extends CreateOrder {
  paymentID: string;
  hash: string;
  /** Part of the callback addresses; nobody outside can check it. */
  signature: string;
  paymentCreateTime: string;
  outcome?: Outcome;
  customerMsisdn: string;
  /** Execution is asked for once: it completes the payment or spends the paymentID. */
  execution?: 'completed' | 'refused';
  trxID?: string;
  paymentExecuteTime?: string;
  /** What a fault made answers say instead; whoever asks again hears it again. */
  lie?: { amountMinor?: number; currency?: string; declined?: true };
}

export interface Refund {
  refundTrxID: string;
  paymentID: string;
  trxID: string;
  amountMinor: number;
  completedTime: string;
}

export interface Payments {
  open(order: CreateOrder): Payment;
  save(payment: Payment): void;
  find(paymentID: string): Payment | undefined;
  withTrxId(trxID: string): Payment | undefined;
  addRefund(payment: Payment, amountMinor: number): Refund;
  /** Oldest first. */
  refundsOf(paymentID: string): Refund[];
  findRefund(refundTrxID: string): Refund | undefined;
}

export const newTrxId = (): string => randomCapitals(10);

/** What is left to give back. */
export function refundableMinor(payment: Payment, refunds: readonly Refund[]): number {
  return payment.amountMinor - refunds.reduce((sum, refund) => sum + refund.amountMinor, 0);
}

export function maxRefundableAmount(payment: Payment, refunds: readonly Refund[]): string {
  return printAmount(refundableMinor(payment, refunds));
}

export function openPayments(ledger: Ledger): Payments {
  const payments = ledger.table<Payment>('wallet_tokenized/payments');
  const refunds = ledger.table<Refund>('wallet_tokenized/refunds');
  const byTrxId = payments.indexBy((payment) => payment.trxID);
  const refundsByPayment = refunds.indexBy((refund) => refund.paymentID);
  const save = (payment: Payment) => payments.put(payment.paymentID, payment);

  return {
    open(order) {
      const payment: Payment = {
        ...order,
        paymentID: `TR${order.mode}${randomLetters(7)}${Date.now()}`,
        hash: randomLetters(48),
        signature: randomLetters(10),
        paymentCreateTime: dhakaGmtText(),
        customerMsisdn: `0177${randomDigits(7)}`,
      };
      save(payment);
      return payment;
    },
    save,
    find: (paymentID) => payments.get(paymentID),
    withTrxId: (trxID) => byTrxId(trxID)[0],
    addRefund(payment, amountMinor) {
      const refund: Refund = {
        refundTrxID: newTrxId(),
        paymentID: payment.paymentID,
        trxID: payment.trxID ?? '',
        amountMinor,
        completedTime: dhakaGmtText(),
      };
      refunds.put(refund.refundTrxID, refund);
      return refund;
    },
    refundsOf: refundsByPayment,
    findRefund: (refundTrxID) => refunds.get(refundTrxID),
  };
}
