import type { Tx } from '../../platform/db/database.ts';
import { countSellableVouchers, reserveVouchers } from './voucher-store.ts';
import type { UnitsWanted } from './voucher-store.ts';

/** All units were taken, or the variant that is short. The caller rolls back when it is short. */
export type Reservation =
  | { readonly kind: 'reserved' }
  | { readonly kind: 'short'; readonly variantId: number };

/** Thrown to have the transaction rolled back and tried again: units were locked by buyers who may yet let go. */
export class StockContendedError extends Error {
  constructor() {
    super('Units are held by transactions that have not ended');
    this.name = 'StockContendedError';
  }
}

/**
 * Reserves units for order items until a moment, all or nothing: when it answers `short` or throws, the caller's
 * transaction must not commit.
 *
 * @param options.attempt from 0; later attempts wait for other buyers' locks instead of stepping over them.
 */
export async function reserveUnits(
  tx: Tx,
  wanted: readonly UnitsWanted[],
  options: { until: Date; attempt: number },
): Promise<Reservation> {
  const total = new Map<number, number>();
  for (const { variantId, unitNumbers } of wanted) {
    total.set(variantId, (total.get(variantId) ?? 0) + unitNumbers.length);
  }
  const taken = await reserveVouchers(tx, wanted, {
    until: options.until,
    waitForOthers: options.attempt > 0,
  });
  for (const [variantId, units] of total) {
    const got = taken.get(variantId) ?? 0;
    if (got === units) continue;
    // What we took is ours in this transaction and no longer counted as sellable.
    const left = await countSellableVouchers(tx, variantId);
    if (got + left >= units) throw new StockContendedError();
    return { kind: 'short', variantId };
  }
  return { kind: 'reserved' };
}

const ATTEMPTS = 20;

/** Runs a transaction that reserves units again while others are in the way; each waits for one that was in the way. */
export async function withStockRetries<Value>(work: (attempt: number) => Promise<Value>): Promise<Value> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!(error instanceof StockContendedError) || attempt + 1 >= ATTEMPTS) throw error;
    }
  }
}
