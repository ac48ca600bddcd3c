import { Type } from 'typebox';

import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { tokenRefused } from '../errors.ts';
import { PASSWORD_LENGTH } from '../passwords/password-hasher.ts';
import { OWN_ACCOUNT } from '../permissions.ts';
import { visitorOf } from '../visitor.ts';
import { findAdmin } from './admin-store.ts';
import { adminSignedInSchema, adminSignedInToWire, ownAdminSchema, ownAdminToWire } from './admin-wire.ts';
import { logInAdmin } from './log-in-admin.ts';
import type { LogInAdminDeps } from './log-in-admin.ts';

const TAG = 'Auth and own account';

export function adminAuthEndpoints(deps: LogInAdminDeps): Endpoint[] {
  return [logIn(deps), me(deps)];
}

function logIn(deps: LogInAdminDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/login',
    access: 'anonymous',
    limits: [{ name: 'sign-in', per: 'address', requests: 10, windowSeconds: 60 }],
    tag: TAG,
    summary: 'Sign in to the operations console',
    body: Type.Object({
      email: Type.String({ minLength: 3, maxLength: 254 }),
      password: Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.maxLength }),
    }),
    data: adminSignedInSchema,
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    async handle({ body, request }) {
      const { admin, tokens } = await logInAdmin(deps, { ...body, visitor: visitorOf(request) });
      return adminSignedInToWire(admin, tokens);
    },
  });
}

function me(deps: LogInAdminDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/me',
    access: { permission: OWN_ACCOUNT },
    tag: TAG,
    summary: 'The signed-in admin with the permissions in force now',
    data: ownAdminSchema,
    async handle({ caller }) {
      const admin = await findAdmin(deps.db, caller.adminId);
      if (!admin) throw tokenRefused();
      return ownAdminToWire(admin);
    },
  });
}
