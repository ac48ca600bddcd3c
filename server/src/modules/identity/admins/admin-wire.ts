import { Type } from 'typebox';
import type { Static } from 'typebox';

import { grantablePermissions, permissionsIn } from '../permissions.ts';
import type { TokenPair } from '../tokens/open-session.ts';
import type { AdminRow } from './admin-store.ts';

/** The signed-in admin (decisions part 2). */
export const ownAdminSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  email: Type.String(),
  roles: Type.Array(Type.String()),
  permissions: Type.Array(Type.String(), {
    description: 'What the roles amount to, as `<resource>:<action>`',
  }),
});

export const adminSignedInSchema = Type.Object({
  accessToken: Type.String(),
  refreshToken: Type.String(),
  admin: ownAdminSchema,
});

export function ownAdminToWire(admin: AdminRow): Static<typeof ownAdminSchema> {
  const permissions = permissionsIn(admin.permissions);
  return {
    id: admin.id,
    name: admin.name,
    email: admin.email,
    roles: [...admin.roles],
    permissions: grantablePermissions.filter((permission) => permissions.has(permission)).toSorted(),
  };
}

export function adminSignedInToWire(admin: AdminRow, tokens: TokenPair): Static<typeof adminSignedInSchema> {
  return { ...tokens, admin: ownAdminToWire(admin) };
}
