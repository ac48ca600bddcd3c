import { randomUUID } from 'node:crypto';

import { call } from './shop.ts';
import type { Answered } from './shop.ts';
import type { TestService } from './test-service.ts';

export interface Operator {
  readonly adminId: number;
  readonly token: string;
}

const PASSWORD = 'an-operator-test-password';
const FIRST = 'first-operator@example.com';

/** A signed-in operator with these roles; a `super_admin` when none is named. */
export async function anOperator(
  service: TestService,
  roles: readonly string[] = ['super_admin'],
): Promise<Operator> {
  await service.app.identity.ensureFirstAdmin({ email: FIRST, password: PASSWORD });
  const email = `operator-${randomUUID()}@example.com`;
  await service.db.query(
    `WITH admin AS (
       INSERT INTO admins (email, name, password_hash)
       SELECT $1, 'Test Operator', password_hash FROM admins WHERE email = $2 RETURNING id)
     INSERT INTO admin_roles (admin_id, role_id) SELECT admin.id, roles.id FROM admin, roles WHERE roles.name = ANY ($3)`,
    [email, FIRST, [...roles]],
  );
  const signedIn = await call<{ accessToken: string; admin: { id: number } }>(service, {
    path: '/admin/auth/login',
    body: { email, password: PASSWORD },
  });
  return { adminId: signedIn.data.admin.id, token: signedIn.data.accessToken };
}

/** Calls an admin endpoint as this operator; `path` is below `/admin`. */
export function operate<Data>(
  service: TestService,
  operator: Operator,
  request: { readonly path: string; readonly method?: string; readonly body?: unknown },
): Promise<Answered<Data>> {
  return call<Data>(service, { ...request, path: `/admin${request.path}`, token: operator.token });
}
