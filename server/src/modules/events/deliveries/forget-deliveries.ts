import type { Database } from '../../../platform/db/database.ts';
import { inOneStatement } from '../../../platform/db/database.ts';
import type { Sweep } from '../../../platform/jobs/sweeps.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { Clock } from '../../../platform/time.ts';
import { deleteDeliveriesEndedBefore } from './delivery-store.ts';

const KEPT_SECONDS = 30 * 86_400;
/** Small enough that no other statement waits for it. */
const BATCH = 1_000;

/** Deletes deliveries, with their attempts, that ended more than 30 days ago. */
export function forgetDeliveriesSweep(deps: { readonly db: Database; readonly clock: Clock }): Sweep {
  return {
    name: 'forget_deliveries',
    everySeconds: 3_600,
    run: async () => {
      const before = secondsAfter(deps.clock.now(), -KEPT_SECONDS);
      let deleted: number;
      do {
        deleted = await inOneStatement(deps.db, (tx) => deleteDeliveriesEndedBefore(tx, before, BATCH));
      } while (deleted === BATCH);
    },
  };
}
