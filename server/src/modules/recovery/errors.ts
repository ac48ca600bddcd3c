import { AppError } from '../../platform/errors.ts';

/** Interface part 7, recovery guards. */
export function notPaid(orderNumber: string): AppError {
  return new AppError('BAD_REQUEST', `Order ${orderNumber} has no successful payment`, {
    data: { type: 'OrderNotPaid' },
  });
}

export function moneyGivenBack(orderNumber: string): AppError {
  const message = `The money of order ${orderNumber} was given back in full: nothing more can be delivered for it`;
  return new AppError('BAD_REQUEST', message, { data: { type: 'OrderRefunded' } });
}

export function noCodeProvided(): AppError {
  return new AppError('BAD_REQUEST', 'No voucher code provided: send `codes` or `code`', {
    data: { type: 'NoCodeProvided' },
  });
}

export function itemNotInOrder(itemId: number, orderNumber: string): AppError {
  return new AppError('NOT_FOUND', `Order ${orderNumber} has no item ${itemId}`);
}

export function alreadyFulfilled(itemId: number): AppError {
  return new AppError('CONFLICT', `Item ${itemId} is already fulfilled`, {
    data: { type: 'ItemAlreadyFulfilled', orderItemId: itemId },
  });
}

export function alreadyDispatched(itemId: number): AppError {
  return new AppError('CONFLICT', `The codes of item ${itemId} were already sent to the customer`, {
    data: { type: 'ItemAlreadyDispatched', orderItemId: itemId },
  });
}

export function stillAutomatic(orderNumber: string): AppError {
  const message = `Order ${orderNumber} is being fulfilled automatically: set it to NEEDS_ATTENTION to take over`;
  return new AppError('CONFLICT', message, { data: { type: 'FulfillmentInProgress' } });
}

export function somebodyElseAtWork(orderNumber: string): AppError {
  const message = `Another operator is working on order ${orderNumber} at this moment; look at it again before trying`;
  return new AppError('CONFLICT', message, { data: { type: 'RecoveryInProgress' } });
}

export function emailUnderWay(orderNumber: string): AppError {
  const message = `The e-mail of order ${orderNumber} is being sent at this moment; try again in half a minute`;
  return new AppError('CONFLICT', message, { data: { type: 'EmailInProgress' } });
}
