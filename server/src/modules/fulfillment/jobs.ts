import { defineJob } from '../../platform/jobs/queue.ts';

/** Send, or send again, the e-mail with an order's codes. */
export const sendOrderEmailJob = defineJob<{ messageId: number }>('send_order_email');
