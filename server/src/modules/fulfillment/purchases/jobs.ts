import { defineJob } from '../../../platform/jobs/queue.ts';

// A type, not an interface: payloads are records of plain values.
type Step = {
  transactionId: number;
  /** Until when the sweep took it for this job: the step is this job's while nobody has moved it since. */
  takenUntilMs?: number;
};

/** Do what is next with one purchase: make the call, or ask what became of it. */
export const runPurchaseJob = defineJob<Step>('run_partner_purchase');

/** One waiting job for each purchase. */
export const purchaseJobKey = (transactionId: number): string => `purchase:${transactionId}`;
