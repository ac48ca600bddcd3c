import { describe, expect, it } from 'vitest';

import { describeOrder } from './order-label.ts';
import { orderStates, payableStatuses } from './order-states.ts';

describe('order states', () => {
  it('show a paid order as failed in no state (interface part 3)', () => {
    for (const status of orderStates.states) {
      if (status === 'FAILED' || status === 'CANCELLED') continue;
      const shown = describeOrder({ status, isPaid: true });
      expect([status, shown.severity]).not.toEqual([status, 'error']);
      expect(shown.label).not.toMatch(/fail|cancel/i);
    }
    expect(describeOrder({ status: 'PENDING', isPaid: true }).label).toBe('Payment received');
    expect(describeOrder({ status: 'PENDING', isPaid: false }).label).toBe('Waiting for payment');
    expect(describeOrder({ status: 'NEEDS_ATTENTION', isPaid: true }).label).toBe('Being prepared');
  });

  it('take a verified payment in every state that is not paid yet', () => {
    expect(orderStates.sources('paymentSucceeded', 'PENDING').toSorted()).toEqual([
      'CANCELLED',
      'FAILED',
      'INITIATED',
    ]);
    expect(payableStatuses).toEqual(['INITIATED', 'PENDING', 'FAILED', 'CANCELLED']);
  });

  it('never leave SUCCEEDED but for an operator who asks for attention', () => {
    expect(orderStates.edges.filter((edge) => edge.from === 'SUCCEEDED').map((edge) => edge.to)).toEqual([
      'NEEDS_ATTENTION',
    ]);
  });

  it('end every path of a paid order in SUCCEEDED or with an operator', () => {
    const facts = new Set(
      orderStates.edges.filter((edge) => edge.from === 'NEEDS_ATTENTION').map((edge) => edge.to),
    );
    expect([...facts]).toEqual(['SUCCEEDED']);
  });
});
