import type { Database, Tx } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Sweep } from '../../../platform/jobs/sweeps.ts';
import type { Logger } from '../../../platform/log.ts';
import { formatMinor } from '../../../platform/money.ts';
import type { Clock } from '../../../platform/time.ts';
import { openAlert, resolveAlertsOfCause } from '../../alerts/index.ts';
import type { Balance } from '../partners/partner.ts';
import type { PartnerDirectory } from './partner-directory.ts';
import { listWatchedPartners, setPartnerBalance } from './partner-store.ts';
import type { PartnerRow } from './partner-store.ts';

export interface BalanceDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly partners: PartnerDirectory;
}

const EVERY_SECONDS = 300;

/** Asks usable partners with a threshold what is left, so that operators know before purchases are refused. */
export function balanceSweep(deps: BalanceDeps): Sweep {
  return {
    name: 'watch-partner-balances',
    everySeconds: EVERY_SECONDS,
    async run() {
      const watched = await listWatchedPartners(deps.db);
      await Promise.all(
        watched.map((row) =>
          checkBalance(deps, row).catch((error: unknown) =>
            deps.log.warn({ err: error, partnerId: row.id }, 'the balance of a partner could not be read'),
          ),
        ),
      );
    },
  };
}

/**
 * Reads a partner's balance, keeps it, and opens or resolves its alert.
 *
 * @throws Error when the partner has none to tell, or did not answer.
 */
export async function checkBalance(deps: BalanceDeps, row: PartnerRow): Promise<Balance> {
  const { build, line } = await deps.partners.open(row.id);
  const { readBalance } = build(line);
  if (!readBalance) throw new Error('this kind of partner, as configured, tells no balance');
  const balance = await readBalance();
  await inTransaction(deps.db, (tx) => keepBalance(tx, deps, { row, balance }));
  return balance;
}

async function keepBalance(
  tx: Tx,
  deps: BalanceDeps,
  { row, balance }: { row: PartnerRow; balance: Balance },
): Promise<void> {
  await setPartnerBalance(tx, { id: row.id, ...balance, at: deps.clock.now() });
  const cause = `partner:${row.id}`;
  const left = `${formatMinor(balance.amountMinor)} ${balance.currency}`;
  if (isBalanceLow(balance.amountMinor, row.balance_threshold_minor)) {
    await openAlert(tx, {
      type: 'partner_balance_low',
      orderId: null,
      cause,
      message: `${row.name} has ${left} left, below the threshold: top up the account before purchases are refused`,
      details: { partner_id: row.id, balance_minor: balance.amountMinor, currency: balance.currency },
    });
  } else {
    await resolveAlertsOfCause(tx, {
      cause,
      type: 'partner_balance_low',
      notes: `The balance is ${left} again`,
    });
  }
}

export const isBalanceLow = (amountMinor: number | null, thresholdMinor: number | null): boolean =>
  amountMinor !== null && thresholdMinor !== null && amountMinor < thresholdMinor;
