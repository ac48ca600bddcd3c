import { handleJob } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/queue.ts';
import { fulfillOrderJob } from '../orders/index.ts';
import { fulfillOrder } from './fulfill-order.ts';
import type { FulfillOrderDeps } from './fulfill-order.ts';
import { sendOrderEmailJob } from './jobs.ts';
import { sendOrderEmail } from './send-order-email.ts';
import type { SendOrderEmailDeps } from './send-order-email.ts';

export type FulfillmentDeps = FulfillOrderDeps & SendOrderEmailDeps;

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
