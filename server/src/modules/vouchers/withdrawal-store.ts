import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';

export interface WithdrawnRow {
  readonly code_sealed: Buffer;
  readonly pin_sealed: Buffer | null;
}

// First to expire goes first, as for buyers; units that a buyer is just taking are stepped over.
const withdraw = statement(
  'vouchers_withdraw',
  `WITH picked AS (
     SELECT id FROM vouchers
     WHERE variant_id = $1 AND status = 'available' AND (expires_at IS NULL OR expires_at > now())
     ORDER BY expires_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
   )
   UPDATE vouchers SET status = 'voided', metadata = metadata || jsonb_build_object('withdrawn_for', $3::text)
   FROM picked WHERE vouchers.id = picked.id
   RETURNING code_sealed, pin_sealed`,
);

/** @returns the rows taken out of the stock: fewer than `units` when there are not as many. */
export async function withdrawAvailableVouchers(
  tx: Tx,
  wanted: { variantId: number; units: number; reason: string },
): Promise<WithdrawnRow[]> {
  return (await tx.query<WithdrawnRow>(withdraw, [wanted.variantId, wanted.units, wanted.reason])).rows;
}
