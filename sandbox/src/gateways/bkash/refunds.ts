import { parseAmount, printAmount } from '../../amount.ts';
import type { World } from '../../world.ts';
import { refundableMinor } from './payments.ts';
import type { Payment, Payments, Refund } from './payments.ts';
import { refundV2Error, status } from './status-codes.ts';
import type { StatusCode } from './status-codes.ts';

type Answer = Record<string, unknown>;
type Fields = Readonly<Record<string, string>>;

/** v2 allows this many partial refunds of one payment; v1 is held to the same. */
const REFUNDS_PER_PAYMENT = 10;

export interface Refunds {
  /** Without an amount it asks for the last refund; both go to one path in v1. */
  refundV1(fields: Fields): Answer;
  refundV2(fields: Fields): Answer | { refused: Answer };
  statusV2(fields: Fields): Answer | { refused: Answer };
}

export function createRefunds(world: World, payments: Payments): Refunds {
  function find(paymentID = '', trxID = ''): Payment | undefined {
    const payment = payments.find(paymentID);
    return payment?.trxID !== undefined && payment.trxID === trxID ? payment : undefined;
  }

  function refund(payment: Payment, amount: string | undefined): Refund | StatusCode {
    const amountMinor = parseAmount(amount);
    if (!amountMinor) return '2006';
    const earlier = payments.refundsOf(payment.paymentID);
    const leftMinor = refundableMinor(payment, earlier);
    if (leftMinor === 0 || earlier.length >= REFUNDS_PER_PAYMENT) return '2034';
    if (amountMinor > leftMinor) return '2026';
    if (world.faults.take('wallet_tokenized', 'declined', ['refund'])) return '2023';
    return payments.addRefund(payment, amountMinor);
  }

  function answerV1(payment: Payment, made: Refund): Answer {
    return {
      ...status('0000'),
      completedTime: made.completedTime,
      transactionStatus: 'Completed',
      originalTrxID: payment.trxID,
      refundTrxID: made.refundTrxID,
      amount: printAmount(made.amountMinor),
      currency: payment.currency,
      charge: '0.00',
    };
  }

  return {
    refundV1(fields) {
      const payment = find(fields['paymentID'], fields['trxID']);
      if (!payment) return status('2033');
      const onlyAsks = fields['amount'] === undefined;
      const made = onlyAsks
        ? payments.refundsOf(payment.paymentID).at(-1)
        : refund(payment, fields['amount']);
      if (made === undefined) return status('2033');
      return typeof made === 'string' ? status(made) : answerV1(payment, made);
    },

    refundV2(fields) {
      const payment = find(fields['paymentId'], fields['trxId']);
      const made = payment ? refund(payment, fields['refundAmount']) : '2033';
      if (!payment || typeof made === 'string')
        return { refused: refundV2Error(payment ? (made as StatusCode) : '2033') };
      return { ...original(payment), ...describeV2(made), currency: payment.currency };
    },

    statusV2(fields) {
      const payment = find(fields['paymentId'], fields['trxId']);
      if (!payment) return { refused: refundV2Error('2033') };
      const refundTransactions = payments.refundsOf(payment.paymentID).map(describeV2);
      return { ...original(payment), currency: payment.currency, refundTransactions };
    },
  };
}

function original(payment: Payment): Answer {
  return { originalTrxId: payment.trxID, originalTrxAmount: printAmount(payment.amountMinor) };
}

function describeV2(refund: Refund): Answer {
  return {
    refundTrxId: refund.refundTrxID,
    refundTransactionStatus: 'Completed',
    refundAmount: printAmount(refund.amountMinor),
    completedTime: refund.completedTime,
  };
}
