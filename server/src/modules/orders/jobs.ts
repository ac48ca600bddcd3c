import { defineJob } from '../../platform/jobs/queue.ts';

/**
 * A paid order wants to be delivered. Whoever makes an order paid enqueues it in that transaction; the fulfillment
 * module does it. Defined here so that payments need not know fulfillment.
 */
export const fulfillOrderJob = defineJob<{ orderId: number }>('fulfill_order');

/** One waiting job for an order, whoever asks for it. */
export const fulfillOrderKey = (orderId: number): string => `fulfill:${orderId}`;
