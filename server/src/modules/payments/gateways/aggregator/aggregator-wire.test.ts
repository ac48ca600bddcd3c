import { describe, expect, it } from 'vitest';

import type { PaymentToVerify } from '../gateway.ts';
import {
  claimIn,
  judgeQuery,
  judgeRefund,
  judgeValidation,
  signatureOf,
  transactionStates,
} from './aggregator-wire.ts';

const payment: PaymentToVerify = {
  gatewayReference: 'REF',
  session: { sessionkey: 'KEY' },
  amountMinor: 50_000,
  currency: 'BDT',
  evidence: {},
  claimCapture: async () => true,
  isRepeat: false,
};
const paid = {
  APIConnect: 'DONE',
  status: 'VALID',
  tran_id: 'REF',
  amount: '500.00',
  currency: 'BDT',
  bank_tran_id: 'B1',
};

describe('judgeValidation', () => {
  it.each(['VALID', 'VALIDATED', 'VALID_AND_CONFIRMED', 'valid'])(
    'confirms %s (interface part 4, rule 2)',
    (status) => {
      expect(judgeValidation({ ...paid, status }, payment)).toMatchObject({
        kind: 'confirmed',
        amountMinor: 50_000,
        currency: 'BDT',
        gatewayTransactionId: 'B1',
      });
    },
  );

  it('maps every state it knows and leaves all others unknown', () => {
    for (const [status, kind] of Object.entries(transactionStates)) {
      expect(judgeValidation({ ...paid, status }, payment).kind).toBe(kind);
    }
    for (const status of ['', 'PAID', 'constructor', null, 7]) {
      expect(judgeValidation({ ...paid, status }, payment).kind).toBe('unknown');
    }
  });

  it('confirms nothing that is about another transaction or has no amount', () => {
    expect(judgeValidation({ ...paid, tran_id: 'OTHER' }, payment).kind).toBe('refused');
    for (const amount of ['', 'x', '1e3', '-5', null, '500.001']) {
      expect(judgeValidation({ ...paid, amount }, payment).kind).toBe('unknown');
    }
  });

  it('reports amount and currency as given', () => {
    expect(
      judgeValidation({ ...paid, amount: 12.5, currency: '', currency_type: 'USD' }, payment),
    ).toMatchObject({
      amountMinor: 1_250,
      currency: 'USD',
    });
  });

  it.each(['FAILED', 'INACTIVE', 'INVALID_REQUEST', undefined])(
    'is unknown when the call was not accepted: %s',
    (APIConnect) => {
      expect(judgeValidation({ ...paid, APIConnect }, payment).kind).toBe('unknown');
    },
  );
});

describe('judgeQuery', () => {
  const query = (...element: unknown[]) => judgeQuery({ APIConnect: 'DONE', element }, payment);

  it('takes the paid attempt among several, wherever it stands', () => {
    const { APIConnect: _connect, ...attempt } = paid;
    expect(query({ ...attempt, status: 'FAILED' }, attempt, { ...attempt, status: 'CANCELLED' }).kind).toBe(
      'confirmed',
    );
  });

  it('takes the last attempt when none was paid, and processing when there is none', () => {
    expect(query({ status: 'FAILED' }, { status: 'CANCELLED' }).kind).toBe('cancelled');
    expect(query().kind).toBe('processing');
    expect(judgeQuery({ APIConnect: 'DONE', element: 'none' }, payment).kind).toBe('processing');
    expect(query(null, 'x', []).kind).toBe('unknown');
  });
});

describe('claimIn', () => {
  it('reads what a callback claims', () => {
    const claims = ['VALID', 'FAILED', 'CANCELLED', 'EXPIRED', 'UNATTEMPTED', 'PENDING', '', 'toString'];
    expect(claims.map((status) => claimIn({ status }))).toEqual([
      'success',
      'failure',
      'cancel',
      'failure',
      'failure',
      'unclear',
      'unclear',
      'unclear',
    ]);
  });
});

describe('signatureOf', () => {
  // MD5 of "amount=10.00&store_passwd=<md5 of secret>&tran_id=REF".
  const fields = { amount: '10.00', tran_id: 'REF', verify_key: 'amount,tran_id' };

  it('finds a signature wrong when any signed value or the signature was changed', () => {
    expect(signatureOf({ ...fields, verify_sign: '0'.repeat(32) }, 'secret')).toBe('wrong');
    expect(signatureOf({ ...fields, verify_sign: 'x' }, 'secret')).toBe('wrong');
  });

  it('is unsigned without signature or without the names it covers', () => {
    expect(signatureOf(fields, 'secret')).toBe('unsigned');
    expect(signatureOf({ verify_sign: 'x', verify_key: '' }, 'secret')).toBe('unsigned');
  });
});

describe('judgeRefund', () => {
  it.each([
    ['refunded', 'refunded'],
    ['success', 'processing'],
    ['processing', 'processing'],
    ['failed', 'refused'],
    ['cancelled', 'refused'],
    ['', 'unknown'],
    ['constructor', 'unknown'],
  ])('maps %j to %s', (status, kind) => {
    expect(judgeRefund({ APIConnect: 'DONE', status, refund_ref_id: 'R1' }).kind).toBe(kind);
  });

  it('believes no refund without its id', () => {
    expect(judgeRefund({ APIConnect: 'DONE', status: 'refunded' }).kind).toBe('unknown');
  });
});
