import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export interface BatchToInsert {
  readonly variantId: number;
  readonly supplier: string | null;
  readonly costMinor: number | null;
  readonly sourceName: string | null;
}

const insertBatchRow = statement(
  'vouchers_insert_batch',
  `INSERT INTO voucher_batches (variant_id, supplier, cost_minor, source_name) VALUES ($1, $2, $3, $4) RETURNING id`,
);

export async function insertBatch(tx: Tx, batch: BatchToInsert): Promise<number> {
  const { variantId, supplier, costMinor, sourceName } = batch;
  const { rows } = await tx.query<{ id: number }>(insertBatchRow, [
    variantId,
    supplier,
    costMinor,
    sourceName,
  ]);
  if (!rows[0]) throw new Error('A batch was inserted and has no id');
  return rows[0].id;
}

const listDigests = statement(
  'vouchers_list_stored_digests',
  'SELECT code_digest FROM vouchers WHERE brand_id = $1 AND code_digest = ANY($2::bytea[])',
);

/** Which of these codes the brand has already, whatever became of them. */
export async function listStoredDigests(
  reader: Reader,
  brandId: number,
  digests: readonly Buffer[],
): Promise<Buffer[]> {
  const { rows } = await reader.query<{ code_digest: Buffer }>(listDigests, [brandId, digests]);
  return rows.map((row) => row.code_digest);
}

export interface SealedCode {
  readonly codeSealed: Buffer;
  readonly codeDigest: Buffer;
  readonly pinSealed: Buffer | null;
  readonly redemptionUrlSealed: Buffer | null;
  readonly serialNumberSealed: Buffer | null;
  readonly expiresAt: Date | null;
}

export interface CodesToInsert {
  readonly batchId: number;
  readonly variantId: number;
  readonly brandId: number;
  readonly costMinor: number | null;
  readonly codes: readonly SealedCode[];
}

// In the order of digests, so that two imports of the same codes wait for each other and do not deadlock. Whoever
// comes second finds the row there: the uniqueness decides, not the look before.
const insertCodes = statement(
  'vouchers_insert_codes',
  `INSERT INTO vouchers (variant_id, brand_id, batch_id, cost_minor, source_type, code_sealed, code_digest,
     pin_sealed, redemption_url_sealed, serial_number_sealed, expires_at)
   SELECT $1, $2, $3, $4, 'PRELOADED', code, digest, pin, url, serial, expires
   FROM unnest($5::bytea[], $6::bytea[], $7::bytea[], $8::bytea[], $9::bytea[], $10::timestamptz[])
     AS given(code, digest, pin, url, serial, expires)
   ORDER BY digest
   ON CONFLICT ON CONSTRAINT vouchers__code_once DO NOTHING
   RETURNING code_digest`,
);

/** @returns the digests of the codes that were new. */
export async function insertVouchers(tx: Tx, { codes, ...of }: CodesToInsert): Promise<Buffer[]> {
  const { rows } = await tx.query<{ code_digest: Buffer }>(insertCodes, [
    of.variantId,
    of.brandId,
    of.batchId,
    of.costMinor,
    codes.map((code) => code.codeSealed),
    codes.map((code) => code.codeDigest),
    codes.map((code) => code.pinSealed),
    codes.map((code) => code.redemptionUrlSealed),
    codes.map((code) => code.serialNumberSealed),
    codes.map((code) => code.expiresAt),
  ]);
  return rows.map((row) => row.code_digest);
}
