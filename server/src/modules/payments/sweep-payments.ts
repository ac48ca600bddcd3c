import type { Database } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { Clock } from '../../platform/time.ts';
import { enqueueVerification } from './jobs.ts';
import { takeDuePayments } from './payment-store.ts';

const BATCH = 200;

/** Finds payments whose next question is due and has them asked, in parallel, by the workers (decisions 4.8). */
export function paymentSweep(deps: { db: Database; clock: Clock }): Sweep {
  return {
    name: 'verify-due-payments',
    everySeconds: 2,
    async run() {
      await inTransaction(deps.db, async (tx) => {
        const due = await takeDuePayments(tx, deps.clock.now(), BATCH);
        await Promise.all(due.map((paymentId) => enqueueVerification(tx, paymentId)));
      });
    },
  };
}
