/**
 * A process that is made to be killed: it opens and resolves alerts (facts, each with its event) as fast as it can,
 * some of them in transactions that roll back, and publishes and delivers events meanwhile, as the service does.
 * Arguments: database URL, name of this round.
 */
import { openAlert, resolveAlertsOfCause } from '../../src/modules/alerts/index.ts';
import { createTestEvents } from '../../src/modules/events/test-events.ts';
import { inTransaction, openDatabase } from '../../src/platform/db/database.ts';
import type { Tx } from '../../src/platform/db/database.ts';
import { systemClock } from '../../src/platform/time.ts';

const [url = '', round = ''] = process.argv.slice(2);
const db = openDatabase({
  url,
  poolSize: 12,
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 5_000,
  applicationName: 'event-writer',
  onIdleError: () => undefined,
});
const events = createTestEvents(db, systemClock);

class ChangedItsMind extends Error {}

async function openOne(tx: Tx, cause: string): Promise<void> {
  const details = { round };
  await openAlert(tx, { type: 'low_stock', orderId: null, cause, message: 'Running out', details });
}

/** One stream: opened, resolved, opened … , every third change taken back before it commits. */
async function write(writer: number): Promise<never> {
  for (let n = 0; ; n += 1) {
    const cause = `variant:${writer}`;
    await inTransaction(db, async (tx) => {
      if (n % 2 === 0) await openOne(tx, cause);
      else await resolveAlertsOfCause(tx, { type: 'low_stock', cause, notes: round });
      if (n % 3 === 2) throw new ChangedItsMind();
    }).catch((error: unknown) => {
      if (!(error instanceof ChangedItsMind)) throw error;
    });
  }
}

async function publish(): Promise<never> {
  for (;;) await events.turn();
}

process.stdout.write('ready\n');
await Promise.all([publish(), ...[1, 2, 3, 4, 5, 6].map(write)]);
