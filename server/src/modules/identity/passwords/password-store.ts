import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export type PasswordHolder = { readonly userId: number } | { readonly adminId: number };

const ofUser = statement(
  'identity_find_password_of_user',
  "SELECT password_hash FROM users WHERE id = $1 AND status = 'active'",
);
const ofAdmin = statement(
  'identity_find_password_of_admin',
  "SELECT password_hash FROM admins WHERE id = $1 AND status = 'active'",
);
const setUsers = statement(
  'identity_update_password_of_user',
  'UPDATE users SET password_hash = $2 WHERE id = $1',
);
const setAdmins = statement(
  'identity_update_password_of_admin',
  'UPDATE admins SET password_hash = $2 WHERE id = $1',
);

export async function findPasswordHash(reader: Reader, holder: PasswordHolder): Promise<string | undefined> {
  const { rows } = await ('userId' in holder
    ? reader.query<{ password_hash: string }>(ofUser, [holder.userId])
    : reader.query<{ password_hash: string }>(ofAdmin, [holder.adminId]));
  return rows[0]?.password_hash;
}

export async function updatePassword(tx: Tx, holder: PasswordHolder, passwordHash: string): Promise<void> {
  await ('userId' in holder
    ? tx.query(setUsers, [holder.userId, passwordHash])
    : tx.query(setAdmins, [holder.adminId, passwordHash]));
}
