import { OWN_ACCOUNT, permissionsIn } from '../permissions.ts';
import type { AdminRow } from './admin-store.ts';

/** What an admin may do now. Without the second factor that a role asks for, only set one up. */
export function permissionsOf(
  admin: Pick<AdminRow, 'permissions' | 'requires_totp' | 'totp_confirmed_at'>,
): ReadonlySet<string> {
  if (admin.requires_totp && admin.totp_confirmed_at === null) return new Set([OWN_ACCOUNT]);
  return permissionsIn(admin.permissions);
}
