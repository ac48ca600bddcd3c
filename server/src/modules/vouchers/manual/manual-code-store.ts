import type { Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface UnitRow {
  readonly id: number;
  readonly order_item_id: number;
  readonly unit_no: number;
  readonly status: 'reserved' | 'assigned';
  readonly code_digest: Buffer;
}

export interface KnownCodeRow {
  readonly id: number;
  readonly variant_id: number;
  readonly brand_id: number;
  readonly order_item_id: number | null;
  readonly status: 'available' | 'reserved' | 'assigned' | 'voided';
  readonly is_expired: boolean;
  readonly code_digest: Buffer;
}

// Codes are unique within a brand only, and an operator must not give one code to two items of two brands either:
// whoever types in the same code waits here, in one order for everybody.
const lockCodes = statement(
  'vouchers_lock_typed_codes',
  `SELECT pg_advisory_xact_lock(key) FROM (
     SELECT DISTINCT key FROM unnest($1::bigint[]) AS typed(key) ORDER BY key OFFSET 0) AS in_order`,
);

const listUnits = statement(
  'vouchers_list_units_of_items',
  `SELECT id, order_item_id, unit_no, status, code_digest FROM vouchers
   WHERE order_item_id = ANY ($1) ORDER BY order_item_id, unit_no`,
);

const listByDigest = statement(
  'vouchers_list_by_digest',
  `SELECT id, variant_id, brand_id, order_item_id, status, code_digest, COALESCE(expires_at <= now(), false) AS is_expired
   FROM vouchers WHERE code_digest = ANY ($1::bytea[])`,
);

const listBrands = statement(
  'vouchers_list_brands_of_variants',
  `SELECT variant.id AS variant_id, product.brand_id
   FROM product_variants AS variant JOIN products AS product ON product.id = variant.product_id
   WHERE variant.id = ANY ($1)`,
);

const release = statement(
  'vouchers_release_units',
  `UPDATE vouchers SET status = 'available', order_item_id = NULL, unit_no = NULL, reserved_until = NULL
   WHERE id = ANY ($1) AND status = 'reserved'`,
);

const claim = statement(
  'vouchers_claim_by_id',
  `UPDATE vouchers SET status = 'assigned', order_item_id = given.item_id, unit_no = given.unit_no, assigned_at = now()
   FROM unnest($1::bigint[], $2::bigint[], $3::int[]) AS given(id, item_id, unit_no)
   WHERE vouchers.id = given.id AND vouchers.status = 'available'`,
);

const insert = statement(
  'vouchers_insert_manual',
  `INSERT INTO vouchers (variant_id, brand_id, order_item_id, unit_no, partner_id, source_type, status, code_sealed,
     code_digest, pin_sealed, redemption_url_sealed, serial_number_sealed, expires_at, metadata, assigned_at)
   SELECT variant_id, brand_id, item_id, unit_no, partner_id, 'MANUAL', 'assigned', decode(code, 'hex'),
     decode(digest, 'hex'), decode(pin, 'hex'), decode(url, 'hex'), decode(serial, 'hex'), expires_at, metadata, now()
   FROM jsonb_to_recordset($1::jsonb) AS given(
     variant_id bigint, brand_id bigint, item_id bigint, unit_no int, partner_id bigint, code text, digest text,
     pin text, url text, serial text, expires_at timestamptz, metadata jsonb)
   ON CONFLICT ON CONSTRAINT vouchers__code_once DO NOTHING`,
);

export async function lockTypedCodes(tx: Tx, digests: readonly Buffer[]): Promise<void> {
  await tx.query(lockCodes, [digests.map((digest) => String(digest.readBigInt64BE(0)))]);
}

/** Units of these items that hold a code, reserved or assigned. */
export async function listUnitsOfItems(tx: Tx, itemIds: readonly number[]): Promise<UnitRow[]> {
  return (await tx.query<UnitRow>(listUnits, [itemIds])).rows;
}

/** Whatever the vault knows about these codes, of any brand. */
export async function listKnownCodes(tx: Tx, digests: readonly Buffer[]): Promise<KnownCodeRow[]> {
  return (await tx.query<KnownCodeRow>(listByDigest, [digests])).rows;
}

export async function listBrandsOfVariants(
  tx: Tx,
  variantIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await tx.query<{ variant_id: number; brand_id: number }>(listBrands, [variantIds]);
  return new Map(rows.map((row) => [row.variant_id, row.brand_id]));
}

export async function releaseUnits(tx: Tx, voucherIds: readonly number[]): Promise<void> {
  if (voucherIds.length > 0) await tx.query(release, [voucherIds]);
}

/** @returns how many were still available: fewer than asked for means that somebody bought one meanwhile. */
export async function claimVouchers(
  tx: Tx,
  claims: readonly { voucherId: number; orderItemId: number; unitNo: number }[],
): Promise<number> {
  if (claims.length === 0) return 0;
  const columns = [
    claims.map((one) => one.voucherId),
    claims.map((one) => one.orderItemId),
    claims.map((one) => one.unitNo),
  ];
  return (await tx.query(claim, columns)).count;
}

export interface ManualVoucher {
  readonly variant_id: number;
  readonly brand_id: number;
  readonly item_id: number;
  readonly unit_no: number;
  readonly partner_id: number | null;
  /** Sealed, in hexadecimal, as all of these. */
  readonly code: string;
  readonly digest: string;
  readonly pin: string | null;
  readonly url: string | null;
  readonly serial: string | null;
  readonly expires_at: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** @returns how many were new to their brand. */
export async function insertManualVouchers(tx: Tx, vouchers: readonly ManualVoucher[]): Promise<number> {
  return vouchers.length === 0 ? 0 : (await tx.query(insert, [JSON.stringify(vouchers)])).count;
}
