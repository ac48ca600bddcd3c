import { Type } from 'typebox';
import type { Static } from 'typebox';

import { grantablePermissions } from '../permissions.ts';
import type { TokenPair } from '../tokens/open-session.ts';
import { permissionsOf } from './admin-permissions.ts';
import type { AdminRow } from './admin-store.ts';

export const adminNameSchema = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' });
export const adminRolesSchema = Type.Array(Type.String({ maxLength: 50 }), {
  minItems: 1,
  maxItems: 20,
  uniqueItems: true,
});

/** The signed-in admin (decisions part 2). */
export const ownAdminSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  email: Type.String(),
  roles: Type.Array(Type.String()),
  permissions: Type.Array(Type.String(), {
    description: 'What the roles amount to, as `<resource>:<action>`',
  }),
  totp_enabled: Type.Boolean(),
  totp_required: Type.Boolean({
    description: 'A role asks for a second factor: nothing is permitted until there is one',
  }),
});

export const adminSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  email: Type.String(),
  status: Type.Enum(['active', 'suspended']),
  roles: Type.Array(Type.String()),
  totp_enabled: Type.Boolean(),
  last_seen_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  created_at: Type.String({ format: 'date-time' }),
});

export const adminSignedInSchema = Type.Object({
  accessToken: Type.String(),
  refreshToken: Type.String(),
  admin: ownAdminSchema,
});

export const mfaChallengeSchema = Type.Object({
  mfaRequired: Type.Literal(true),
  mfaToken: Type.String(),
  expiresIn: Type.Integer({ description: 'Seconds' }),
});

export function adminToWire(admin: AdminRow): Static<typeof adminSchema> {
  return {
    id: admin.id,
    name: admin.name,
    email: admin.email,
    status: admin.status,
    roles: [...admin.roles],
    totp_enabled: admin.totp_confirmed_at !== null,
    last_seen_at: admin.last_seen_at?.toISOString() ?? null,
    created_at: admin.created_at.toISOString(),
  };
}

export function ownAdminToWire(admin: AdminRow): Static<typeof ownAdminSchema> {
  const permissions = permissionsOf(admin);
  return {
    id: admin.id,
    name: admin.name,
    email: admin.email,
    roles: [...admin.roles],
    permissions: grantablePermissions.filter((permission) => permissions.has(permission)).toSorted(),
    totp_enabled: admin.totp_confirmed_at !== null,
    totp_required: admin.requires_totp,
  };
}

export function adminSignedInToWire(admin: AdminRow, tokens: TokenPair): Static<typeof adminSignedInSchema> {
  return { ...tokens, admin: ownAdminToWire(admin) };
}
