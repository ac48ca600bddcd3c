import type { Database } from '../../../platform/db/database.ts';
import type { Clock } from '../../../platform/time.ts';
import { findUser } from '../accounts/user-store.ts';
import type { CustomerRecords } from '../customer-records.ts';
import { tokenRefused } from '../errors.ts';
import { listRecipients } from '../recipients/recipient-store.ts';
import { listLiveSessions } from '../tokens/session-store.ts';
import type { ExportedAccount } from './profile-wire.ts';

export interface ExportAccountDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly records: CustomerRecords;
}

const AT_MOST = 1_000;

/** Everything that is kept about a customer; codes are read order by order, and stay out of a file. */
export async function exportAccount(deps: ExportAccountDeps, userId: number): Promise<ExportedAccount> {
  const { db, records } = deps;
  const at = deps.clock.now();
  const [user, recipients, sessions, orders, payments] = await Promise.all([
    findUser(db, userId),
    listRecipients(db, userId),
    listLiveSessions(db, { userId }, { now: at, limit: AT_MOST, offset: 0 }),
    records.listOrders(db, userId, AT_MOST),
    records.listPayments(db, userId, AT_MOST),
  ]);
  if (!user) throw tokenRefused();
  return { at, user, recipients, sessions: sessions.rows, orders, payments };
}
