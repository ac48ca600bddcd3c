import { createHash } from 'node:crypto';

import { inTransaction } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import type { AdminCaller } from '../../../platform/http/endpoint.ts';
import type { Random } from '../../../platform/random.ts';
import type { Clock } from '../../../platform/time.ts';
import { permissionsOf } from '../admins/admin-permissions.ts';
import { findAdmin } from '../admins/admin-store.ts';
import { API_KEY_SESSION, recordAudit } from '../audit/record-audit.ts';
import type { Actor } from '../audit/record-audit.ts';
import { tokenRefused } from '../errors.ts';
import { assertMayGrant, assertPermissions } from '../roles/grant-guards.ts';
import { insertApiKey, revokeApiKeyRow, useApiKey } from './api-key-store.ts';
import type { ApiKeyRow } from './api-key-store.ts';

export interface ApiKeyDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Tells this process that a key is no longer good. */
  forgetAdmins(): void;
}

/** So that a key is recognised as one, here and by those who search code for leaked secrets. */
export const API_KEY_PREFIX = 'vca_';
const SECRET_BYTES = 32;
const SHOWN = 4;

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly actor: Actor & { readonly adminId: number };
  /** What its maker may do: a key never does more. */
  readonly own: ReadonlySet<string>;
}

/**
 * @returns the row, and the key itself, which is never shown again.
 * @throws AppError VALIDATION_ERROR (unknown scope, expiry in the past), FORBIDDEN (a scope the maker lacks).
 */
export async function createApiKey(
  deps: ApiKeyDeps,
  input: NewKey,
): Promise<{ row: ApiKeyRow; key: string }> {
  const { name, scopes, expiresAt, actor, own } = input;
  const now = deps.clock.now();
  assertPermissions('scopes', scopes);
  assertMayGrant(own, scopes);
  if (expiresAt && expiresAt <= now) throw fieldError('expires_at', 'expires_at must be in the future');
  const key = `${API_KEY_PREFIX}${deps.random.bytes(SECRET_BYTES).toString('base64url')}`;
  const row = await inTransaction(deps.db, async (tx) => {
    const created = await insertApiKey(tx, {
      adminId: actor.adminId,
      name,
      scopes,
      digest: apiKeyDigest(key),
      prefix: key.slice(0, API_KEY_PREFIX.length + SHOWN),
      last4: key.slice(-SHOWN),
      now,
      expiresAt,
    });
    const resource = { type: 'api_key', id: created.id };
    await recordAudit(tx, { actor, action: 'api_key.created', resource, after: { name, scopes, expiresAt } });
    return created;
  });
  return { row, key };
}

/** Holds within two seconds on every process. @throws AppError NOT_FOUND when unknown or revoked before. */
export async function revokeApiKey(deps: ApiKeyDeps, id: number, actor: Actor): Promise<void> {
  const now = deps.clock.now();
  await inTransaction(deps.db, async (tx) => {
    const row = await revokeApiKeyRow(tx, id, now);
    if (!row) throw new AppError('NOT_FOUND', 'There is no such API key, or it was revoked before');
    const { name, scopes } = row;
    await recordAudit(tx, {
      actor,
      action: 'api_key.revoked',
      resource: { type: 'api_key', id },
      before: { name, scopes },
    });
  });
  deps.forgetAdmins();
}

/**
 * The caller behind a key: its scopes, as far as its maker still has them, and nobody's own account.
 * @throws AppError UNAUTHORIZED when the key is unknown, revoked or over, or its maker suspended.
 */
export async function findKeyCaller(
  deps: Pick<ApiKeyDeps, 'db' | 'clock'>,
  key: string,
): Promise<AdminCaller> {
  const row = await useApiKey(deps.db, apiKeyDigest(key), deps.clock.now());
  const maker = row && (await findAdmin(deps.db, row.admin_id));
  if (!row || maker?.status !== 'active') throw tokenRefused();
  const makers = permissionsOf(maker);
  return {
    kind: 'admin',
    adminId: maker.id,
    sessionId: `${API_KEY_SESSION}${row.id}`,
    permissions: new Set(row.scopes.filter((scope) => makers.has(scope))),
  };
}

function apiKeyDigest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
