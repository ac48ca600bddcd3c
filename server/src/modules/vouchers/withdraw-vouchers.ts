import type { Tx } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { voucherContexts } from './voucher-secrets.ts';
import { withdrawAvailableVouchers } from './withdrawal-store.ts';

export interface WithdrawnVoucher {
  readonly code: string;
  readonly pin: string | null;
}

/**
 * Takes codes of a variant out of the stock for another use, named in `reason`; they stay in the vault as `voided` and
 * are never sold. The caller's transaction must not commit when fewer come back than it asked for and it needs all.
 */
export async function withdrawVouchers(
  tx: Tx,
  box: SecretBox,
  wanted: { variantId: number; units: number; reason: string },
): Promise<WithdrawnVoucher[]> {
  const rows = await withdrawAvailableVouchers(tx, wanted);
  return rows.map((row) => ({
    code: box.open(row.code_sealed, voucherContexts.code),
    pin: row.pin_sealed ? box.open(row.pin_sealed, voucherContexts.pin) : null,
  }));
}
