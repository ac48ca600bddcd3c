import { inOneStatement } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { SUPER_ADMIN, initialRoles } from '../permissions.ts';
import { countRoleHolders, insertAdmin } from './admin-store.ts';
import { insertMissingRole } from '../roles/role-store.ts';

/** Creates the initial roles that are missing; those that exist keep what operators made of them. */
export async function ensureRoles(db: Database): Promise<void> {
  for (const role of initialRoles) await insertMissingRole(db, role);
}

/** The first `super_admin`, unless there is one. Two processes that start at once create one: the address is unique. */
export async function ensureFirstAdmin(
  deps: { db: Database; hasher: PasswordHasher },
  admin: { email: string; password: string },
): Promise<'created' | 'exists'> {
  await ensureRoles(deps.db);
  if ((await countRoleHolders(deps.db, SUPER_ADMIN)) > 0) return 'exists';
  const passwordHash = await deps.hasher.hash(admin.password);
  const id = await inOneStatement(deps.db, (tx) =>
    insertAdmin(tx, {
      email: admin.email.trim().toLowerCase(),
      name: 'Administrator',
      passwordHash,
      roles: [SUPER_ADMIN],
    }),
  );
  return id === undefined ? 'exists' : 'created';
}
