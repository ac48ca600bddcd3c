import { AppError } from '../../../platform/errors.ts';

export const endpointNotFound = (): AppError =>
  new AppError('NOT_FOUND', 'There is no such webhook endpoint');
export const deliveryNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such delivery');
