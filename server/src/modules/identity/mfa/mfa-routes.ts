import { Type } from 'typebox';

import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { actorOf } from '../audit/record-audit.ts';
import { currentPasswordSchema } from '../passwords/password-routes.ts';
import { OWN_ACCOUNT } from '../permissions.ts';
import { visitorOf } from '../visitor.ts';
import { confirmTotpSetup, resetTotp, startTotpSetup } from './set-up-totp.ts';
import type { TotpSetupDeps } from './set-up-totp.ts';

const TAG = 'Auth and own account';

export function mfaEndpoints(deps: TotpSetupDeps): Endpoint[] {
  return [setUp(deps), confirm(deps), reset(deps)];
}

function setUp(deps: TotpSetupDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/me/mfa/setup',
    access: { permission: OWN_ACCOUNT },
    tag: TAG,
    summary: 'A secret for my authenticator; it counts once a code of it was confirmed',
    body: Type.Object({ password: currentPasswordSchema }),
    data: Type.Object({
      secret: Type.String({ description: 'Base32, to type in' }),
      otpauth_url: Type.String({ description: 'To show as a QR code' }),
    }),
    errors: ['CONFLICT'],
    async handle({ caller, body, request }) {
      const visitor = visitorOf(request);
      const started = await startTotpSetup(deps, {
        adminId: caller.adminId,
        password: body.password,
        visitor,
      });
      return { secret: started.secret, otpauth_url: started.otpauthUrl };
    },
  });
}

function confirm(deps: TotpSetupDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/me/mfa/confirm',
    access: { permission: OWN_ACCOUNT },
    tag: TAG,
    summary: 'Put the second factor in force; answers the recovery codes once',
    body: Type.Object({ code: Type.String({ minLength: 6, maxLength: 16 }) }),
    data: Type.Object({ recovery_codes: Type.Array(Type.String()) }),
    errors: ['CONFLICT'],
    async handle(call) {
      const { adminId } = call.caller;
      const { recoveryCodes } = await confirmTotpSetup(deps, {
        adminId,
        code: call.body.code,
        actor: actorOf(call),
      });
      return { recovery_codes: recoveryCodes };
    },
  });
}

function reset(deps: TotpSetupDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/admins/:id/reset-mfa',
    access: { permission: 'admins:write' },
    tag: 'Admins',
    summary: 'Remove the second factor of an admin who lost it; never my own',
    params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
    data: Type.Null(),
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      await resetTotp(deps, {
        adminId: call.params.id,
        actor: actorOf(call),
        own: call.caller.permissions,
      });
      return null;
    },
  });
}
