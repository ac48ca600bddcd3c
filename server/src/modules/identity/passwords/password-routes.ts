import { Type } from 'typebox';

import { msisdnSchema, parseMsisdn } from '../accounts/msisdn.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { languageOf, languageQuery } from '../../../platform/language.ts';
import type { SendOtpDeps } from '../otp/send-otp.ts';
import { visitorOf } from '../visitor.ts';
import { changePassword } from './change-password.ts';
import type { ChangePasswordDeps } from './change-password.ts';
import { PASSWORD_LENGTH } from './password-hasher.ts';
import { forgotPassword, resetPassword } from './reset-password.ts';
import type { ResetPasswordDeps } from './reset-password.ts';

const TAG = 'Authentication';

export const newPasswordSchema = Type.String({ ...PASSWORD_LENGTH, description: '8 to 128 characters' });
export const currentPasswordSchema = Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.maxLength });

export type PasswordRoutesDeps = SendOtpDeps & ChangePasswordDeps & ResetPasswordDeps;

export function passwordEndpoints(deps: PasswordRoutesDeps): Endpoint[] {
  return [change(deps), forgot(deps), reset(deps)];
}

function change(deps: PasswordRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/change-password',
    access: 'client',
    tag: TAG,
    summary: 'Change my password; every other session ends',
    body: Type.Object({ current_password: currentPasswordSchema, new_password: newPasswordSchema }),
    data: Type.Null(),
    async handle({ caller, body, request }) {
      await changePassword(deps, {
        holder: { userId: caller.userId },
        sessionId: caller.sessionId,
        currentPassword: body.current_password,
        newPassword: body.new_password,
        visitor: visitorOf(request),
      });
      return null;
    },
  });
}

function forgot(deps: PasswordRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/forgot-password',
    access: 'anonymous',
    tag: TAG,
    summary: 'Send a code for a new password',
    description: 'The answer is the same whether or not the number has an account.',
    query: Type.Object(languageQuery),
    body: Type.Object({ msisdn: msisdnSchema }),
    data: Type.Null(),
    async handle({ query, body, request }) {
      const language = languageOf(query.lang, request.headers['accept-language']);
      await forgotPassword(deps, {
        msisdn: parseMsisdn(body.msisdn),
        visitor: visitorOf(request),
        language,
      });
      return null;
    },
  });
}

function reset(deps: PasswordRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/reset-password',
    access: 'anonymous',
    tag: TAG,
    summary: 'Set a new password with the code; every session ends',
    body: Type.Object({
      msisdn: msisdnSchema,
      otp_code: Type.String({ minLength: 1, maxLength: 128 }),
      new_password: newPasswordSchema,
    }),
    data: Type.Null(),
    async handle({ body, request }) {
      await resetPassword(deps, {
        msisdn: parseMsisdn(body.msisdn),
        proof: body.otp_code,
        newPassword: body.new_password,
        visitor: visitorOf(request),
      });
      return null;
    },
  });
}
