import { defineJob } from '../../../platform/jobs/queue.ts';

/** Send an approved refund, or ask what became of one that was sent. */
export const followRefundJob = defineJob<{ refundId: number }>('follow_refund');
