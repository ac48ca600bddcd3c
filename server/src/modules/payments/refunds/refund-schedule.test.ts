import { expect, it } from 'vitest';

import { nextQuestionAt, nextTryAt } from './refund-schedule.ts';

const now = new Date('2026-11-21T00:00:00Z');
const secondsUntil = (at: Date | null): number | null => at && (at.getTime() - now.getTime()) / 1000;

it('asks ever more seldom what became of a refund, and stops after three days', () => {
  const steps = [0, 1, 2, 3, 4, 5, 6, 7, 8, 99].map((step) => secondsUntil(nextQuestionAt(step, now)));
  expect(steps).toEqual([15, 60, 300, 900, 3_600, 21_600, 86_400, 259_200, null, null]);
});

it('never gives up sending one that never left', () => {
  expect([0, 1, 2, 3, 4, 5, 1000].map((step) => secondsUntil(nextTryAt(step, now)))).toEqual([
    15, 30, 60, 300, 900, 900, 900,
  ]);
});
