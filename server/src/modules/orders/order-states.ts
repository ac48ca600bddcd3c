import { defineStateMachine } from '../../platform/state-machine.ts';

/**
 * Order life cycle (interface part 3, decisions 4.2, 4.5, 4.6, 4.10, 4.15). The database repeats the edges in
 * `guard_order` (migration 0004); a test compares the two.
 */
export const orderStates = defineStateMachine({
  name: 'order',
  states: ['INITIATED', 'PENDING', 'FAILED', 'CANCELLED', 'SUCCEEDED', 'NEEDS_ATTENTION'],
  edges: [
    { from: 'INITIATED', on: 'sessionOpened', to: 'PENDING' },
    { from: 'FAILED', on: 'sessionOpened', to: 'PENDING' },
    { from: 'CANCELLED', on: 'sessionOpened', to: 'PENDING' },

    { from: 'INITIATED', on: 'paymentSucceeded', to: 'PENDING' },
    { from: 'FAILED', on: 'paymentSucceeded', to: 'PENDING' },
    { from: 'CANCELLED', on: 'paymentSucceeded', to: 'PENDING' },

    { from: 'INITIATED', on: 'paymentFailed', to: 'FAILED' },
    { from: 'PENDING', on: 'paymentFailed', to: 'FAILED' },
    { from: 'CANCELLED', on: 'paymentFailed', to: 'FAILED' },
    { from: 'INITIATED', on: 'paymentCancelled', to: 'CANCELLED' },
    { from: 'PENDING', on: 'paymentCancelled', to: 'CANCELLED' },

    { from: 'INITIATED', on: 'holdExpired', to: 'CANCELLED' },
    { from: 'PENDING', on: 'holdExpired', to: 'CANCELLED' },
    { from: 'INITIATED', on: 'cancelled', to: 'CANCELLED' },
    { from: 'PENDING', on: 'cancelled', to: 'CANCELLED' },
    { from: 'FAILED', on: 'cancelled', to: 'CANCELLED' },

    { from: 'PENDING', on: 'delivered', to: 'SUCCEEDED' },
    { from: 'NEEDS_ATTENTION', on: 'delivered', to: 'SUCCEEDED' },
    { from: 'PENDING', on: 'fulfillmentFailed', to: 'NEEDS_ATTENTION' },
    { from: 'PENDING', on: 'attentionAsked', to: 'NEEDS_ATTENTION' },
    { from: 'SUCCEEDED', on: 'attentionAsked', to: 'NEEDS_ATTENTION' },
  ],
});

export type OrderStatus = (typeof orderStates.states)[number];
export type OrderFact = (typeof orderStates.edges)[number]['on'];

/** The order statuses a payment session may be opened in (interface part 3, first row). */
export const payableStatuses: readonly OrderStatus[] = ['INITIATED', 'PENDING', 'FAILED', 'CANCELLED'];
