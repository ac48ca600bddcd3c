import { AppError } from '../../platform/errors.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import type { Refusal } from './redemption-outcomes.ts';

const UNAVAILABLE_RETRY_SECONDS = 60;

/** Interface part 7, redemption errors: the status through the errorCode, the reason in `data.code`. */
const refusals: Readonly<Record<Refusal, { errorCode: ErrorCode; message: string }>> = {
  phone_required: { errorCode: 'BAD_REQUEST', message: 'Enter your phone number to get the code' },
  unknown_code: {
    errorCode: 'NOT_FOUND',
    message: 'We cannot find this code. Check each character: 0, O, 1, I and L are never used',
  },
  voided: { errorCode: 'GONE', message: 'This code was withdrawn and can no longer be used' },
  already_redeemed: { errorCode: 'GONE', message: 'This code has been redeemed already' },
  expired: { errorCode: 'GONE', message: 'This campaign has ended' },
  not_started: { errorCode: 'GONE', message: 'This campaign has not started yet' },
  campaign_inactive: { errorCode: 'GONE', message: 'This campaign is not active at the moment' },
  temporarily_unavailable: {
    errorCode: 'SERVICE_UNAVAILABLE',
    message: 'This code is being loaded: try again in a minute',
  },
  ip_limit_reached: {
    errorCode: 'BAD_REQUEST',
    message: 'No more codes of this campaign can be redeemed from this network: try another connection',
  },
};

/** @param facts what a page needs besides the reason: when the campaign starts or ended. */
export function refused(refusal: Refusal, facts: Readonly<Record<string, string>> = {}): AppError {
  const { errorCode, message } = refusals[refusal];
  return new AppError(errorCode, message, {
    data: { code: refusal, ...facts },
    ...(errorCode === 'SERVICE_UNAVAILABLE' ? { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS } : {}),
  });
}

export const tooManyMisses = (retryAfterSeconds: number): AppError =>
  new AppError('TOO_MANY_REQUESTS', 'Too many unknown codes were tried: wait before the next', {
    retryAfterSeconds,
  });

export const noCampaign = (): AppError => new AppError('NOT_FOUND', 'There is no campaign with this id');
export const noCode = (): AppError => new AppError('NOT_FOUND', 'There is no redemption code with this id');
export const conflict = (message: string, data: Record<string, unknown> = {}): AppError =>
  new AppError('CONFLICT', message, Object.keys(data).length > 0 ? { data } : {});
