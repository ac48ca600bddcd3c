import { Type } from 'typebox';

import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { PASSWORD_LENGTH } from '../passwords/password-hasher.ts';
import { visitorOf } from '../visitor.ts';
import { signedInSchema, signedInToWire } from './account-wire.ts';
import { msisdnSchema, parseMsisdn } from './msisdn.ts';
import { signIn } from './sign-in.ts';
import type { SignInDeps } from './sign-in.ts';

export function signInEndpoints(deps: SignInDeps): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/auth/sign-in',
      access: 'anonymous',
      limits: [{ name: 'sign-in', per: 'address', requests: 10, windowSeconds: 60 }],
      tag: 'Authentication',
      summary: 'Sign in with mobile number and password',
      body: Type.Object({
        msisdn: msisdnSchema,
        password: Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.maxLength }),
      }),
      data: signedInSchema,
      errors: ['UNAUTHORIZED', 'FORBIDDEN'],
      async handle({ body, request }) {
        const msisdn = parseMsisdn(body.msisdn);
        const { user, tokens } = await signIn(deps, {
          msisdn,
          password: body.password,
          visitor: visitorOf(request),
        });
        return signedInToWire(user, tokens);
      },
    }),
  ];
}
