import { AppError } from '../../platform/errors.ts';
import { notValidMessage } from './discount-rules.ts';
import type { DiscountCheck } from './discount-rules.ts';

/**
 * A code that cannot be used: 400 with the messages of interface part 7. `data.reason` says which rule refused, for
 * clients; a code that does not exist and one that was deactivated answer the same.
 */
export function discountRefused(check: DiscountCheck): AppError {
  return new AppError('BAD_REQUEST', check.message, {
    data: { type: 'DiscountError', reason: check.check },
  });
}

export function unknownDiscount(typed: string): AppError {
  return discountRefused({ check: 'active', outcome: 'fail', message: notValidMessage(typed) });
}

/** Nothing about the code: neither that it exists nor that it does not. */
export function tooManyGuesses(retryAfterSeconds: number): AppError {
  return new AppError(
    'TOO_MANY_REQUESTS',
    'Too many discount codes that do not exist were tried from here: try again later',
    { retryAfterSeconds },
  );
}

/**
 * Thrown in a transaction whose guarded writes found another rule or fewer uses than the price was made with: roll
 * back, price again, and the answer is exact.
 */
export class DiscountChangedError extends Error {
  constructor() {
    super('The discount or its uses changed while it was being used');
    this.name = 'DiscountChangedError';
  }
}

export function tooManyAtOnce(cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'Too many people are using this code at once; try again', {
    retryAfterSeconds: 2,
    cause,
  });
}

export function discountNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no such discount');
}

export function codeTaken(code: string): AppError {
  return new AppError(
    'CONFLICT',
    `There is a discount code ${code} already (upper and lower case are the same)`,
  );
}
