import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import { redemptionCodeStates } from '../redemption-code-states.ts';
import type { RedemptionCodeStatus } from '../redemption-code-states.ts';

/** A code as operators see it; token and voucher code stay sealed here. */
export interface CodeRow {
  readonly id: number;
  readonly campaign_id: number;
  readonly generation_id: number | null;
  readonly token_sealed: Buffer;
  readonly voucher_code_sealed: Buffer | null;
  readonly instructions: string | null;
  /** As it reads at this moment: `expired` past the campaign's end, stored or not (decisions 7.7). */
  readonly status: RedemptionCodeStatus;
  readonly redeemed_at: Date | null;
  readonly redeemed_ip_key: string | null;
  readonly created_at: Date;
}

const statusNow = `CASE WHEN code.status IN ('unused', 'pending_stock') AND campaign.ends_at < now()
  THEN 'expired' ELSE code.status END`;
const columns = `code.id, code.campaign_id, code.generation_id, code.token_sealed, code.voucher_code_sealed,
  code.instructions, ${statusNow} AS status, code.redeemed_at, code.redeemed_ip_key, code.created_at`;
const joined = 'redemption_codes code JOIN redemption_campaigns campaign ON campaign.id = code.campaign_id';

const countByStatus = statement(
  'redemption_count_by_status',
  `SELECT ${statusNow} AS status, count(*)::int AS codes FROM ${joined} WHERE code.campaign_id = $1 GROUP BY 1`,
);

const lock = statement(
  'redemption_lock_code',
  `SELECT ${columns} FROM ${joined} WHERE code.id = $1 FOR UPDATE OF code`,
);

const filtered = `FROM ${joined} WHERE code.campaign_id = $1
  AND ($2::text IS NULL OR ${statusNow} = $2)
  AND ($3::bytea IS NULL OR code.token_digest = $3 OR code.voucher_code_digest = $4 OR code.id = $5)`;
const list = statement(
  'redemption_list_codes',
  `SELECT ${columns} ${filtered} ORDER BY code.id LIMIT $6 OFFSET $7`,
);
const count = statement('redemption_count_codes', `SELECT count(*)::int AS total ${filtered}`);

// By position, so that a file of any size is read in pieces without holding a cursor or a transaction open.
const listAfter = statement(
  'redemption_list_codes_after',
  `SELECT ${columns} FROM ${joined}
   WHERE code.campaign_id = $1 AND code.id > $2 AND ($3::text[] IS NULL OR ${statusNow} = ANY($3::text[]))
     AND ($4::bigint IS NULL OR code.generation_id = $4)
   ORDER BY code.id LIMIT $5`,
);
const countSelected = statement(
  'redemption_count_selected_codes',
  `SELECT count(*)::int AS total FROM ${joined}
   WHERE code.campaign_id = $1 AND ($2::text[] IS NULL OR ${statusNow} = ANY($2::text[]))
     AND ($3::bigint IS NULL OR code.generation_id = $3)`,
);

const update = statement(
  'redemption_update_code',
  `UPDATE redemption_codes SET status = $2, instructions = $3,
     voucher_code_sealed = coalesce($4, voucher_code_sealed), voucher_code_digest = coalesce($5, voucher_code_digest)
   WHERE id = $1`,
);
const remove = statement(
  'redemption_delete_code',
  `DELETE FROM redemption_codes WHERE id = $1 AND status <> 'redeemed'`,
);

// In the order of ids, so that two operators do not wait for each other in a circle.
const voidOpen = statement(
  'redemption_void_codes',
  `WITH open AS (
     SELECT code.id FROM ${joined}
     WHERE code.campaign_id = $1 AND code.id = ANY($2::bigint[]) AND ${statusNow} IN ('unused', 'pending_stock')
     ORDER BY code.id FOR NO KEY UPDATE OF code
   )
   UPDATE redemption_codes SET status = 'voided' FROM open WHERE redemption_codes.id = open.id
   RETURNING redemption_codes.id`,
);

/** Of a campaign's codes, how many read as what; zero for every status that none has. */
export async function countCodesByStatus(
  reader: Reader,
  campaignId: number,
): Promise<Record<RedemptionCodeStatus, number>> {
  const { rows } = await reader.query<{ status: RedemptionCodeStatus; codes: number }>(countByStatus, [
    campaignId,
  ]);
  const found = new Map(rows.map((row) => [row.status, row.codes]));
  return Object.fromEntries(
    redemptionCodeStates.states.map((status) => [status, found.get(status) ?? 0]),
  ) as Record<RedemptionCodeStatus, number>;
}

/** Keeps redeems and other operators away from the code until the transaction ends. */
export async function lockCode(tx: Tx, id: number): Promise<CodeRow | undefined> {
  return (await tx.query<CodeRow>(lock, [id])).rows[0];
}

export interface CodesWanted {
  readonly campaignId: number;
  readonly status: RedemptionCodeStatus | null;
  /** A token, a voucher code or an id, as digests and number. */
  readonly search: {
    readonly tokenDigest: Buffer;
    readonly voucherCodeDigest: Buffer;
    readonly id: number | null;
  } | null;
  readonly limit: number;
  readonly offset: number;
}

export async function listCodes(
  reader: Reader,
  wanted: CodesWanted,
): Promise<{ rows: CodeRow[]; total: number }> {
  const { campaignId, status, search } = wanted;
  const filters = [
    campaignId,
    status,
    search?.tokenDigest ?? null,
    search?.voucherCodeDigest ?? null,
    search?.id ?? null,
  ];
  const [{ rows }, counted] = await Promise.all([
    reader.query<CodeRow>(list, [...filters, wanted.limit, wanted.offset]),
    reader.query<{ total: number }>(count, filters),
  ]);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

/** Which codes a file is made of. */
export interface CodeSelection {
  readonly campaignId: number;
  /** Null: whatever the status. */
  readonly statuses: readonly RedemptionCodeStatus[] | null;
  readonly generationId: number | null;
}

export async function listCodesAfter(
  reader: Reader,
  selection: CodeSelection,
  from: { afterId: number; limit: number },
): Promise<CodeRow[]> {
  const { campaignId, statuses, generationId } = selection;
  const values = [campaignId, from.afterId, statuses, generationId, from.limit];
  return (await reader.query<CodeRow>(listAfter, values)).rows;
}

export async function countSelectedCodes(reader: Reader, selection: CodeSelection): Promise<number> {
  const { campaignId, statuses, generationId } = selection;
  const { rows } = await reader.query<{ total: number }>(countSelected, [campaignId, statuses, generationId]);
  return rows[0]?.total ?? 0;
}

export interface CodeToWrite {
  readonly id: number;
  readonly status: RedemptionCodeStatus;
  readonly instructions: string | null;
  /** Null leaves the one it has. */
  readonly voucherCode: { readonly sealed: Buffer; readonly digest: Buffer } | null;
}

export async function updateCodeRow(tx: Tx, code: CodeToWrite): Promise<void> {
  const { id, status, instructions, voucherCode } = code;
  await tx.query(update, [
    id,
    status,
    instructions,
    voucherCode?.sealed ?? null,
    voucherCode?.digest ?? null,
  ]);
}

/** @returns false when it was redeemed or is not there. */
export async function deleteCodeRow(tx: Tx, id: number): Promise<boolean> {
  return (await tx.query(remove, [id])).count === 1;
}

/** Those of the ids that belong to the campaign and can be voided. @returns the ids voided. */
export async function voidOpenCodes(tx: Tx, campaignId: number, ids: readonly number[]): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(voidOpen, [campaignId, ids]);
  return rows.map((row) => row.id);
}
