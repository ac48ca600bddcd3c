import { defineJob } from '../../platform/jobs/queue.ts';

/** Ask a gateway about one payment. */
export const verifyPaymentJob = defineJob<{ paymentId: number }>('verify_payment');
