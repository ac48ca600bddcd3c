const minute = 60;
const hour = 60 * minute;

/** Seconds from a failed try to the next (decisions part 9): ten tries in 76 hours. */
const retryAfterSeconds = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

/** An endpoint that nothing has reached for so long is disabled. */
export const DISABLE_AFTER_SECONDS = 5 * 24 * hour;

/** What came back, if anything did. */
export interface AttemptResult {
  readonly status: number | null;
}

export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly afterSeconds: number }
  /** No more tries by itself; `gone` when the endpoint said so itself (410). */
  | { readonly kind: 'parked'; readonly gone: boolean };

/** Any 2xx is a delivery, nothing else is: a redirect is not followed. `attempt` counts from 1. */
export function judgeAttempt({ status }: AttemptResult, attempt: number): Verdict {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'parked', gone: true };
  const afterSeconds = retryAfterSeconds[attempt - 1];
  return afterSeconds === undefined ? { kind: 'parked', gone: false } : { kind: 'retry', afterSeconds };
}

/** @param failingSince when the first try without a success after it was made; null while the last one succeeded */
export function hasFailedTooLong(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= DISABLE_AFTER_SECONDS * 1000;
}
