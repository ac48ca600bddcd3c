import { defineJob } from '../../../platform/jobs/queue.ts';

/** Do what is next with one purchase: make the call, or ask what became of it. */
export const runPurchaseJob = defineJob<{ transactionId: number }>('run_partner_purchase');

/** One waiting job for each purchase. */
export const purchaseJobKey = (transactionId: number): string => `purchase:${transactionId}`;
