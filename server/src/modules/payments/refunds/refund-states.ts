import { defineStateMachine } from '../../../platform/state-machine.ts';

/**
 * Refund life cycle (decisions 4.19). Unknown is a state of its own: a refund whose answer was lost is asked about, and
 * never sent again. The database repeats the edges in `guard_refund` (migration 0014); a test compares the two.
 */
export const refundStates = defineStateMachine({
  name: 'refund',
  states: ['requested', 'approved', 'sending', 'succeeded', 'failed', 'unknown', 'rejected', 'manual'],
  edges: [
    { from: 'requested', on: 'adminApproved', to: 'approved' },
    { from: 'requested', on: 'refundedByHand', to: 'manual' },
    { from: 'requested', on: 'adminRejected', to: 'rejected' },

    { from: 'approved', on: 'sendingBegan', to: 'sending' },
    { from: 'sending', on: 'neverSent', to: 'approved' },
    { from: 'sending', on: 'answerLost', to: 'unknown' },
    { from: 'unknown', on: 'gatewayProcessing', to: 'sending' },

    { from: 'sending', on: 'gatewayRefunded', to: 'succeeded' },
    { from: 'unknown', on: 'gatewayRefunded', to: 'succeeded' },
    { from: 'sending', on: 'gatewayRefused', to: 'failed' },
    { from: 'unknown', on: 'gatewayRefused', to: 'failed' },
  ],
});

export type RefundStatus = (typeof refundStates.states)[number];
export type RefundFact = (typeof refundStates.edges)[number]['on'];

/** Statuses in which the money is back with the customer. */
export const refundedStatuses: readonly RefundStatus[] = ['succeeded', 'manual'];
