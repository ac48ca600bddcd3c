import type { Database } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import type { Sweep } from '../../../platform/jobs/sweeps.ts';
import type { Clock } from '../../../platform/time.ts';
import { purchaseJobKey, runPurchaseJob } from './jobs.ts';
import { listDuePurchases } from './purchase-store.ts';

const BATCH = 200;

/** Finds purchases whose next step is due: questions, second rounds, and what a dead process left behind. */
export function purchaseSweep(deps: { db: Database; clock: Clock }): Sweep {
  return {
    name: 'run-due-partner-purchases',
    everySeconds: 2,
    async run() {
      await inTransaction(deps.db, async (tx) => {
        const due = await listDuePurchases(tx, deps.clock.now(), BATCH);
        await Promise.all(
          due.map((transactionId) =>
            enqueue(tx, runPurchaseJob.of({ transactionId }), {
              key: purchaseJobKey(transactionId),
              maxAttempts: 3,
            }),
          ),
        );
      });
    },
  };
}
