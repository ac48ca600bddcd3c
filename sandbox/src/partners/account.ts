import type { World } from '../world.ts';

export interface Account {
  /** What a reader is told, which a fault may have made alarmingly little. */
  shownMinor(): number;
  balanceMinor(): number;
  /** False, and nothing taken, when there is not enough. */
  debit(amountMinor: number): boolean;
}

const OPENING_MINOR = 100_000_000;
const LOW_MINOR = 500;

/** The prepaid money our service has with a partner. */
export function openAccount(world: World, name: string): Account {
  const table = world.ledger.table<{ balanceMinor: number }>('partner/accounts');
  const balanceMinor = () => table.get(name)?.balanceMinor ?? OPENING_MINOR;
  return {
    shownMinor: () =>
      world.faults.take('partner', 'low_balance', ['catalogue']) ? LOW_MINOR : balanceMinor(),
    balanceMinor,
    debit(amountMinor) {
      if (amountMinor > balanceMinor()) return false;
      table.put(name, { balanceMinor: balanceMinor() - amountMinor });
      return true;
    },
  };
}
