import { describe, expect, it } from 'vitest';

import type { CallbackClaim, Verification } from './gateways/gateway.ts';
import { paymentStates } from './payment-states.ts';
import { unpaidOutcome } from './settle-payment.ts';

describe('payment states', () => {
  it('keep SUCCEEDED for ever and reach it from every other state', () => {
    expect(paymentStates.edges.filter((edge) => edge.from === 'SUCCEEDED')).toEqual([]);
    const others = paymentStates.states.filter((state) => state !== 'SUCCEEDED');
    expect(paymentStates.sources('gatewayConfirmed', 'SUCCEEDED').toSorted()).toEqual(others.toSorted());
  });

  it('only ever rise, so that callbacks in any order end alike', () => {
    const rank = ['PENDING', 'CANCELLED', 'FAILED', 'SUCCEEDED'];
    for (const { from, to } of paymentStates.edges)
      expect(rank.indexOf(to)).toBeGreaterThan(rank.indexOf(from));
  });
});

type Unpaid = Exclude<Verification, { kind: 'confirmed' }>;
const unpaid: Record<Unpaid['kind'], Unpaid> = {
  refused: { kind: 'refused', reason: 'no', details: {} },
  cancelled: { kind: 'cancelled', reason: 'no', details: {} },
  processing: { kind: 'processing', details: {} },
  unknown: { kind: 'unknown', reason: 'silence', details: {} },
};

describe('what an answer without success means (interface part 4, decisions 4.10)', () => {
  const table: [Unpaid['kind'], CallbackClaim | undefined, string, string?][] = [
    ['refused', 'success', 'FAILED', 'GATEWAY_REFUSED'],
    ['refused', 'failure', 'FAILED', 'GATEWAY_REFUSED'],
    ['refused', 'cancel', 'CANCELLED', 'CUSTOMER_CANCELLED'],
    ['refused', undefined, 'FAILED', 'GATEWAY_REFUSED'],
    ['cancelled', 'success', 'CANCELLED', 'CUSTOMER_CANCELLED'],
    ['cancelled', undefined, 'CANCELLED', 'CUSTOMER_CANCELLED'],
    ['processing', 'success', 'FAILED', 'NOT_CONFIRMED'],
    ['processing', 'cancel', 'CANCELLED', 'CUSTOMER_CANCELLED'],
    ['processing', undefined, 'stays'],
    ['unknown', 'success', 'FAILED', 'VERIFICATION_UNAVAILABLE'],
    ['unknown', 'failure', 'FAILED', 'VERIFICATION_UNAVAILABLE'],
    ['unknown', 'cancel', 'CANCELLED', 'CUSTOMER_CANCELLED'],
    ['unknown', undefined, 'stays'],
  ];
  it.each(table)('%s after a callback that claims %s: %s', (kind, claims, to, reason) => {
    const outcome = unpaidOutcome(unpaid[kind], claims);
    expect([outcome?.to ?? 'stays', outcome?.reason]).toEqual([to, reason]);
  });
});
