import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export interface SettingRow {
  readonly key: string;
  readonly value: unknown;
  readonly version: number;
  readonly updated_by: number | null;
  readonly updated_at: Date;
}

const columns = 'key, value, version, updated_by, updated_at';
const listAll = statement('settings_list', `SELECT ${columns} FROM settings`);

export async function listSettings(reader: Reader): Promise<SettingRow[]> {
  return (await reader.query<SettingRow>(listAll)).rows;
}

// A lock on the name and not on the row: the row of a setting at its default is not there yet.
const lock = statement('settings_lock', `SELECT pg_advisory_xact_lock(hashtext('setting ' || $1))`);
const find = statement('settings_find', `SELECT ${columns} FROM settings WHERE key = $1`);

/** The row, if there is one; nobody else changes this setting until the transaction ends. */
export async function lockSetting(tx: Tx, key: string): Promise<SettingRow | undefined> {
  await tx.query(lock, [key]);
  return (await tx.query<SettingRow>(find, [key])).rows[0];
}

const upsert = statement(
  'settings_upsert',
  `INSERT INTO settings (key, value, updated_by) VALUES ($1, $2, $3)
   ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_by = excluded.updated_by,
     version = settings.version + 1
   RETURNING ${columns}`,
);

export async function upsertSetting(
  tx: Tx,
  setting: { readonly key: string; readonly value: unknown; readonly adminId: number },
): Promise<SettingRow> {
  const values = [setting.key, JSON.stringify(setting.value), setting.adminId];
  const { rows } = await tx.query<SettingRow>(upsert, values);
  if (!rows[0]) throw new Error(`Writing the setting ${setting.key} answered no row`);
  return rows[0];
}
