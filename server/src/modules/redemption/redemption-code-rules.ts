import { AppError } from '../../platform/errors.ts';
import { openCodeStatuses, redemptionCodeStates } from './redemption-code-states.ts';
import type { RedemptionCodeStatus } from './redemption-code-states.ts';

/** What an operator asks of one code; what is left out stays. */
export interface CodeChange {
  /** Never blank. */
  readonly voucherCode?: string | undefined;
  readonly instructions?: string | null | undefined;
  readonly status?: RedemptionCodeStatus | undefined;
}

/**
 * The status a code has after an operator's change (interface parts 3 and 4).
 * @param current as it reads at this moment: `expired` past the campaign's end.
 * @throws AppError BAD_REQUEST for `redeemed`, CONFLICT for a move the life cycle does not have.
 */
export function statusAfterChange(current: RedemptionCodeStatus, change: CodeChange): RedemptionCodeStatus {
  if (change.status === 'redeemed') {
    throw new AppError('BAD_REQUEST', 'A code becomes redeemed by being redeemed, never by an update');
  }
  const asksForText = change.voucherCode !== undefined || change.instructions !== undefined;
  if (!openCodeStatuses.includes(current)) {
    const asksForNothing = !asksForText && (change.status ?? current) === current;
    if (asksForNothing) return current;
    throw new AppError('CONFLICT', `This code is ${current} for ever and cannot be changed`);
  }
  const stocked =
    change.voucherCode === undefined
      ? current
      : (redemptionCodeStates.next(current, 'voucherCodeSupplied') ?? current);
  return moveTo({ current, stocked, wanted: change.status ?? stocked });
}

function moveTo(move: {
  current: RedemptionCodeStatus;
  stocked: RedemptionCodeStatus;
  wanted: RedemptionCodeStatus;
}): RedemptionCodeStatus {
  const { current, stocked, wanted } = move;
  // Sent back unchanged along with a voucher code: the code decides.
  if (wanted === stocked || wanted === current) return stocked;
  if (wanted === 'voided') return 'voided';
  if (wanted === 'unused') {
    throw new AppError('CONFLICT', 'A code is unused once it has an actual_voucher_code: supply one');
  }
  throw new AppError('CONFLICT', `A code that is ${current} cannot be made ${wanted}`);
}
