import { inTransaction, isForeignKeyViolation, violatedConstraint } from '../../../platform/db/database.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Actor } from '../audit/record-audit.ts';
import { adminNotFound } from '../errors.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { SUPER_ADMIN } from '../permissions.ts';
import { assertMayGrant } from '../roles/grant-guards.ts';
import { unknownNames } from '../roles/grant-rules.ts';
import { listRolesByNames, lockRoleByName } from '../roles/role-store.ts';
import { endSessions } from '../tokens/session-store.ts';
import type { SignOutDeps } from '../tokens/sign-out.ts';
import {
  countRoleHolders,
  deleteAdmin,
  findAdmin,
  insertAdmin,
  lockAdmin,
  replaceAdminRoles,
  updateAdmin,
  updateAdminStatus,
} from './admin-store.ts';
import type { AdminRow } from './admin-store.ts';

export interface ChangeAdminsDeps extends SignOutDeps {
  readonly db: Database;
  readonly hasher: PasswordHasher;
  /** Tells this process that permissions changed. */
  forgetAdmins(): void;
}

export interface AdminChange {
  readonly actor: Actor;
  /** What the actor may do: nobody changes an admin who may do more. */
  readonly own: ReadonlySet<string>;
}

const emailTaken = (): AppError =>
  new AppError('CONFLICT', 'There is an admin with this e-mail address already');

/** @throws AppError VALIDATION_ERROR (unknown role), FORBIDDEN (more than the actor has), CONFLICT (address taken). */
export async function createAdmin(
  deps: ChangeAdminsDeps,
  admin: { name: string; email: string; password: string; roles: readonly string[] },
  change: AdminChange,
): Promise<AdminRow> {
  const { name, roles } = admin;
  const email = admin.email.toLowerCase();
  await assertRoles(deps.db, roles, change.own);
  const passwordHash = await deps.hasher.hash(admin.password);
  return inTransaction(deps.db, async (tx) => {
    const id = await insertAdmin(tx, { email, name, passwordHash, roles });
    if (id === undefined) throw emailTaken();
    const resource = { type: 'admin', id };
    await recordAudit(tx, {
      actor: change.actor,
      action: 'admin.created',
      resource,
      after: { name, email, roles },
    });
    return getAdmin(tx, id);
  });
}

export interface AdminEdit {
  readonly name?: string;
  readonly email?: string;
  readonly roles?: readonly string[];
}

/** @throws AppError NOT_FOUND, VALIDATION_ERROR, FORBIDDEN, CONFLICT (address taken, last super_admin). */
export async function editAdmin(
  deps: ChangeAdminsDeps,
  edit: AdminEdit & { id: number },
  change: AdminChange,
): Promise<AdminRow> {
  const { id, roles } = edit;
  if (roles) await assertRoles(deps.db, roles, change.own);
  const changed = await changeOne(deps, { id, ...change }, async (tx, before) => {
    const email = edit.email?.toLowerCase() ?? before.email;
    await updateAdmin(tx, { id, name: edit.name ?? before.name, email }).catch(translateEmail);
    if (roles) await replaceAdminRoles(tx, id, roles);
    return 'admin.updated';
  });
  deps.forgetAdmins();
  return changed;
}

/** Their sessions end at once here and within two seconds elsewhere. @throws as `editAdmin`; CONFLICT for oneself. */
export async function suspendAdmin(
  deps: ChangeAdminsDeps,
  id: number,
  change: AdminChange,
): Promise<AdminRow> {
  assertNotOneself(id, change.actor);
  const ended: string[] = [];
  const changed = await changeOne(deps, { id, ...change }, async (tx) => {
    await updateAdminStatus(tx, id, 'suspended');
    const now = deps.clock.now();
    ended.push(...(await endSessions(tx, { adminId: id, reason: 'admin_suspended', now })));
    return 'admin.suspended';
  });
  deps.endedSessions.note(ended);
  deps.forgetAdmins();
  return changed;
}

export function reactivateAdmin(deps: ChangeAdminsDeps, id: number, change: AdminChange): Promise<AdminRow> {
  return changeOne(deps, { id, ...change }, async (tx) => {
    await updateAdminStatus(tx, id, 'active');
    return 'admin.reactivated';
  });
}

/** @throws as `suspendAdmin`; CONFLICT while a record names the admin: suspend them instead. */
export async function removeAdmin(deps: ChangeAdminsDeps, id: number, change: AdminChange): Promise<void> {
  assertNotOneself(id, change.actor);
  await inTransaction(deps.db, async (tx) => {
    const before = await lockForChange(tx, id, change.own);
    await deleteAdmin(tx, id).catch((error: unknown) => {
      if (isForeignKeyViolation(error)) {
        throw new AppError('CONFLICT', 'Records name this admin: suspend them instead');
      }
      throw error;
    });
    await assertSuperAdminLeft(tx);
    await recordAudit(tx, {
      actor: change.actor,
      action: 'admin.deleted',
      resource: { type: 'admin', id },
      before: auditedAdmin(before),
    });
  });
  deps.forgetAdmins();
}

/** The frame of every change of one admin: lock, guard, change, keep a super_admin, record. */
async function changeOne(
  deps: { db: Database },
  { id, actor, own }: AdminChange & { readonly id: number },
  apply: (tx: Tx, before: AdminRow) => Promise<string>,
): Promise<AdminRow> {
  return inTransaction(deps.db, async (tx) => {
    const before = await lockForChange(tx, id, own);
    const action = await apply(tx, before);
    await assertSuperAdminLeft(tx);
    const after = await getAdmin(tx, id);
    const resource = { type: 'admin', id };
    await recordAudit(tx, {
      actor,
      action,
      resource,
      before: auditedAdmin(before),
      after: auditedAdmin(after),
    });
    return after;
  });
}

// The role's row lock comes first: two super_admins who suspend each other take turns, and the second one fails.
async function lockForChange(tx: Tx, id: number, own: ReadonlySet<string>): Promise<AdminRow> {
  await lockRoleByName(tx, SUPER_ADMIN);
  const before = await lockAdmin(tx, id);
  if (!before) throw adminNotFound();
  assertMayGrant(own, before.permissions);
  return before;
}

async function assertSuperAdminLeft(tx: Tx): Promise<void> {
  if ((await countRoleHolders(tx, SUPER_ADMIN)) === 0) {
    throw new AppError('CONFLICT', 'This is the last active super_admin: make another one first');
  }
}

async function assertRoles(db: Database, names: readonly string[], own: ReadonlySet<string>): Promise<void> {
  const roles = await listRolesByNames(db, names);
  const fields = unknownNames('roles', names, new Set(roles.map((role) => role.name)));
  const [first] = fields;
  if (first) throw new AppError('VALIDATION_ERROR', first.message, { fields });
  for (const role of roles) assertMayGrant(own, role.permissions);
}

function assertNotOneself(id: number, actor: Actor): void {
  if (actor.adminId === id)
    throw new AppError('CONFLICT', 'Ask another admin to do this to your own account');
}

function translateEmail(error: unknown): never {
  if (violatedConstraint(error) === 'admins__email') throw emailTaken();
  throw error;
}

async function getAdmin(tx: Tx, id: number): Promise<AdminRow> {
  const admin = await findAdmin(tx, id);
  if (!admin) throw adminNotFound();
  return admin;
}

const auditedAdmin = ({ name, email, status, roles }: AdminRow) => ({ name, email, status, roles });
