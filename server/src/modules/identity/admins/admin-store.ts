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
  readonly created_at: Date;
}

const SELECT_ADMIN = `
  SELECT a.id, a.email, a.name, a.status, a.password_hash, a.created_at,
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
  `SELECT count(*) AS holders FROM admin_roles ar JOIN roles r ON r.id = ar.role_id WHERE r.name = $1`,
);

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
