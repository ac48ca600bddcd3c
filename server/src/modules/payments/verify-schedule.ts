import { secondsAfter } from '../../platform/time.ts';
import type { FailureReason, PaymentStatus } from './payment-states.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds after the state began (decisions 4.8): a lost callback costs a minute, not an order. */
const offsets = {
  open: [1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 1 * HOUR],
  /** The gateway could not be asked, or had not made up its mind. */
  unanswered: [15, 1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 1 * HOUR, 6 * HOUR, 24 * HOUR, 72 * HOUR],
  /** The gateway said no: it is asked once more soon and once more the next day. */
  refused: [10 * MINUTE, 24 * HOUR],
} as const;

/** Whether nobody knows yet what became of a payment, whatever it reads. */
export function isUnanswered(status: PaymentStatus, reason: FailureReason | null): boolean {
  if (status === 'PENDING') return true;
  return status === 'FAILED' && (reason === 'VERIFICATION_UNAVAILABLE' || reason === 'NOT_CONFIRMED');
}

function offsetsOf(status: PaymentStatus, reason: FailureReason | null): readonly number[] {
  if (status === 'SUCCEEDED') return [];
  if (status === 'PENDING') return offsets.open;
  return isUnanswered(status, reason) ? offsets.unanswered : offsets.refused;
}

/** When the sweep asks the gateway again after `step` questions in this state; null when it has asked enough. */
export function nextVerificationAt(state: {
  readonly status: PaymentStatus;
  readonly failureReason: FailureReason | null;
  readonly step: number;
  readonly now: Date;
}): Date | null {
  const steps = offsetsOf(state.status, state.failureReason);
  const due = steps[state.step];
  if (due === undefined) return null;
  return secondsAfter(state.now, due - (steps[state.step - 1] ?? 0));
}
