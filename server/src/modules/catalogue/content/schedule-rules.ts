import { fieldError } from '../../../platform/errors.ts';

/** What is shown from one moment and until another; null is always, or for ever. */
export interface Schedule {
  readonly starts_at: string | null;
  readonly ends_at: string | null;
}

/** From the start on, and no longer at the end. */
export function isOn({ starts_at, ends_at }: Schedule, at: Date): boolean {
  const now = at.getTime();
  return (
    (starts_at === null || Date.parse(starts_at) <= now) && (ends_at === null || now < Date.parse(ends_at))
  );
}

/** A window is open when one of its ends is set and the moment lies between them. */
export function isWithin(window: { from: string | null; until: string | null }, at: Date): boolean {
  if (window.from === null && window.until === null) return false;
  return isOn({ starts_at: window.from, ends_at: window.until }, at);
}

/** The next moment after `at` at which one of these appears or goes; undefined when all stay as they are. */
export function nextTurn(moments: readonly (string | null)[], at: Date): number | undefined {
  let next: number | undefined;
  for (const moment of moments) {
    const turn = moment === null ? Number.NaN : Date.parse(moment);
    if (turn > at.getTime() && (next === undefined || turn < next)) next = turn;
  }
  return next;
}

/** @throws VALIDATION_ERROR about the end. */
export function refuseEndBeforeStart(
  row: Readonly<Record<string, unknown>>,
  names: { readonly start: string; readonly end: string },
): void {
  const [start, end] = [row[names.start], row[names.end]];
  if (typeof start !== 'string' || typeof end !== 'string' || Date.parse(start) < Date.parse(end)) return;
  throw fieldError(names.end, `${names.end} must be after ${names.start}`);
}
