import { AppError } from '../../platform/errors.ts';

/** Interface part 7, out of stock at order create: exact message and data. */
export function outOfStock(variantId: number): AppError {
  return new AppError('CONFLICT', `Insufficient stock for variant ${variantId}`, {
    data: { type: 'OutOfStockError', variant_id: variantId },
  });
}

/** Also for other people's orders: they do not exist for this caller (decisions part 2). */
export function orderNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no such order');
}

export function variantNotFound(variantId: number): AppError {
  return new AppError('NOT_FOUND', `Variant ${variantId} does not exist or is not for sale`);
}
