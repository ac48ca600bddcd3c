import { AppError } from '../../../platform/errors.ts';

export const refundNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such refund');
export const paymentNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such payment');

export const notInState = (id: number, status: string, wanted: string): AppError =>
  new AppError('CONFLICT', `Refund ${id} is ${status}: only one that is ${wanted} can be changed so`);
