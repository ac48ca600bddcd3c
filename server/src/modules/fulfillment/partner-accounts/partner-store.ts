import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface PartnerRow {
  readonly id: number;
  readonly name: string;
  readonly kind: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly credentials_sealed: Buffer | null;
  readonly status: 'active' | 'maintenance' | 'disabled';
  readonly maintenance_until: Date | null;
  readonly balance_threshold_minor: number | null;
  readonly balance_minor: number | null;
  readonly balance_currency: string | null;
  readonly balance_checked_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Not switched off, and no maintenance under way. */
export const USABLE = `(partner.status = 'active' OR (partner.status = 'maintenance' AND partner.maintenance_until <= now()))`;

const find = statement('partners_find', 'SELECT * FROM partners WHERE id = $1');
const lock = statement('partners_lock', 'SELECT * FROM partners WHERE id = $1 FOR UPDATE');
const findByName = statement('partners_find_by_name', 'SELECT * FROM partners WHERE name = $1');
const list = statement(
  'partners_list',
  `SELECT *, count(*) OVER ()::int AS total FROM partners
   WHERE ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR strpos(lower(name), lower($2)) > 0)
   ORDER BY name, id LIMIT $3 OFFSET $4`,
);
const listWatched = statement(
  'partners_list_watched',
  `SELECT * FROM partners AS partner WHERE ${USABLE} AND balance_threshold_minor IS NOT NULL ORDER BY id`,
);
const isUsable = statement(
  'partners_is_usable',
  `SELECT 1 FROM partners AS partner WHERE id = $1 AND ${USABLE}`,
);

const insert = statement(
  'partners_insert',
  `INSERT INTO partners (name, kind, config, credentials_sealed, status, balance_threshold_minor)
   VALUES ($1, $2, $3, $4, $5, $6) RETURNING *`,
);
const update = statement(
  'partners_update',
  `UPDATE partners SET name = $2, config = $3, balance_threshold_minor = $4 WHERE id = $1 RETURNING *`,
);
const setCredentials = statement(
  'partners_set_credentials',
  'UPDATE partners SET credentials_sealed = $2 WHERE id = $1 RETURNING *',
);
const setStatus = statement(
  'partners_set_status',
  'UPDATE partners SET status = $2, maintenance_until = $3 WHERE id = $1 RETURNING *',
);
const setBalance = statement(
  'partners_set_balance',
  'UPDATE partners SET balance_minor = $2, balance_currency = $3, balance_checked_at = $4 WHERE id = $1',
);

export async function findPartner(reader: Reader, id: number): Promise<PartnerRow | undefined> {
  return (await reader.query<PartnerRow>(find, [id])).rows[0];
}

export async function lockPartner(tx: Tx, id: number): Promise<PartnerRow | undefined> {
  return (await tx.query<PartnerRow>(lock, [id])).rows[0];
}

export async function findPartnerByName(reader: Reader, name: string): Promise<PartnerRow | undefined> {
  return (await reader.query<PartnerRow>(findByName, [name])).rows[0];
}

export async function listPartners(
  reader: Reader,
  filter: { status: string | null; search: string | null; limit: number; offset: number },
): Promise<{ rows: PartnerRow[]; total: number }> {
  const values = [filter.status, filter.search, filter.limit, filter.offset];
  const { rows } = await reader.query<PartnerRow & { total: number }>(list, values);
  return { rows, total: rows[0]?.total ?? 0 };
}

/** Usable partners whose balance has a threshold. */
export async function listWatchedPartners(reader: Reader): Promise<PartnerRow[]> {
  return (await reader.query<PartnerRow>(listWatched)).rows;
}

export async function isPartnerUsable(reader: Reader, id: number): Promise<boolean> {
  return (await reader.query(isUsable, [id])).count === 1;
}

export interface NewPartner {
  readonly name: string;
  readonly kind: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly credentialsSealed: Buffer | null;
  readonly status: PartnerRow['status'];
  readonly balanceThresholdMinor: number | null;
}

export async function insertPartner(tx: Tx, partner: NewPartner): Promise<PartnerRow> {
  const { rows } = await tx.query<PartnerRow>(insert, [
    partner.name,
    partner.kind,
    JSON.stringify(partner.config),
    partner.credentialsSealed,
    partner.status,
    partner.balanceThresholdMinor,
  ]);
  if (!rows[0]) throw new Error('INSERT … RETURNING gave no row');
  return rows[0];
}

export async function updatePartner(
  tx: Tx,
  partner: { id: number } & Pick<NewPartner, 'name' | 'config' | 'balanceThresholdMinor'>,
): Promise<PartnerRow | undefined> {
  const { id, name, config, balanceThresholdMinor } = partner;
  return (await tx.query<PartnerRow>(update, [id, name, JSON.stringify(config), balanceThresholdMinor]))
    .rows[0];
}

export async function setPartnerCredentials(
  tx: Tx,
  partner: { id: number; credentialsSealed: Buffer },
): Promise<PartnerRow | undefined> {
  return (await tx.query<PartnerRow>(setCredentials, [partner.id, partner.credentialsSealed])).rows[0];
}

export async function setPartnerStatus(
  tx: Tx,
  partner: { id: number; status: PartnerRow['status']; maintenanceUntil: Date | null },
): Promise<PartnerRow | undefined> {
  const { id, status, maintenanceUntil } = partner;
  return (await tx.query<PartnerRow>(setStatus, [id, status, maintenanceUntil])).rows[0];
}

export async function setPartnerBalance(
  tx: Tx,
  balance: { id: number; amountMinor: number; currency: string; at: Date },
): Promise<void> {
  await tx.query(setBalance, [balance.id, balance.amountMinor, balance.currency, balance.at]);
}
