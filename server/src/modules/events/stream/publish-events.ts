import type { Database } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Clock } from '../../../platform/time.ts';
import { lockEventLogHead, publishNextEvents } from './event-log-store.ts';

export interface PublishDeps {
  readonly db: Database;
  readonly clock: Clock;
}

const BATCH = 500;

/** Gives committed events their place in the log and makes their deliveries, until none is left. @returns how many. */
export async function publishEvents(deps: PublishDeps): Promise<number> {
  for (let total = 0; ;) {
    const published = await inTransaction(deps.db, async (tx) => {
      await lockEventLogHead(tx);
      return publishNextEvents(tx, { limit: BATCH, at: deps.clock.now() });
    });
    total += published;
    if (published < BATCH) return total;
  }
}
