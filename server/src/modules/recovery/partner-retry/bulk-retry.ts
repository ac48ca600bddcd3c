import { AppError } from '../../../platform/errors.ts';
import type { ErrorCode } from '../../../platform/errors.ts';
import type { Actor } from '../enter-manual-codes.ts';
import { retryWithPartner } from './retry-with-partner.ts';
import type { ItemRetry, PartnerRetryDeps } from './retry-with-partner.ts';

export interface BulkRetryRequest {
  readonly orderIds: readonly number[];
  readonly notes: string | null;
  readonly actor: Actor;
}

export interface OrderRetry {
  readonly orderId: number;
  /** Whether every open item was delivered. */
  readonly success: boolean;
  readonly orderStatus: string | null;
  readonly items: readonly ItemRetry[];
  readonly errorCode: ErrorCode | null;
  readonly errorMessage: string | null;
}

/** Orders at a time: partners and the mail server are asked by others too. */
const AT_ONCE = 4;

/** Retries many orders, each by itself: one that cannot be done does not stop the others. In the order given. */
export async function bulkRetry(deps: PartnerRetryDeps, request: BulkRetryRequest): Promise<OrderRetry[]> {
  const results = new Map<number, OrderRetry>();
  const waiting = [...new Set(request.orderIds)];
  const work = async (): Promise<void> => {
    for (let orderId = waiting.shift(); orderId !== undefined; orderId = waiting.shift()) {
      results.set(orderId, await retryOrder(deps, request, orderId));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return [...new Set(request.orderIds)].flatMap((orderId) => results.get(orderId) ?? []);
}

async function retryOrder(
  deps: PartnerRetryDeps,
  { notes, actor }: BulkRetryRequest,
  orderId: number,
): Promise<OrderRetry> {
  try {
    const wanted = { orderId, adminId: actor.adminId, actor, notes };
    const { orderStatus, items } = await retryWithPartner(deps, wanted);
    const success = items.every(({ status }) => status === 'DISPATCHED');
    return { orderId, success, orderStatus, items, errorCode: null, errorMessage: null };
  } catch (error) {
    const failed = { orderId, success: false, orderStatus: null, items: [] };
    if (error instanceof AppError) return { ...failed, errorCode: error.code, errorMessage: error.message };
    deps.log.error({ err: error, orderId }, 'an order could not be retried');
    const errorMessage = 'Something went wrong on our side; the attempt is recorded as FAILED';
    return { ...failed, errorCode: 'INTERNAL_ERROR', errorMessage };
  }
}
