import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { isPermission } from '../permissions.ts';

/** The operations of the admin API that come before a token. */
const BEFORE_SIGN_IN: ReadonlySet<string> = new Set([
  'POST /auth/login',
  'POST /auth/mfa/verify',
  'POST /auth/refresh-token',
  'POST /auth/forgot-password',
  'POST /auth/reset-password',
]);

/**
 * Every admin operation needs an admin token and a permission of the catalogue (interface part 5, rule 6). Call it
 * before listening: a process that would leave one open does not start.
 * @throws Error that names each endpoint without one.
 */
export function assertAdminAccess(endpoints: readonly Endpoint[]): void {
  const open = endpoints.filter(({ access, method, path }) => {
    if (typeof access === 'object') return !isPermission(access.permission);
    return !BEFORE_SIGN_IN.has(`${method} ${path}`);
  });
  if (open.length === 0) return;
  const names = open.map(({ method, path, access }) => {
    const given = typeof access === 'object' ? access.permission : access;
    return `${method} ${path} (${given})`;
  });
  throw new Error(`Admin endpoints without a permission of the catalogue: ${names.join(', ')}`);
}
