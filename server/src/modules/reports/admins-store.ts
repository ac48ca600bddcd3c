import type { Reader } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';

const admins = statement('reports_admins', 'SELECT id, name, email FROM admins WHERE id = ANY ($1)');

export async function listAdmins(
  reader: Reader,
  ids: readonly number[],
): Promise<{ id: number; name: string; email: string }[]> {
  if (ids.length === 0) return [];
  return (await reader.query<{ id: number; name: string; email: string }>(admins, [ids])).rows;
}
