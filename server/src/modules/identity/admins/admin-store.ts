import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export type AdminStatus = 'active' | 'suspended';

export interface AdminRow {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly status: AdminStatus;
  readonly roles: readonly string[];
  /** As stored in the roles; `permissionsIn` says what they amount to. */
  readonly permissions: readonly string[];
  /** One of the roles asks for a second factor. */
  readonly requires_totp: boolean;
  readonly totp_confirmed_at: Date | null;
  readonly last_seen_at: Date | null;
  readonly created_at: Date;
}

const SELECT_ADMIN = `
  SELECT a.id, a.email, a.name, a.status, a.password_hash, a.totp_confirmed_at, a.created_at,
    (SELECT max(last_seen_at) FROM sessions seen WHERE seen.admin_id = a.id) AS last_seen_at,
    EXISTS (SELECT 1 FROM admin_roles ar JOIN roles r ON r.id = ar.role_id
      WHERE ar.admin_id = a.id AND r.requires_totp) AS requires_totp,
    COALESCE((SELECT array_agg(r.name ORDER BY r.name)
      FROM admin_roles ar JOIN roles r ON r.id = ar.role_id WHERE ar.admin_id = a.id), '{}') AS roles,
    COALESCE((SELECT array_agg(DISTINCT granted)
      FROM admin_roles ar JOIN roles r ON r.id = ar.role_id, unnest(r.permissions) AS granted
      WHERE ar.admin_id = a.id), '{}') AS permissions
  FROM admins a`;

const findByEmail = statement('identity_find_admin_by_email', `${SELECT_ADMIN} WHERE a.email = $1`);
const findById = statement('identity_find_admin', `${SELECT_ADMIN} WHERE a.id = $1`);
const findOfSession = statement(
  'identity_find_admin_of_session',
  `${SELECT_ADMIN} JOIN sessions s ON s.admin_id = a.id
   WHERE s.id = $1 AND a.id = $2 AND s.ended_at IS NULL AND s.expires_at > $3 AND a.status = 'active'`,
);
const insert = statement(
  'identity_insert_admin',
  `WITH admin AS (
     INSERT INTO admins (email, name, password_hash) VALUES ($1, $2, $3)
     ON CONFLICT ON CONSTRAINT admins__email DO NOTHING RETURNING id),
   granted AS (
     INSERT INTO admin_roles (admin_id, role_id)
     SELECT admin.id, roles.id FROM admin, roles WHERE roles.name = ANY ($4))
   SELECT id FROM admin`,
);
const countHolders = statement(
  'identity_count_role_holders',
  `SELECT count(*) AS holders FROM admin_roles ar JOIN roles r ON r.id = ar.role_id
   JOIN admins a ON a.id = ar.admin_id WHERE r.name = $1 AND a.status = 'active'`,
);
const lock = statement('identity_lock_admin', 'SELECT id FROM admins WHERE id = $1 FOR UPDATE');
const list = statement(
  'identity_list_admins',
  `SELECT listed.*, count(*) OVER () AS total FROM (${SELECT_ADMIN}) AS listed
   WHERE ($1::text IS NULL OR listed.name ILIKE $1 OR listed.email ILIKE $1)
     AND ($2::text IS NULL OR listed.status = $2) AND ($3::text IS NULL OR $3 = ANY (listed.roles))
   ORDER BY listed.name, listed.id LIMIT $4 OFFSET $5`,
);
const update = statement('identity_update_admin', 'UPDATE admins SET name = $2, email = $3 WHERE id = $1');
const setStatus = statement('identity_update_admin_status', 'UPDATE admins SET status = $2 WHERE id = $1');
const clearRoles = statement('identity_clear_admin_roles', 'DELETE FROM admin_roles WHERE admin_id = $1');
const addRoles = statement(
  'identity_add_admin_roles',
  'INSERT INTO admin_roles (admin_id, role_id) SELECT $1, id FROM roles WHERE name = ANY ($2)',
);
const remove = statement('identity_delete_admin', 'DELETE FROM admins WHERE id = $1');

export async function findAdminByEmail(
  reader: Reader,
  email: string,
): Promise<(AdminRow & { password_hash: string }) | undefined> {
  return (await reader.query<AdminRow & { password_hash: string }>(findByEmail, [email])).rows[0];
}

export async function findAdmin(reader: Reader, id: number): Promise<AdminRow | undefined> {
  return (await reader.query<AdminRow>(findById, [id])).rows[0];
}

/** The admin behind a session, unless it is over or the admin is suspended. */
export async function findAdminOfSession(
  reader: Reader,
  session: { id: string; adminId: number; now: Date },
): Promise<AdminRow | undefined> {
  return (await reader.query<AdminRow>(findOfSession, [session.id, session.adminId, session.now])).rows[0];
}

/** No id when the e-mail address is taken. Roles that do not exist are not granted. */
export async function insertAdmin(
  tx: Tx,
  admin: { email: string; name: string; passwordHash: string; roles: readonly string[] },
): Promise<number | undefined> {
  const { email, name, passwordHash, roles } = admin;
  return (await tx.query<{ id: number }>(insert, [email, name, passwordHash, roles])).rows[0]?.id;
}

export async function countRoleHolders(reader: Reader, role: string): Promise<number> {
  return (await reader.query<{ holders: number }>(countHolders, [role])).rows[0]?.holders ?? 0;
}

export async function lockAdmin(tx: Tx, id: number): Promise<AdminRow | undefined> {
  await tx.query(lock, [id]);
  return findAdmin(tx, id);
}

export interface AdminFilter {
  readonly search: string | null;
  readonly status: AdminStatus | null;
  readonly role: string | null;
}

export async function listAdmins(
  reader: Reader,
  filter: AdminFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: AdminRow[]; total: number }> {
  const pattern = filter.search === null ? null : `%${filter.search.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const values = [pattern, filter.status, filter.role, page.limit, page.offset];
  const { rows } = await reader.query<AdminRow & { total: number }>(list, values);
  return { rows, total: rows[0]?.total ?? 0 };
}

/** @throws a violation of `admins__email` when the address is taken. */
export async function updateAdmin(tx: Tx, admin: { id: number; name: string; email: string }): Promise<void> {
  await tx.query(update, [admin.id, admin.name, admin.email]);
}

export async function updateAdminStatus(tx: Tx, id: number, status: AdminStatus): Promise<void> {
  await tx.query(setStatus, [id, status]);
}

export async function replaceAdminRoles(tx: Tx, id: number, roles: readonly string[]): Promise<void> {
  await Promise.all([tx.query(clearRoles, [id]), tx.query(addRoles, [id, roles])]);
}

/** @throws a foreign key violation when something names the admin. */
export async function deleteAdmin(tx: Tx, id: number): Promise<void> {
  await tx.query(remove, [id]);
}
