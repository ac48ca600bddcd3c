import type { Database } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { createRound } from '../../platform/jobs/rounds.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { Logger } from '../../platform/log.ts';
import { secondsAfter } from '../../platform/time.ts';
import type { Clock } from '../../platform/time.ts';
import { fulfillOrderJob, fulfillOrderKey } from '../orders/index.ts';
import { sendOrderEmailJob } from './jobs.ts';
import { listUnbegunOrders, listUnsentLetterPlaces } from './resume-store.ts';

const PATIENCE_SECONDS = 60;
const BATCH = 200;

/**
 * Finds paid orders that nobody works on: their job failed too often, or was removed with the queue. They are begun, and
 * their letters tried, once a minute until it succeeds: a paid order never waits in silence.
 */
export function resumeSweep(deps: { db: Database; clock: Clock; log: Logger }): Sweep {
  const [orderRound, letterRound] = [createRound(BATCH), createRound(BATCH)];
  return {
    name: 'resume-paid-orders',
    everySeconds: 30,
    async run() {
      const before = secondsAfter(deps.clock.now(), -PATIENCE_SECONDS);
      const { orders, letters } = await inTransaction(deps.db, async (tx) => {
        const [unbegun, unsent] = await Promise.all([
          listUnbegunOrders(tx, { before, after: orderRound.after(), limit: BATCH }),
          listUnsentLetterPlaces(tx, { before, after: letterRound.after(), limit: BATCH }),
        ]);
        await Promise.all([
          ...unbegun.map(({ id: orderId }) =>
            enqueue(tx, fulfillOrderJob.of({ orderId }), { key: fulfillOrderKey(orderId) }),
          ),
          ...unsent.map(({ id: messageId }) =>
            enqueue(tx, sendOrderEmailJob.of({ messageId }), { key: `mail:${messageId}` }),
          ),
        ]);
        return { orders: unbegun, letters: unsent };
      });
      orderRound.end(orders);
      letterRound.end(letters);
      const resumed = { orders: orders.map(({ id }) => id), letters: letters.map(({ id }) => id) };
      if (orders.length > 0 || letters.length > 0)
        deps.log.warn(resumed, 'paid orders had waited for more than a minute and are taken up again');
    },
  };
}
