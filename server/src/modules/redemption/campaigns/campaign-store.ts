import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export type CampaignStatus = 'active' | 'paused' | 'expired';

/** What operators write of a campaign. */
export interface CampaignFields {
  readonly name: string;
  readonly slug: string;
  readonly headline: string | null;
  readonly cta_text: string | null;
  readonly description: string | null;
  readonly instruction_template: string | null;
  readonly code_length: number;
  readonly max_per_ip: number | null;
  readonly starts_at: Date | null;
  readonly ends_at: Date | null;
  readonly status: CampaignStatus;
  readonly variant_id: number | null;
  readonly require_email: boolean;
  readonly require_phone: boolean;
}

export interface CampaignRow extends CampaignFields {
  readonly id: number;
  /** Past `ends_at` by the database's clock. */
  readonly is_over: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const written = [
  'name',
  'slug',
  'headline',
  'cta_text',
  'description',
  'instruction_template',
  'code_length',
  'max_per_ip',
  'starts_at',
  'ends_at',
  'status',
  'variant_id',
  'require_email',
  'require_phone',
] as const satisfies readonly (keyof CampaignFields)[];
const valuesOf = (fields: CampaignFields): unknown[] => written.map((column) => fields[column]);
const places = written.map((_, index) => `$${index + 1}`).join(', ');
const columns = `id, ${written.join(', ')}, coalesce(ends_at < now(), false) AS is_over, created_at, updated_at`;

const insert = statement(
  'redemption_insert_campaign',
  `INSERT INTO redemption_campaigns (${written.join(', ')}) VALUES (${places}) RETURNING ${columns}`,
);
const update = statement(
  'redemption_update_campaign',
  `UPDATE redemption_campaigns SET (${written.join(', ')}) = ROW (${places}) WHERE id = $${written.length + 1}
   RETURNING ${columns}`,
);
const find = statement(
  'redemption_find_campaign',
  `SELECT ${columns} FROM redemption_campaigns WHERE id = $1`,
);
const lock = statement(
  'redemption_lock_campaign',
  `SELECT ${columns} FROM redemption_campaigns WHERE id = $1 FOR NO KEY UPDATE`,
);
const lockForDelete = statement(
  'redemption_lock_campaign_for_delete',
  `SELECT ${columns} FROM redemption_campaigns WHERE id = $1 FOR UPDATE`,
);

const listed = `FROM redemption_campaigns
  WHERE ($1::text IS NULL OR CASE WHEN ends_at < now() THEN 'expired' ELSE status END = $1)
    AND ($2::text IS NULL OR strpos(lower(name || ' ' || slug), lower($2)) > 0)`;
const count = statement('redemption_count_campaigns', `SELECT count(*)::int AS total ${listed}`);

const orders = {
  '-id': 'id DESC',
  id: 'id',
  name: 'lower(name), id',
  '-name': 'lower(name) DESC, id',
  starts_at: 'starts_at NULLS FIRST, id',
  '-starts_at': 'starts_at DESC NULLS LAST, id',
  ends_at: 'ends_at NULLS LAST, id',
  '-ends_at': 'ends_at DESC NULLS FIRST, id',
} as const;
export type CampaignSort = keyof typeof orders;
export const CAMPAIGN_SORTS = Object.keys(orders) as CampaignSort[];

const lists = new Map(
  CAMPAIGN_SORTS.map((sort) => [
    sort,
    statement(
      `redemption_list_campaigns_${sort}`,
      `SELECT ${columns} ${listed} ORDER BY ${orders[sort]} LIMIT $3 OFFSET $4`,
    ),
  ]),
);

// From now on the campaign limits addresses: what they took while it did not counts too. Redeems are kept out meanwhile
// (see take_redemption_code), so none falls between the count and the counting.
const shutOutRedeems = statement(
  'redemption_shut_out_redeems',
  'SELECT pg_advisory_xact_lock(726503, hashint8($1::bigint))',
);
const resetCounters = statement(
  'redemption_reset_counters',
  `WITH taken AS (
     SELECT campaign_id, redeemed_ip_key, count(*) AS redeemed FROM redemption_codes
     WHERE campaign_id = $1 AND status = 'redeemed' GROUP BY 1, 2
   )
   INSERT INTO redemption_ip_counters (campaign_id, ip_key, redeemed)
   SELECT campaign_id, redeemed_ip_key, redeemed FROM taken
   ON CONFLICT ON CONSTRAINT redemption_ip_counters__pk DO UPDATE SET redeemed = excluded.redeemed`,
);

const deleteCodes = statement(
  'redemption_delete_campaign_codes',
  `DELETE FROM redemption_codes WHERE campaign_id = $1 AND status <> 'redeemed'`,
);
const deleteCounters = statement(
  'redemption_delete_campaign_counters',
  'DELETE FROM redemption_ip_counters WHERE campaign_id = $1',
);
const deleteRow = statement(
  'redemption_delete_campaign',
  `DELETE FROM redemption_campaigns WHERE id = $1
     AND NOT EXISTS (SELECT FROM redemption_codes code WHERE code.campaign_id = redemption_campaigns.id)`,
);

export async function insertCampaign(tx: Tx, fields: CampaignFields): Promise<CampaignRow> {
  return only((await tx.query<CampaignRow>(insert, valuesOf(fields))).rows);
}

export async function updateCampaignRow(tx: Tx, id: number, fields: CampaignFields): Promise<CampaignRow> {
  return only((await tx.query<CampaignRow>(update, [...valuesOf(fields), id])).rows);
}

export async function findCampaign(reader: Reader, id: number): Promise<CampaignRow | undefined> {
  return (await reader.query<CampaignRow>(find, [id])).rows[0];
}

/** Codes can still be added meanwhile; other operators' changes wait. */
export async function lockCampaign(tx: Tx, id: number): Promise<CampaignRow | undefined> {
  return (await tx.query<CampaignRow>(lock, [id])).rows[0];
}

/** Nothing that refers to it can be added meanwhile. */
export async function lockCampaignForDelete(tx: Tx, id: number): Promise<CampaignRow | undefined> {
  return (await tx.query<CampaignRow>(lockForDelete, [id])).rows[0];
}

export interface CampaignsWanted {
  readonly status: CampaignStatus | null;
  readonly search: string | null;
  readonly sort: CampaignSort;
  readonly limit: number;
  readonly offset: number;
}

export async function listCampaigns(
  reader: Reader,
  wanted: CampaignsWanted,
): Promise<{ rows: CampaignRow[]; total: number }> {
  const filters = [wanted.status, wanted.search];
  const list = lists.get(wanted.sort);
  if (!list) throw new Error(`No such sort: ${wanted.sort}`);
  const [{ rows }, counted] = await Promise.all([
    reader.query<CampaignRow>(list, [...filters, wanted.limit, wanted.offset]),
    reader.query<{ total: number }>(count, filters),
  ]);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

/** Call before the limit is written, in its transaction. */
export async function shutOutRedeemsOf(tx: Tx, campaignId: number): Promise<void> {
  await tx.query(shutOutRedeems, [campaignId]);
}

export async function resetIpCounters(tx: Tx, campaignId: number): Promise<void> {
  await tx.query(resetCounters, [campaignId]);
}

/** All but redeemed ones. A redeem under way is waited for. @returns how many. */
export async function deleteCampaignCodes(tx: Tx, campaignId: number): Promise<number> {
  return (await tx.query(deleteCodes, [campaignId])).count;
}

/** @returns false, and deletes nothing, while it still has a code. */
export async function deleteCampaignRow(tx: Tx, campaignId: number): Promise<boolean> {
  if ((await tx.query(deleteRow, [campaignId])).count === 0) return false;
  await tx.query(deleteCounters, [campaignId]);
  return true;
}

function only<Row>(rows: readonly Row[]): Row {
  const row = rows[0];
  if (!row) throw new Error('A campaign was written and did not come back');
  return row;
}
