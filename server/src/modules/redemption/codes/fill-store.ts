import type { Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

// First come, first filled: the order in which they were generated and printed.
const fill = statement(
  'redemption_fill_codes',
  `WITH pending AS (
     SELECT id, row_number() OVER (ORDER BY id) AS position
     FROM (SELECT id FROM redemption_codes WHERE campaign_id = $1 AND status = 'pending_stock'
           ORDER BY id LIMIT cardinality($2::bytea[]) FOR NO KEY UPDATE) AS open
   )
   UPDATE redemption_codes code
   SET status = 'unused', voucher_code_sealed = given.sealed, voucher_code_digest = given.digest,
       instructions = coalesce(given.instructions, code.instructions)
   FROM pending
   JOIN unnest($2::bytea[], $3::bytea[], $4::text[]) WITH ORDINALITY AS given (sealed, digest, instructions, position)
     USING (position)
   WHERE code.id = pending.id`,
);
const countPending = statement(
  'redemption_count_pending',
  `SELECT count(*)::int AS pending FROM redemption_codes WHERE campaign_id = $1 AND status = 'pending_stock'`,
);

export interface VoucherCodeToFill {
  readonly sealed: Buffer;
  readonly digest: Buffer;
  readonly instructions: string | null;
}

/** @returns how many tokens got one; fewer than given when there are not as many without. */
export async function fillPendingCodes(
  tx: Tx,
  campaignId: number,
  voucherCodes: readonly VoucherCodeToFill[],
): Promise<number> {
  const values = [
    campaignId,
    voucherCodes.map((code) => code.sealed),
    voucherCodes.map((code) => code.digest),
    voucherCodes.map((code) => code.instructions),
  ];
  return (await tx.query(fill, values)).count;
}

export async function countPendingCodes(tx: Tx, campaignId: number): Promise<number> {
  return (await tx.query<{ pending: number }>(countPending, [campaignId])).rows[0]?.pending ?? 0;
}
