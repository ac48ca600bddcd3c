import { defineStateMachine } from '../../../platform/state-machine.ts';

/**
 * Life of the purchase of one unit from a partner (decisions 6.4). The database repeats the edges in
 * `guard_partner_transaction` (migration 0015); a test compares the two.
 *
 * INTENT: written, not called yet. SENT: the call is under way, or whoever made it died. UNKNOWN: nobody knows whether
 * it was done; it is asked about, and nothing is bought for the unit meanwhile. DISPUTED: they say that it was done,
 * and there is no good code. LATE: it was done, and the unit had been served otherwise; its code is kept.
 */
export const purchaseStates = defineStateMachine({
  name: 'purchase',
  states: ['INTENT', 'SENT', 'UNKNOWN', 'DISPUTED', 'OK', 'REJECTED', 'LATE'],
  edges: [
    { from: 'INTENT', on: 'sent', to: 'SENT' },
    { from: 'INTENT', on: 'refused', to: 'REJECTED' },

    { from: 'SENT', on: 'delivered', to: 'OK' },
    { from: 'SENT', on: 'refused', to: 'REJECTED' },
    { from: 'SENT', on: 'unanswered', to: 'UNKNOWN' },
    { from: 'SENT', on: 'disputed', to: 'DISPUTED' },
    { from: 'SENT', on: 'cameLate', to: 'LATE' },

    { from: 'UNKNOWN', on: 'delivered', to: 'OK' },
    { from: 'UNKNOWN', on: 'refused', to: 'REJECTED' },
    { from: 'UNKNOWN', on: 'disputed', to: 'DISPUTED' },
    { from: 'UNKNOWN', on: 'cameLate', to: 'LATE' },
    // Only with a partner for whom the same reference is the same purchase.
    { from: 'UNKNOWN', on: 'sent', to: 'SENT' },

    { from: 'DISPUTED', on: 'delivered', to: 'OK' },
    { from: 'DISPUTED', on: 'refused', to: 'REJECTED' },
    { from: 'DISPUTED', on: 'cameLate', to: 'LATE' },

    // Declared dead, and it lived.
    { from: 'REJECTED', on: 'delivered', to: 'OK' },
    { from: 'REJECTED', on: 'cameLate', to: 'LATE' },
  ],
});

export type PurchaseStatus = (typeof purchaseStates.states)[number];
export type PurchaseFact = (typeof purchaseStates.edges)[number]['on'];

/** While a unit's purchase is in one of these, nothing else may be bought for the unit. */
export const openStatuses: readonly PurchaseStatus[] = ['INTENT', 'SENT', 'UNKNOWN', 'DISPUTED'];
/** A call is about to be made or under way: an answer is a matter of seconds. */
export const inFlightStatuses: readonly PurchaseStatus[] = ['INTENT', 'SENT'];
