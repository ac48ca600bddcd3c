import type { Database } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import type { Sweep } from '../../../platform/jobs/sweeps.ts';
import type { Clock } from '../../../platform/time.ts';
import { followRefundJob } from './jobs.ts';
import { takeDueRefunds } from './refund-store.ts';

const BATCH = 100;

/** Finds refunds that are to be sent again or asked about, and has the workers do it. */
export function refundSweep(deps: { db: Database; clock: Clock }): Sweep {
  return {
    name: 'follow-due-refunds',
    everySeconds: 5,
    async run() {
      await inTransaction(deps.db, async (tx) => {
        const due = await takeDueRefunds(tx, deps.clock.now(), BATCH);
        await Promise.all(
          due.map((refundId) =>
            enqueue(tx, followRefundJob.of({ refundId }), { key: `refund:${refundId}`, maxAttempts: 3 }),
          ),
        );
      });
    },
  };
}
