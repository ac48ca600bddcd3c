import { describe, expect, it } from 'vitest';

import type { PaymentToVerify } from '../gateway.ts';
import type { RefundQuestion } from '../refund.ts';
import {
  claimIn,
  findRefund,
  judgePayment,
  judgeRefund,
  problemIn,
  refusalCodes,
  transactionStates,
  waitsForExecute,
} from './wallet-tokenized-wire.ts';

const payment: PaymentToVerify = {
  gatewayReference: 'REF',
  session: { paymentID: 'TR1' },
  amountMinor: 59_900,
  currency: 'BDT',
  evidence: {},
  claimCapture: async () => true,
  isRepeat: false,
};
const completed = {
  statusCode: '0000',
  statusMessage: 'Successful',
  paymentID: 'TR1',
  trxID: 'CK250NROQ5',
  transactionStatus: 'Completed',
  amount: '599.00',
  currency: 'BDT',
  merchantInvoiceNumber: 'REF',
};

describe('judgePayment', () => {
  it('confirms Completed, as execute and as query say it', () => {
    const { merchantInvoiceNumber: merchantInvoice, ...rest } = completed;
    for (const answer of [completed, { ...rest, merchantInvoice }]) {
      expect(judgePayment(answer, payment)).toMatchObject({
        kind: 'confirmed',
        amountMinor: 59_900,
        currency: 'BDT',
        gatewayTransactionId: 'CK250NROQ5',
      });
    }
  });

  it('maps every state it knows and leaves all others unknown: only Completed is money', () => {
    for (const [transactionStatus, kind] of Object.entries(transactionStates)) {
      expect(judgePayment({ ...completed, transactionStatus }, payment).kind).toBe(kind);
    }
    for (const transactionStatus of ['', 'Success', 'toString', null]) {
      expect(judgePayment({ ...completed, transactionStatus }, payment).kind).toBe('unknown');
    }
    const confirming = Object.entries(transactionStates).filter(([, kind]) => kind === 'confirmed');
    expect(confirming.map(([state]) => state)).toEqual(['completed']);
  });

  it('is refused for good by the codes that say so, and waits while the customer has not finished', () => {
    for (const statusCode of refusalCodes) expect(judgePayment({ statusCode }, payment).kind).toBe('refused');
    expect(judgePayment({ statusCode: '2056', statusMessage: 'Invalid Payment State' }, payment).kind).toBe(
      'processing',
    );
  });

  it('knows that no money was taken only where their answer says that the customer has not agreed', () => {
    const waiting = { ...completed, transactionStatus: 'Initiated' };
    for (const [answer, isUntouched] of [
      [{ statusCode: '2056' }, true],
      [{ ...waiting, userVerificationStatus: 'Incomplete' }, true],
      [{ ...waiting, userVerificationStatus: 'Complete' }, false],
      // As execute says it: the money may be on its way.
      [waiting, false],
    ] as const)
      expect(judgePayment(answer, payment)).toMatchObject({ kind: 'processing', isUntouched });
  });

  it.each(['2062', '2117', '2068', '2003', '503', ''])(
    'is unknown, so asked about, on code %j',
    (statusCode) => {
      expect(judgePayment({ statusCode, statusMessage: 'x' }, payment).kind).toBe('unknown');
    },
  );

  it('takes no HTTP 200 of the API gateway in front for a success', () => {
    expect(judgePayment({ message: 'Internal server error' }, payment)).toMatchObject({
      kind: 'unknown',
      reason: 'Internal server error',
    });
  });

  it('does not take another payment or invoice for ours, nor a success without an amount', () => {
    expect(judgePayment({ ...completed, paymentID: 'TR2' }, payment).kind).toBe('refused');
    expect(judgePayment({ ...completed, merchantInvoiceNumber: 'X' }, payment).kind).toBe('refused');
    expect(judgePayment({ ...completed, amount: '' }, payment).kind).toBe('unknown');
  });
});

describe('problemIn', () => {
  it('finds the words in each of the four envelopes', () => {
    const envelopes = [
      { statusCode: '2023', statusMessage: 'Insufficient Balance\n' },
      { errorCode: '2023', errorMessage: 'Insufficient Balance' },
      { externalCode: '2023', errorMessageEn: 'Insufficient Balance', errorMessageBn: '…' },
    ];
    expect(new Set(envelopes.map(problemIn))).toEqual(new Set(['2023 Insufficient Balance']));
    expect(problemIn({ message: 'Unauthorized' })).toBe('Unauthorized');
    expect(problemIn({})).toBe('no reason given');
  });
});

describe('waitsForExecute', () => {
  it('is so when the customer has agreed and nothing has been executed', () => {
    const agreed = { transactionStatus: 'Initiated', userVerificationStatus: 'Complete' };
    const answers = [
      agreed,
      { ...agreed, userVerificationStatus: 'Incomplete' },
      { ...agreed, transactionStatus: 'Completed' },
      {},
    ];
    expect(answers.map(waitsForExecute)).toEqual([true, false, false, false]);
  });
});

describe('claimIn', () => {
  it('reads exactly their three words', () => {
    const statuses = ['success', 'failure', 'cancel', 'completed', '', 'constructor'];
    expect(statuses.map((status) => claimIn({ status }))).toEqual([
      'success',
      'failure',
      'cancel',
      'unclear',
      'unclear',
      'unclear',
    ]);
  });
});

describe('refunds', () => {
  const listed = (...refundTransactions: object[]) => ({ refundTransactions });
  const refund = (refundTrxId: string, refundAmount: string, refundTransactionStatus = 'Completed') => ({
    refundTrxId,
    refundAmount,
    refundTransactionStatus,
  });
  const question = {
    amountMinor: 10_000,
    gatewayRefundId: undefined,
    otherRefundIds: ['R1'],
  } as unknown as RefundQuestion;

  it('is found by its amount among those that belong to no other', () => {
    const list = listed(refund('R1', '100.00'), refund('R2', '50.00'), refund('R3', '100.00'));
    expect(findRefund(list, question)).toMatchObject({ kind: 'refunded', gatewayRefundId: 'R3' });
    expect(findRefund(list, { ...question, gatewayRefundId: 'R2' })).toMatchObject({ gatewayRefundId: 'R2' });
    expect(findRefund(listed(refund('R1', '100.00')), question).kind).toBe('refused');
    expect(findRefund(listed(), question).kind).toBe('refused');
  });

  it('is unknown without a list', () => {
    expect(findRefund({ message: 'Internal server error' }, question).kind).toBe('unknown');
  });

  it.each([
    ['Completed', 'refunded'],
    ['Pending', 'processing'],
    ['Declined', 'refused'],
    ['', 'unknown'],
    ['constructor', 'unknown'],
  ])('maps %j to %s', (status, kind) => {
    expect(judgeRefund(refund('R1', '1.00', status)).kind).toBe(kind);
  });
});
