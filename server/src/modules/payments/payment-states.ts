import { defineStateMachine } from '../../platform/state-machine.ts';

/**
 * Payment life cycle (interface part 3, decisions 4.6). SUCCEEDED is absorbing: nothing leaves it, and a verified
 * success is taken from every other state, because money taken is money honoured. The states only ever rise in the
 * order PENDING, CANCELLED, FAILED, SUCCEEDED, so callbacks in any order end alike. The database repeats the edges in
 * `guard_payment` (migration 0006); a test compares the two.
 */
export const paymentStates = defineStateMachine({
  name: 'payment',
  states: ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED'],
  edges: [
    { from: 'PENDING', on: 'gatewayConfirmed', to: 'SUCCEEDED' },
    { from: 'FAILED', on: 'gatewayConfirmed', to: 'SUCCEEDED' },
    { from: 'CANCELLED', on: 'gatewayConfirmed', to: 'SUCCEEDED' },

    { from: 'PENDING', on: 'gatewayRefused', to: 'FAILED' },
    { from: 'CANCELLED', on: 'gatewayRefused', to: 'FAILED' },
    { from: 'PENDING', on: 'customerCancelled', to: 'CANCELLED' },

    { from: 'PENDING', on: 'sessionRefused', to: 'FAILED' },
    { from: 'PENDING', on: 'verificationUnavailable', to: 'FAILED' },
    { from: 'PENDING', on: 'amountMismatched', to: 'FAILED' },
    { from: 'CANCELLED', on: 'amountMismatched', to: 'FAILED' },
  ],
});

export type PaymentStatus = (typeof paymentStates.states)[number];
export type PaymentFact = (typeof paymentStates.edges)[number]['on'];

/** Why a payment is not SUCCEEDED. Stored, shown to operators. */
export type FailureReason =
  | 'SESSION_REFUSED'
  | 'VERIFICATION_UNAVAILABLE'
  | 'NOT_CONFIRMED'
  | 'GATEWAY_REFUSED'
  | 'CUSTOMER_CANCELLED'
  | 'PAYMENT_MISMATCH';
