import { AppError, fieldError } from '../../platform/errors.ts';

/** 401 for every bad token alike: why it is bad is nobody's business. */
export const tokenRefused = (): AppError =>
  new AppError('UNAUTHORIZED', 'The access token is invalid or has expired: refresh it or sign in again');

/** 401: one message for an unknown account and a wrong password (decisions part 2). */
export const signInRefused = (): AppError =>
  new AppError('UNAUTHORIZED', 'These sign-in details are not right');

export const refreshRefused = (): AppError =>
  new AppError('UNAUTHORIZED', 'The refresh token is invalid, has expired or was used before: sign in again');

export const tooManyGuesses = (retryAfterSeconds: number): AppError =>
  new AppError('TOO_MANY_REQUESTS', `Too many failed tries: wait ${retryAfterSeconds} seconds`, {
    retryAfterSeconds,
  });

export const msisdnTaken = (): AppError =>
  new AppError('CONFLICT', 'There is an account with this number already');

export const msisdnUnreadable = (field = 'msisdn'): AppError =>
  fieldError(field, `${field} is not a mobile number: write it as 01XXXXXXXXX or with its country code`);

export const adminNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such admin');
export const userNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such customer');
