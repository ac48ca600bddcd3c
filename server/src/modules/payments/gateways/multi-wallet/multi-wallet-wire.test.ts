import { describe, expect, it } from 'vitest';

import { claimIn, judgeStatus, transactionStates } from './multi-wallet-wire.ts';

const transaction = {
  invoice_number: 'REF',
  trx_status: 'success',
  trx_id: 'TRX1',
  request_amount: '500.00',
  payment_amount: '500.00',
};
const answer = (changes: object = {}, envelope: object = {}) => ({
  status_code: '200',
  status: 'success',
  data: { ...transaction, ...changes },
  ...envelope,
});

describe('judgeStatus', () => {
  it('confirms success in any letter case, with the amount asked for, in taka', () => {
    for (const trx_status of ['success', 'Success', 'SUCCESS']) {
      expect(judgeStatus(answer({ trx_status }), 'REF')).toMatchObject({
        kind: 'confirmed',
        amountMinor: 50_000,
        currency: 'BDT',
        gatewayTransactionId: 'TRX1',
      });
    }
  });

  it('maps every state it knows and leaves all others unknown, whatever amount is echoed', () => {
    for (const [trx_status, kind] of Object.entries(transactionStates)) {
      expect(judgeStatus(answer({ trx_status }), 'REF').kind).toBe(kind);
    }
    for (const trx_status of ['', 'paid', '__proto__', null]) {
      expect(judgeStatus(answer({ trx_status }), 'REF').kind).toBe('unknown');
    }
  });

  it('confirms nothing about another invoice or without an amount', () => {
    expect(judgeStatus(answer({ invoice_number: 'OTHER' }), 'REF').kind).toBe('refused');
    expect(judgeStatus(answer({ request_amount: '', payment_amount: 'x' }), 'REF').kind).toBe('unknown');
  });

  it('reads an amount without decimals, and a number', () => {
    expect(judgeStatus(answer({ request_amount: '500' }), 'REF')).toMatchObject({ amountMinor: 50_000 });
    expect(judgeStatus(answer({ request_amount: 500.5 }), 'REF')).toMatchObject({ amountMinor: 50_050 });
  });

  it('is refused when the invoice is not known, and unknown for every other code', () => {
    expect(judgeStatus({ status_code: '2001', status: 'failed', message: 'not found' }, 'REF').kind).toBe(
      'refused',
    );
    for (const status_code of ['1001', '1006', '500', '']) {
      expect(judgeStatus({ status_code, message: 'no' }, 'REF').kind).toBe('unknown');
    }
    expect(judgeStatus({ status_code: '200', data: null }, 'REF').kind).toBe('unknown');
  });
});

describe('claimIn', () => {
  it('reads the browser callback and the merchant notice', () => {
    const claims = [
      claimIn({ status: 'Successful' }),
      claimIn({ status: 'Failed' }),
      claimIn({ status: 'Canceled' }),
      claimIn({ trx_status: 'success' }),
      claimIn({}),
      claimIn({ status: 'valueOf' }),
    ];
    expect(claims).toEqual(['success', 'failure', 'cancel', 'success', 'unclear', 'unclear']);
  });
});
