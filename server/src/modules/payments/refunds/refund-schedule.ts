import { secondsAfter } from '../../../platform/time.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds between questions about a refund that is processing or whose answer was lost. */
const QUESTIONS = [15, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR, 72 * HOUR] as const;
/** Seconds between tries to send one that certainly never left. */
const TRIES = [15, 30, MINUTE, 5 * MINUTE, 15 * MINUTE] as const;

/** When to ask again after `step` questions; null when it has been asked enough and an operator must look. */
export function nextQuestionAt(step: number, now: Date): Date | null {
  const seconds = QUESTIONS[step];
  return seconds === undefined ? null : secondsAfter(now, seconds);
}

/** When to try to send again. It never gives up: the refund was approved and nothing has been done. */
export function nextTryAt(step: number, now: Date): Date {
  return secondsAfter(now, TRIES[step] ?? 15 * MINUTE);
}
