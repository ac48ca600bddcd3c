import { describe, expect, it } from 'vitest';

import { AppError } from '../../../platform/errors.ts';
import { orderStates } from '../../orders/index.ts';
import { planStatusChange } from './status-rules.ts';

const paid = ['PENDING', 'SUCCEEDED', 'NEEDS_ATTENTION'] as const;
const unpaid = ['INITIATED', 'PENDING', 'FAILED', 'CANCELLED'] as const;

describe('an operator setting the status (decisions 4.15)', () => {
  it('sets NEEDS_ATTENTION from any paid state', () => {
    const plans = paid.map((status) =>
      planStatusChange({ status, isPaid: true, holdsUnits: false }, 'NEEDS_ATTENTION'),
    );
    expect(plans).toEqual(['ask_attention', 'ask_attention', 'unchanged']);
  });

  it('cancels from any unpaid state, and gives back what a cancelled one still holds', () => {
    const plan = (holdsUnits: boolean) =>
      unpaid.map((status) => planStatusChange({ status, isPaid: false, holdsUnits }, 'CANCELLED'));
    expect(plan(true)).toEqual(['cancel', 'cancel', 'cancel', 'cancel']);
    expect(plan(false)).toEqual(['cancel', 'cancel', 'cancel', 'unchanged']);
  });

  it('answers 400 to every other move', () => {
    const moves = [
      ...paid.map((status) => ({ status, isPaid: true, may: 'NEEDS_ATTENTION' })),
      ...unpaid.map((status) => ({ status, isPaid: false, may: 'CANCELLED' })),
    ];
    const plans = moves.flatMap(({ may, ...order }) =>
      orderStates.states
        .filter((to) => to !== may)
        .map((to) => planStatusChange({ ...order, holdsUnits: true }, to)),
    );
    expect(plans).toHaveLength(35);
    expect(plans.every((plan) => plan instanceof AppError && plan.code === 'BAD_REQUEST')).toBe(true);
  });
});
