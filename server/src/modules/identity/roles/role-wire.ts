import { Type } from 'typebox';
import type { Static } from 'typebox';

import { EVERYTHING, SUPER_ADMIN, grantablePermissions } from '../permissions.ts';
import type { RoleRow, RoleValues } from './role-store.ts';

export const roleSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  permissions: Type.Array(Type.String()),
  requires_totp: Type.Boolean({
    description: 'Who has it and no second factor may do nothing but set one up',
  }),
  is_fixed: Type.Boolean({ description: 'super_admin: has every permission, cannot be renamed or deleted' }),
  admin_count: Type.Integer(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});

export const roleBody = Type.Object({
  name: Type.String({ minLength: 2, maxLength: 50, pattern: '^[a-z][a-z0-9_]*$' }),
  description: Type.String({ maxLength: 300, default: '' }),
  permissions: Type.Array(Type.String({ maxLength: 60 }), { maxItems: 200, uniqueItems: true }),
  requires_totp: Type.Boolean({ default: false }),
});

export function roleToWire(role: RoleRow): Static<typeof roleSchema> {
  const permissions = role.permissions.includes(EVERYTHING) ? grantablePermissions : role.permissions;
  return {
    id: role.id,
    name: role.name,
    description: role.description,
    permissions: [...permissions].toSorted(),
    requires_totp: role.requires_totp,
    is_fixed: role.name === SUPER_ADMIN,
    admin_count: role.holders,
    created_at: role.created_at.toISOString(),
    updated_at: role.updated_at.toISOString(),
  };
}

export function roleFromWire(body: Static<typeof roleBody>): RoleValues {
  const { name, description, permissions, requires_totp: requiresTotp } = body;
  return { name, description, permissions, requiresTotp };
}
