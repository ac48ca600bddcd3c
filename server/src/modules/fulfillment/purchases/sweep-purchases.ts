import type { Database } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import type { Sweep } from '../../../platform/jobs/sweeps.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { Clock } from '../../../platform/time.ts';
import { purchaseJobKey, runPurchaseJob } from './jobs.ts';
import { takeDuePurchases } from './purchase-store.ts';

const BATCH = 200;
/** Time for the job to come to its turn and begin; then it is taken again. */
const TURN_SECONDS = 60;

/** Finds purchases whose next step is due: questions, second rounds, and what a dead process left behind. */
export function purchaseSweep(deps: { db: Database; clock: Clock }): Sweep {
  return {
    name: 'run-due-partner-purchases',
    everySeconds: 2,
    async run() {
      await inTransaction(deps.db, async (tx) => {
        const at = deps.clock.now();
        const until = secondsAfter(at, TURN_SECONDS);
        const due = await takeDuePurchases(tx, { at, until, limit: BATCH });
        await Promise.all(
          due.map((transactionId) =>
            enqueue(tx, runPurchaseJob.of({ transactionId, takenUntilMs: until.getTime() }), {
              key: purchaseJobKey(transactionId),
              maxAttempts: 3,
            }),
          ),
        );
      });
    },
  };
}
