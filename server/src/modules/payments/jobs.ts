import type { Tx } from '../../platform/db/database.ts';
import { defineJob, enqueue } from '../../platform/jobs/queue.ts';

/** Ask a gateway about one payment. */
export const verifyPaymentJob = defineJob<{ paymentId: number }>('verify_payment');

/** Has the gateway asked by a worker: one waiting question for a payment, whoever wants it. */
export function enqueueVerification(tx: Tx, paymentId: number): Promise<unknown> {
  return enqueue(tx, verifyPaymentJob.of({ paymentId }), { key: `verify:${paymentId}`, maxAttempts: 3 });
}
