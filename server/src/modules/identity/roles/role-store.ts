import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export interface RoleRow {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** As stored: `*` is everything. */
  readonly permissions: readonly string[];
  readonly requires_totp: boolean;
  readonly holders: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface RoleValues {
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly requiresTotp: boolean;
}

const COLUMNS = 'r.id, r.name, r.description, r.permissions, r.requires_totp, r.created_at, r.updated_at';
const HOLDERS = '(SELECT count(*) FROM admin_roles ar WHERE ar.role_id = r.id) AS holders';

const insertMissing = statement(
  'identity_insert_missing_role',
  `INSERT INTO roles (name, description, permissions) VALUES ($1, $2, $3)
   ON CONFLICT ON CONSTRAINT roles__name DO NOTHING`,
);
const list = statement('identity_list_roles', `SELECT ${COLUMNS}, ${HOLDERS} FROM roles r ORDER BY r.name`);
const find = statement('identity_find_role', `SELECT ${COLUMNS}, ${HOLDERS} FROM roles r WHERE r.id = $1`);
const lock = statement(
  'identity_lock_role',
  `SELECT ${COLUMNS}, ${HOLDERS} FROM roles r WHERE r.id = $1 FOR UPDATE`,
);
const lockByName = statement('identity_lock_role_by_name', 'SELECT id FROM roles WHERE name = $1 FOR UPDATE');
const listByNames = statement(
  'identity_list_roles_by_names',
  `SELECT ${COLUMNS}, 0 AS holders FROM roles r WHERE r.name = ANY ($1)`,
);
const insert = statement(
  'identity_insert_role',
  `INSERT INTO roles AS r (name, description, permissions, requires_totp) VALUES ($1, $2, $3, $4)
   ON CONFLICT ON CONSTRAINT roles__name DO NOTHING RETURNING ${COLUMNS}, 0 AS holders`,
);
const update = statement(
  'identity_update_role',
  `UPDATE roles r SET name = $2, description = $3, permissions = $4, requires_totp = $5 WHERE r.id = $1
   RETURNING ${COLUMNS}, ${HOLDERS}`,
);
const remove = statement(
  'identity_delete_role',
  'DELETE FROM roles r WHERE r.id = $1 AND NOT EXISTS (SELECT 1 FROM admin_roles ar WHERE ar.role_id = r.id)',
);

/** Leaves a role that exists as it is. */
export async function insertMissingRole(
  reader: Reader,
  role: { name: string; description: string; permissions: readonly string[] },
): Promise<void> {
  await reader.query(insertMissing, [role.name, role.description, role.permissions]);
}

export async function listRoles(reader: Reader): Promise<RoleRow[]> {
  return (await reader.query<RoleRow>(list)).rows;
}

export async function findRole(reader: Reader, id: number): Promise<RoleRow | undefined> {
  return (await reader.query<RoleRow>(find, [id])).rows[0];
}

export async function lockRole(tx: Tx, id: number): Promise<RoleRow | undefined> {
  return (await tx.query<RoleRow>(lock, [id])).rows[0];
}

export async function lockRoleByName(tx: Tx, name: string): Promise<void> {
  await tx.query(lockByName, [name]);
}

export async function listRolesByNames(reader: Reader, names: readonly string[]): Promise<RoleRow[]> {
  return (await reader.query<RoleRow>(listByNames, [names])).rows;
}

/** No row when the name is taken. */
export async function insertRole(tx: Tx, role: RoleValues): Promise<RoleRow | undefined> {
  const values = [role.name, role.description, role.permissions, role.requiresTotp];
  return (await tx.query<RoleRow>(insert, values)).rows[0];
}

/** @throws a violation of `roles__name` when the name is taken. */
export async function updateRole(tx: Tx, id: number, role: RoleValues): Promise<RoleRow | undefined> {
  const values = [id, role.name, role.description, role.permissions, role.requiresTotp];
  return (await tx.query<RoleRow>(update, values)).rows[0];
}

/** False when somebody has it. */
export async function deleteRole(tx: Tx, id: number): Promise<boolean> {
  return (await tx.query(remove, [id])).count === 1;
}
