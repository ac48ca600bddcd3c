import { defineStateMachine } from '../../platform/state-machine.ts';

/** Interface part 3, redemption code states. The database repeats it (trigger redemption_codes__guard). */
export const redemptionCodeStates = defineStateMachine({
  name: 'redemption code',
  states: ['pending_stock', 'unused', 'redeemed', 'voided', 'expired'],
  edges: [
    { from: 'pending_stock', on: 'voucherCodeSupplied', to: 'unused' },
    { from: 'pending_stock', on: 'adminVoided', to: 'voided' },
    { from: 'pending_stock', on: 'campaignEnded', to: 'expired' },
    { from: 'unused', on: 'redeemed', to: 'redeemed' },
    { from: 'unused', on: 'adminVoided', to: 'voided' },
    { from: 'unused', on: 'campaignEnded', to: 'expired' },
  ],
});

export type RedemptionCodeStatus = (typeof redemptionCodeStates.states)[number];

/** Those that can still become something else. */
export const openCodeStatuses: readonly RedemptionCodeStatus[] = redemptionCodeStates.states.filter(
  (status) => redemptionCodeStates.edges.some((edge) => edge.from === status),
);
