import type { Database } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Sweep } from '../../../platform/jobs/sweeps.ts';
import { openNewAlert, resolveAlertsOfCause } from '../../alerts/index.ts';
import { recordEvents } from '../../events/index.ts';
import { PACE_DAYS } from './stock-store.ts';
import { isLow } from './stock-rules.ts';
import { listWatchedStock } from './watch-store.ts';
import type { WatchedStockRow } from './watch-store.ts';

/** Tells operators, once for each crossing, that a variant runs low; and takes it back when it does not any more. */
export function stockSweep({ db }: { readonly db: Database }): Sweep {
  return {
    name: 'watch-stock',
    everySeconds: 15,
    async run() {
      for (const row of await listWatchedStock(db, PACE_DAYS)) {
        const low = isLow({
          available: row.available,
          soldLately: row.sold_lately,
          paceDays: PACE_DAYS,
          lowUnits: row.low_units,
          lowCoverDays: row.low_cover_days,
        });
        if (low && !row.is_alerted) await report(db, row);
        else if (!low && row.is_alerted) await takeBack(db, row);
      }
    },
  };
}

const causeOf = (row: WatchedStockRow): string => `variant:${row.variant_id}`;

async function report(db: Database, row: WatchedStockRow): Promise<void> {
  const { variant_id: variantId, available } = row;
  await inTransaction(db, async (tx) => {
    const isNew = await openNewAlert(tx, {
      type: 'low_stock',
      orderId: null,
      cause: causeOf(row),
      message: `${row.title} (variant ${variantId}) has ${available} unit(s) left: load codes`,
      details: {
        variant_id: variantId,
        available,
        low_units: row.low_units,
        low_cover_days: row.low_cover_days,
      },
    });
    if (!isNew) return;
    const data = { variant_id: variantId, available, threshold: row.low_units };
    await recordEvents(tx, [{ type: 'voucher.low_stock', stream: causeOf(row), data }]);
  });
}

async function takeBack(db: Database, row: WatchedStockRow): Promise<void> {
  const notes = `The stock is ${row.available} unit(s) again`;
  await inTransaction(db, (tx) =>
    resolveAlertsOfCause(tx, { type: 'low_stock', cause: causeOf(row), notes }),
  );
}
