import { inTransaction, violatedConstraint } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Actor } from '../audit/record-audit.ts';
import { SUPER_ADMIN } from '../permissions.ts';
import { assertMayGrant, assertPermissions } from './grant-guards.ts';
import { deleteRole, insertRole, lockRole, updateRole } from './role-store.ts';
import type { RoleRow, RoleValues } from './role-store.ts';

export interface ChangeRolesDeps {
  readonly db: Database;
  /** Tells this process that permissions changed. */
  forgetAdmins(): void;
}

export interface RoleChange {
  readonly actor: Actor;
  /** What the actor may do. */
  readonly own: ReadonlySet<string>;
}

const nameTaken = (): AppError => new AppError('CONFLICT', 'There is a role with this name already');
const roleNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such role');

/** @throws AppError VALIDATION_ERROR, FORBIDDEN (permissions the actor lacks), CONFLICT (name). */
export async function createRole(
  deps: ChangeRolesDeps,
  role: RoleValues,
  { actor, own }: RoleChange,
): Promise<RoleRow> {
  assertPermissions('permissions', role.permissions);
  assertMayGrant(own, role.permissions);
  return inTransaction(deps.db, async (tx) => {
    const created = await insertRole(tx, role);
    if (!created) throw nameTaken();
    const resource = { type: 'role', id: created.id };
    await recordAudit(tx, { actor, action: 'role.created', resource, after: role });
    return created;
  });
}

/**
 * Holds for everybody who has the role within two seconds.
 * @throws AppError NOT_FOUND, VALIDATION_ERROR, FORBIDDEN (what it gains or loses is more than the actor has),
 *   CONFLICT (name taken, or super_admin, of which only `requires_totp` can change).
 */
export async function changeRole(
  deps: ChangeRolesDeps,
  role: RoleValues & { readonly id: number },
  { actor, own }: RoleChange,
): Promise<RoleRow> {
  assertPermissions('permissions', role.permissions);
  const changed = await inTransaction(deps.db, async (tx) => {
    const before = await lockRole(tx, role.id);
    if (!before) throw roleNotFound();
    assertMayGrant(own, [...before.permissions, ...role.permissions]);
    const after = await updateRole(tx, role.id, valuesFor(before, role)).catch(translateName);
    if (!after) throw roleNotFound();
    const resource = { type: 'role', id: role.id };
    await recordAudit(tx, { actor, action: 'role.updated', resource, before, after });
    return after;
  });
  deps.forgetAdmins();
  return changed;
}

function valuesFor(before: RoleRow, role: RoleValues): RoleValues {
  if (before.name !== SUPER_ADMIN) return role;
  if (role.name !== SUPER_ADMIN) throw new AppError('CONFLICT', 'super_admin cannot be renamed');
  return { ...role, permissions: before.permissions };
}

function translateName(error: unknown): never {
  if (violatedConstraint(error) === 'roles__name') throw nameTaken();
  throw error;
}

/** @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT while somebody has it, or for super_admin. */
export async function removeRole(
  deps: ChangeRolesDeps,
  id: number,
  { actor, own }: RoleChange,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const before = await lockRole(tx, id);
    if (!before) throw roleNotFound();
    if (before.name === SUPER_ADMIN) throw new AppError('CONFLICT', 'super_admin cannot be deleted');
    assertMayGrant(own, before.permissions);
    if (!(await deleteRole(tx, id))) {
      throw new AppError('CONFLICT', `${before.holders} admins have this role: give them another one first`);
    }
    await recordAudit(tx, { actor, action: 'role.deleted', resource: { type: 'role', id }, before });
  });
}
