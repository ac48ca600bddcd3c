import { fieldError } from '../../../platform/errors.ts';

/** @throws AppError VALIDATION_ERROR when the window is empty. */
export function checkWindow(campaign: {
  readonly starts_at: Date | null;
  readonly ends_at: Date | null;
}): void {
  const { starts_at: startsAt, ends_at: endsAt } = campaign;
  if (startsAt && endsAt && endsAt <= startsAt) {
    throw fieldError('ends_at', 'ends_at must be after starts_at');
  }
}

/** Redeemed of all, 0 to 1, to four decimals, half up; 0 of none (decisions 7.6). */
export function conversionRate(redeemed: number, total: number): number {
  return total === 0 ? 0 : Math.round((redeemed * 10_000) / total) / 10_000;
}
