import { expect, it } from 'vitest';

import { refundedStatuses, refundStates } from './refund-states.ts';

it('lets nothing leave an end, so money is given back and counted once', () => {
  const ends = refundStates.states.filter((state) => refundStates.edges.every(({ from }) => from !== state));
  expect(ends).toEqual(['succeeded', 'failed', 'rejected', 'manual']);
  expect(refundedStatuses.every((status) => ends.includes(status))).toBe(true);
});

it('sends only what is approved, and goes back there only when the call never left', () => {
  expect(refundStates.edges.filter(({ to }) => to === 'sending').map(({ from, on }) => [from, on])).toEqual([
    ['approved', 'sendingBegan'],
    ['unknown', 'gatewayProcessing'],
  ]);
  expect(refundStates.sources('neverSent', 'approved')).toEqual(['sending']);
});
