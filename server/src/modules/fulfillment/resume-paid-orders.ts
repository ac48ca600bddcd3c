import type { Database } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { Logger } from '../../platform/log.ts';
import { secondsAfter } from '../../platform/time.ts';
import type { Clock } from '../../platform/time.ts';
import { fulfillOrderJob, fulfillOrderKey } from '../orders/index.ts';
import { sendOrderEmailJob } from './jobs.ts';
import { listUnbegunOrders, listUnsentLetterIds } from './resume-store.ts';

const PATIENCE_SECONDS = 60;
const BATCH = 200;

/**
 * Finds paid orders that nobody works on: their job failed too often, or was removed with the queue. They are begun, and
 * their letters tried, once a minute until it succeeds: a paid order never waits in silence.
 */
export function resumeSweep(deps: { db: Database; clock: Clock; log: Logger }): Sweep {
  return {
    name: 'resume-paid-orders',
    everySeconds: 30,
    async run() {
      const before = secondsAfter(deps.clock.now(), -PATIENCE_SECONDS);
      const resumed = await inTransaction(deps.db, async (tx) => {
        const [orders, letters] = await Promise.all([
          listUnbegunOrders(tx, before, BATCH),
          listUnsentLetterIds(tx, before, BATCH),
        ]);
        await Promise.all([
          ...orders.map((orderId) =>
            enqueue(tx, fulfillOrderJob.of({ orderId }), { key: fulfillOrderKey(orderId) }),
          ),
          ...letters.map((messageId) =>
            enqueue(tx, sendOrderEmailJob.of({ messageId }), { key: `mail:${messageId}` }),
          ),
        ]);
        return { orders, letters };
      });
      if (resumed.orders.length > 0 || resumed.letters.length > 0)
        deps.log.warn(resumed, 'paid orders had waited for more than a minute and are taken up again');
    },
  };
}
