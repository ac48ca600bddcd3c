import { generateKeyPairSync } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { PaymentToVerify } from '../gateway.ts';
import type { RefundQuestion } from '../refund.ts';
import { createSealer } from './sealed-text.ts';
import {
  claimIn,
  dhakaTimestamp,
  judgeCancellation,
  judgePayment,
  paymentStates,
} from './wallet-direct-wire.ts';

const payment: PaymentToVerify = {
  gatewayReference: 'REF',
  session: { paymentReferenceId: 'PREF==' },
  amountMinor: 1_600,
  currency: 'BDT',
  evidence: {},
  claimCapture: async () => true,
  isRepeat: false,
};
const paid = {
  merchantId: 'M',
  orderId: 'REF',
  paymentRefId: 'PREF==',
  amount: '16',
  status: 'Success',
  statusCode: '000',
  issuerPaymentRefNo: 'ISS1',
};

describe('judgePayment', () => {
  it('confirms a success with its code, in taka', () => {
    expect(judgePayment(paid, payment, 'M')).toMatchObject({
      kind: 'confirmed',
      amountMinor: 1_600,
      currency: 'BDT',
      gatewayTransactionId: 'ISS1',
    });
  });

  it('maps every state it knows and leaves all others unknown, whatever amount is echoed', () => {
    for (const [status, kind] of Object.entries(paymentStates)) {
      expect(judgePayment({ ...paid, status }, payment, 'M').kind).toBe(kind);
    }
    for (const status of ['', 'Done', 'valueOf', 1]) {
      expect(judgePayment({ ...paid, status }, payment, 'M').kind).toBe('unknown');
    }
  });

  it.each([{ merchantId: 'X' }, { orderId: 'X' }, { paymentRefId: 'X' }])(
    'does not take %j for ours',
    (changes) => {
      expect(judgePayment({ ...paid, ...changes }, payment, 'M').kind).toBe('refused');
    },
  );

  it('is unknown for a success with another code or without an amount', () => {
    expect(judgePayment({ ...paid, statusCode: '' }, payment, 'M').kind).toBe('unknown');
    expect(judgePayment({ ...paid, amount: null }, payment, 'M').kind).toBe('unknown');
  });
});

describe('judgeCancellation', () => {
  const question = {
    payment: { gatewayReference: 'REF' },
    otherRefundIds: ['C1'],
  } as unknown as RefundQuestion;

  it('takes a cancellation that is no other refund for ours', () => {
    const judged = (cancelIssuerRefNo: unknown) =>
      judgeCancellation({ ...paid, cancelIssuerRefNo }, question).kind;
    expect([judged('C2'), judged('C1'), judged(null)]).toEqual(['refunded', 'refused', 'refused']);
  });

  it('is unknown when the answer is about another payment', () => {
    expect(judgeCancellation({ ...paid, orderId: 'X', cancelIssuerRefNo: 'C2' }, question).kind).toBe(
      'unknown',
    );
  });
});

describe('claimIn', () => {
  it('reads what the browser brings', () => {
    const statuses = ['Success', 'Failed', 'Aborted', 'Cancelled', 'Pending', ''];
    expect(statuses.map((status) => claimIn({ status }))).toEqual([
      'success',
      'failure',
      'cancel',
      'cancel',
      'unclear',
      'unclear',
    ]);
  });
});

describe('dhakaTimestamp', () => {
  it('writes the time in Dhaka, six hours ahead of UTC, over midnight and the year', () => {
    expect(dhakaTimestamp(new Date('2026-11-21T08:03:09.999Z'))).toBe('20261121140309');
    expect(dhakaTimestamp(new Date('2026-12-31T18:00:00Z'))).toBe('20270101000000');
  });
});

describe('createSealer', () => {
  const [ours, theirs] = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ];
  const bare = (pair: typeof ours) => ({
    privateKey: pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    publicKey: pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  });
  const sealer = (digest: string, own = ours, other = theirs) =>
    createSealer({ ownPrivate: bare(own).privateKey, theirPublic: bare(other).publicKey, digest });

  it.each(['sha256', 'sha1'])('opens what the other side sealed with %s', (digest) => {
    const sealed = sealer(digest, theirs, ours).seal({ challenge: 'c' });
    expect(sealer(digest).unseal({ ...sealed })).toEqual({ challenge: 'c' });
  });

  it('opens nothing that was signed by somebody else, with another digest, or changed', () => {
    const sealed = sealer('sha256', theirs, ours).seal({ challenge: 'c' });
    const forged = sealer('sha256', ours, ours).seal({ challenge: 'c' });
    expect(() => sealer('sha256').unseal({ ...forged })).toThrow('not signed by Nagad');
    expect(() => sealer('sha1').unseal({ ...sealed })).toThrow('not signed by Nagad');
    const other = sealer('sha256', theirs, ours).seal({ challenge: 'd' });
    expect(() => sealer('sha256').unseal({ ...sealed, sensitiveData: other.sensitiveData })).toThrow(
      'not signed',
    );
    expect(() => sealer('sha256').unseal({})).toThrow(/./);
  });
});
