import { statement } from '../../../platform/db/database.ts';
import type { Reader } from '../../../platform/db/database.ts';

const insertMissing = statement(
  'identity_insert_missing_role',
  `INSERT INTO roles (name, description, permissions) VALUES ($1, $2, $3)
   ON CONFLICT ON CONSTRAINT roles__name DO NOTHING`,
);

/** Leaves a role that exists as it is. */
export async function insertMissingRole(
  reader: Reader,
  role: { name: string; description: string; permissions: readonly string[] },
): Promise<void> {
  await reader.query(insertMissing, [role.name, role.description, role.permissions]);
}
