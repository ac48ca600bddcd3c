import { handleJob } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/queue.ts';
import { fulfillOrderJob } from '../orders/index.ts';
import type { DeliverOrderEmailDeps } from './deliver-order-email.ts';
import { fulfillOrder } from './fulfill-order.ts';
import type { FulfillOrderDeps } from './fulfill-order.ts';
import { sendOrderEmailJob } from './jobs.ts';
import { sendOrderEmail } from './send-order-email.ts';

export { insertAttempts, listDispatchedItems } from './attempt-store.ts';
export type { AttemptStatus, AttemptType, NewAttempt } from './attempt-store.ts';
export { markDelivered } from './complete-order.ts';
export { deliverOrderEmail } from './deliver-order-email.ts';
export type { DeliverOrderEmailDeps, EmailSettlement } from './deliver-order-email.ts';
export { hasWhatWasSold } from './item-rules.ts';
export { prepareOrderEmail } from './queue-order-email.ts';
export type { QueueOrderEmailDeps } from './queue-order-email.ts';
export { handRejectedToOperator } from './send-order-email.ts';

export type FulfillmentDeps = FulfillOrderDeps & DeliverOrderEmailDeps;

export interface Fulfillment {
  readonly jobHandlers: JobHandler[];
}

export function createFulfillment(deps: FulfillmentDeps): Fulfillment {
  return {
    jobHandlers: [
      handleJob(fulfillOrderJob, ({ orderId }) => fulfillOrder(deps, orderId)),
      handleJob(sendOrderEmailJob, ({ messageId }) => sendOrderEmail(deps, messageId)),
    ],
  };
}
