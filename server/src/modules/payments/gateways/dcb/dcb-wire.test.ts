import { describe, expect, it } from 'vitest';

import { chargeStates, judgeCharge, judgeRefund, judgeRefundStatus } from './dcb-wire.ts';

const charged = {
  transactionOperationStatus: 'Charged',
  totalAmountCharged: '500.00',
  errorCode: '00',
  errorMessage: '',
};
const answer = (changes: object = {}) => ({ data: { ...charged, ...changes } });

describe('judgeCharge', () => {
  it('confirms a charge, documented or live spelling, in taka', () => {
    for (const transactionOperationStatus of ['Charged', 'charged']) {
      expect(judgeCharge(answer({ transactionOperationStatus }), 'AOC1')).toMatchObject({
        kind: 'confirmed',
        amountMinor: 50_000,
        currency: 'BDT',
        gatewayTransactionId: 'AOC1',
      });
    }
  });

  it('maps every state it knows and leaves all others unknown', () => {
    for (const [transactionOperationStatus, kind] of Object.entries(chargeStates)) {
      expect(judgeCharge(answer({ transactionOperationStatus }), 'AOC1').kind).toBe(kind);
    }
    for (const transactionOperationStatus of ['', 'Refunded', 'constructor', null]) {
      expect(judgeCharge(answer({ transactionOperationStatus }), 'AOC1').kind).toBe('unknown');
    }
  });

  it('is cancelled when the customer cancelled, whatever the status says', () => {
    for (const transactionOperationStatus of ['Denied', '', 'Processing']) {
      expect(judgeCharge(answer({ transactionOperationStatus, errorCode: 'AOC1004' }), 'AOC1').kind).toBe(
        'cancelled',
      );
    }
  });

  it('is unknown for refused questions, missing amounts and answers without data', () => {
    expect(
      judgeCharge({ data: { errorCode: 'AOC0003', errorMessage: 'Invalid token' } }, 'AOC1'),
    ).toMatchObject({
      kind: 'unknown',
      reason: 'Invalid token',
    });
    expect(judgeCharge(answer({ totalAmountCharged: '' }), 'AOC1').kind).toBe('unknown');
    for (const empty of [{}, { data: null }, { data: [] }])
      expect(judgeCharge(empty, 'AOC1').kind).toBe('unknown');
  });
});

describe('judgeRefund', () => {
  const refund = (changes: object) => ({
    data: { transactionOperationStatus: 'refunded', errorCode: '00', clientCorrelator: 'C1', ...changes },
  });

  it.each([
    [{}, 'refunded'],
    [{ transactionOperationStatus: 'Denied', errorCode: 'AOC1007' }, 'refused'],
    [{ transactionOperationStatus: 'Processing' }, 'processing'],
    [{ transactionOperationStatus: '', errorCode: 'AOC1008' }, 'processing'],
    [{ transactionOperationStatus: '', errorCode: 'AOC0001' }, 'unknown'],
    [{ errorCode: 'AOC1007' }, 'unknown'],
  ])('judges %j as %s', (changes, kind) => {
    expect(judgeRefund(refund(changes), 'R').kind).toBe(kind);
  });

  it('has not happened when its state is asked and nobody has heard of it', () => {
    expect(judgeRefundStatus({ data: { errorCode: 'AOC0001' } }, 'R').kind).toBe('refused');
    expect(judgeRefundStatus({ data: { errorCode: 'AOC0003' } }, 'R').kind).toBe('unknown');
    expect(judgeRefundStatus(refund({}), 'R')).toMatchObject({ kind: 'refunded', gatewayRefundId: 'C1' });
  });
});
