import type { Database } from '../../../platform/db/database.ts';
import { inOneStatement, inTransaction } from '../../../platform/db/database.ts';
import type { Sweep } from '../../../platform/jobs/sweeps.ts';
import { noteAdmin } from '../../../platform/resource/resource-store.ts';
import type { Clock } from '../../../platform/time.ts';
import { takeDuePrices, updatePrice } from './price-store.ts';
import { countDue, publishDueProducts, unpublishDueProducts } from './publishing-store.ts';

export interface ScheduleDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly onChange: () => void;
}

/**
 * Puts into effect what operators scheduled: prices, products that go on sale and products that go off it. At every
 * look of the sweeper, which is one a second: a second later every process shows it.
 */
export function scheduleSweep(deps: ScheduleDeps): Sweep {
  return { name: 'catalogue-schedule', everySeconds: 0.5, run: () => applySchedule(deps) };
}

async function applySchedule({ db, clock, onChange }: ScheduleDeps): Promise<void> {
  const now = clock.now();
  // An UPDATE of no row, too, raises the catalogue's version, and every process would read all of it anew.
  if ((await countDue(db, now)) === 0) return;
  const prices = await inTransaction(db, async (tx) => {
    const due = await takeDuePrices(tx, now);
    // Of two for one variant the later one stays.
    for (const price of due.toSorted(byMoment)) {
      await noteAdmin(tx, price.scheduled_by);
      await updatePrice(tx, price);
    }
    return due.length;
  });
  const published = await inOneStatement(db, (tx) => publishDueProducts(tx, now));
  const unpublished = await inOneStatement(db, (tx) => unpublishDueProducts(tx, now));
  if (prices + published + unpublished > 0) onChange();
}

function byMoment(a: { effective_at: Date; id: number }, b: { effective_at: Date; id: number }): number {
  return a.effective_at.getTime() - b.effective_at.getTime() || a.id - b.id;
}
