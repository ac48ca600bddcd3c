import { Type } from 'typebox';
import type { Static } from 'typebox';

import { adminNameSchema } from '../admins/admin-wire.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { actorOf } from '../audit/record-audit.ts';
import { listApiKeys } from './api-key-store.ts';
import type { ApiKeyRow } from './api-key-store.ts';
import { createApiKey, revokeApiKey } from './api-keys.ts';
import type { ApiKeyDeps } from './api-keys.ts';

const TAG = 'API keys';
const nullableMoment = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

const apiKeySchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  prefix: Type.String({ description: 'How the key begins' }),
  last4: Type.String({ description: 'How it ends' }),
  created_by: Type.Integer(),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: nullableMoment,
  last_used_at: nullableMoment,
  revoked_at: nullableMoment,
});

export function apiKeyEndpoints(deps: ApiKeyDeps): Endpoint[] {
  return [listAll(deps), create(deps), revoke(deps)];
}

function listAll(deps: ApiKeyDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api-keys',
    access: { permission: 'api_keys:read' },
    tag: TAG,
    summary: 'API keys, newest first; never the keys themselves',
    query: Type.Object({ ...pageQuery }),
    data: pageSchema(apiKeySchema),
    async handle({ query: { page, limit } }) {
      const { rows, total } = await listApiKeys(deps.db, { limit, offset: (page - 1) * limit });
      return pageOf(rows.map(apiKeyToWire), { page, limit, total });
    },
  });
}

function create(deps: ApiKeyDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/api-keys',
    access: { permission: 'api_keys:write' },
    tag: TAG,
    summary: 'Create a key with some of my own permissions; it is shown once',
    description: 'Send it as a bearer token. It can never do more than its maker can at that moment.',
    body: Type.Object({
      name: adminNameSchema,
      scopes: Type.Array(Type.String({ maxLength: 60 }), { minItems: 1, maxItems: 200, uniqueItems: true }),
      expires_at: Type.Optional(nullableMoment),
    }),
    data: Type.Object({ ...apiKeySchema.properties, key: Type.String() }),
    status: 201,
    async handle(call) {
      const { name, scopes, expires_at: expiresAt } = call.body;
      const { row, key } = await createApiKey(deps, {
        name,
        scopes,
        expiresAt: expiresAt ? new Date(expiresAt) : null,
        actor: { ...actorOf(call), adminId: call.caller.adminId },
        own: call.caller.permissions,
      });
      return { ...apiKeyToWire(row), key };
    },
  });
}

function revoke(deps: ApiKeyDeps): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: '/api-keys/:id',
    access: { permission: 'api_keys:write' },
    tag: TAG,
    summary: 'Revoke a key; it stops working within two seconds',
    params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
    data: Type.Null(),
    errors: ['NOT_FOUND'],
    async handle(call) {
      await revokeApiKey(deps, call.params.id, actorOf(call));
      return null;
    },
  });
}

function apiKeyToWire(row: ApiKeyRow): Static<typeof apiKeySchema> {
  return {
    id: row.id,
    name: row.name,
    scopes: [...row.scopes],
    prefix: row.prefix,
    last4: row.last4,
    created_by: row.admin_id,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
