import { Type } from 'typebox';

import { emailSchema } from '../accounts/account-wire.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { newPasswordSchema } from '../passwords/password-routes.ts';
import { visitorOf } from '../visitor.ts';
import { forgotAdminPassword, resetAdminPassword } from './reset-admin-password.ts';
import type { ResetAdminPasswordDeps } from './reset-admin-password.ts';

const TAG = 'Auth and own account';

export function adminPasswordResetEndpoints(deps: ResetAdminPasswordDeps): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/auth/forgot-password',
      access: 'anonymous',
      limits: [{ name: 'admin-forgot-password', per: 'address', requests: 5, windowSeconds: 600 }],
      tag: TAG,
      summary: 'Mail a link for a new password; the answer does not tell whether there is such an admin',
      body: Type.Object({ email: emailSchema }),
      data: Type.Null(),
      async handle({ body }) {
        await forgotAdminPassword(deps, body.email);
        return null;
      },
    }),
    endpoint({
      method: 'POST',
      path: '/auth/reset-password',
      access: 'anonymous',
      limits: [{ name: 'admin-reset-password', per: 'address', requests: 10, windowSeconds: 600 }],
      tag: TAG,
      summary: 'Set a new password with the token of the link; every session ends',
      body: Type.Object({
        token: Type.String({ minLength: 1, maxLength: 128 }),
        new_password: newPasswordSchema,
      }),
      data: Type.Null(),
      async handle({ body, request }) {
        const visitor = visitorOf(request);
        await resetAdminPassword(deps, { token: body.token, newPassword: body.new_password, visitor });
        return null;
      },
    }),
  ];
}
