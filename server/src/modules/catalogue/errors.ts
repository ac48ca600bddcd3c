import { AppError } from '../../platform/errors.ts';

/** 404: unknown, or not on sale; a customer is not told which. */
export const productNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such product');
export const variantNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such variant');
export const shelfRowNotFound = (name: string): AppError =>
  new AppError('NOT_FOUND', `There is no such ${name}`);
