import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export interface ApiKeyRow {
  readonly id: number;
  readonly admin_id: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly prefix: string;
  readonly last4: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

const COLUMNS = 'id, admin_id, name, scopes, prefix, last4, created_at, expires_at, last_used_at, revoked_at';

const insert = statement(
  'identity_insert_api_key',
  `INSERT INTO api_keys (admin_id, name, scopes, digest, prefix, last4, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
);
const list = statement(
  'identity_list_api_keys',
  `SELECT ${COLUMNS}, count(*) OVER () AS total FROM api_keys ORDER BY id DESC LIMIT $1 OFFSET $2`,
);
const revoke = statement(
  'identity_revoke_api_key',
  `UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING ${COLUMNS}`,
);
// Used for at most one call in two seconds of each key (the authenticator remembers), so writing here is no burden.
const use = statement(
  'identity_use_api_key',
  `UPDATE api_keys SET last_used_at = $2
   WHERE digest = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
   RETURNING ${COLUMNS}`,
);

export interface NewApiKey {
  readonly adminId: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly digest: Buffer;
  readonly prefix: string;
  readonly last4: string;
  readonly now: Date;
  readonly expiresAt: Date | null;
}

export async function insertApiKey(tx: Tx, key: NewApiKey): Promise<ApiKeyRow> {
  const { adminId, name, scopes, digest, prefix, last4, now, expiresAt } = key;
  const { rows } = await tx.query<ApiKeyRow>(insert, [
    adminId,
    name,
    scopes,
    digest,
    prefix,
    last4,
    now,
    expiresAt,
  ]);
  if (!rows[0]) throw new Error('Inserting an API key answered no row');
  return rows[0];
}

export async function listApiKeys(
  reader: Reader,
  page: { limit: number; offset: number },
): Promise<{ rows: ApiKeyRow[]; total: number }> {
  const { rows } = await reader.query<ApiKeyRow & { total: number }>(list, [page.limit, page.offset]);
  return { rows, total: rows[0]?.total ?? 0 };
}

/** Undefined when it is unknown or was revoked before. */
export async function revokeApiKeyRow(tx: Tx, id: number, now: Date): Promise<ApiKeyRow | undefined> {
  return (await tx.query<ApiKeyRow>(revoke, [id, now])).rows[0];
}

/** The live key with this digest, whose use is noted. */
export async function useApiKey(reader: Reader, digest: Buffer, now: Date): Promise<ApiKeyRow | undefined> {
  return (await reader.query<ApiKeyRow>(use, [digest, now])).rows[0];
}
