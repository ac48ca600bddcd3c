import { Type } from 'typebox';

import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { languageOf, languageQuery } from '../../../platform/language.ts';
import { OTP_LIFE_SECONDS } from '../otp/otp-rules.ts';
import { verifyOtp } from '../otp/prove-otp.ts';
import { prepareOtp } from '../otp/send-otp.ts';
import type { SendOtpDeps } from '../otp/send-otp.ts';
import { newPasswordSchema } from '../passwords/password-routes.ts';
import { visitorOf } from '../visitor.ts';
import { nameSchema, signedInSchema, signedInToWire } from './account-wire.ts';
import { msisdnSchema, parseMsisdn } from './msisdn.ts';
import { register } from './register.ts';
import type { RegisterDeps } from './register.ts';
import { findUserByMsisdn } from './user-store.ts';

const TAG = 'Authentication';

export type RegistrationDeps = RegisterDeps & SendOtpDeps;

export function registrationEndpoints(deps: RegistrationDeps): Endpoint[] {
  return [userExist(deps), sendOtp(deps), verify(deps), createAccount(deps)];
}

function userExist(deps: RegistrationDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/user-exist',
    access: 'anonymous',
    limits: [{ name: 'user-exist', per: 'address', requests: 5, windowSeconds: 600 }],
    tag: TAG,
    summary: 'Whether a number has an account; false means free to register',
    body: Type.Object({ msisdn: msisdnSchema }),
    data: Type.Object({ exists: Type.Boolean() }),
    async handle({ body }) {
      return { exists: (await findUserByMsisdn(deps.db, parseMsisdn(body.msisdn))) !== undefined };
    },
  });
}

function sendOtp(deps: RegistrationDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/send-otp',
    access: 'anonymous',
    tag: TAG,
    summary: 'Send a one-time password by SMS',
    description:
      'Six digits, good for 5 minutes and 5 tries. 60 seconds between sends, at most 5 an hour for a number and 20 an ' +
      'hour for an address. A newer code ends the one before.',
    query: Type.Object(languageQuery),
    body: Type.Object({
      msisdn: msisdnSchema,
      purpose: Type.Enum(['register', 'close_account'], {
        default: 'register',
        description: '`close_account`: for `DELETE /user/account`',
      }),
    }),
    data: Type.Object({ expires_in: Type.Integer({ description: 'Seconds' }) }),
    async handle({ query, body, request }) {
      const msisdn = parseMsisdn(body.msisdn);
      const visitor = visitorOf(request);
      const language = languageOf(query.lang, request.headers['accept-language']);
      const otp = await prepareOtp(deps, { purpose: body.purpose, msisdn, visitor, language, deliver: true });
      await otp.send();
      return { expires_in: OTP_LIFE_SECONDS };
    },
  });
}

function verify(deps: RegistrationDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/verify-otp',
    access: 'anonymous',
    tag: TAG,
    summary: 'Exchange a one-time password for a token of 10 minutes',
    body: Type.Object({
      msisdn: msisdnSchema,
      otpCode: Type.String({ minLength: 1, maxLength: 32 }),
      purpose: Type.Enum(['register', 'reset_password', 'close_account'], { default: 'register' }),
    }),
    data: Type.Object({ otpToken: Type.String({ description: 'For `otp_code`; works once' }) }),
    handle: async ({ body }) =>
      verifyOtp(deps, { purpose: body.purpose, msisdn: parseMsisdn(body.msisdn) }, body.otpCode),
  });
}

function createAccount(deps: RegistrationDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/register',
    access: 'anonymous',
    tag: TAG,
    summary: 'Create an account and sign in',
    body: Type.Object({
      msisdn: msisdnSchema,
      otp_code: Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'The `otpToken` of verify-otp, or the one-time password itself',
      }),
      name: nameSchema,
      password: newPasswordSchema,
    }),
    data: signedInSchema,
    status: 201,
    errors: ['CONFLICT'],
    async handle({ body, request }) {
      const { user, tokens } = await register(deps, {
        msisdn: parseMsisdn(body.msisdn),
        proof: body.otp_code,
        name: body.name.trim(),
        password: body.password,
        visitor: visitorOf(request),
      });
      return signedInToWire(user, tokens);
    },
  });
}
