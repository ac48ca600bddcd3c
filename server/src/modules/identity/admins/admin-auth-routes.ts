import { Type } from 'typebox';

import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint, RequestLimit } from '../../../platform/http/endpoint.ts';
import { PASSWORD_LENGTH } from '../passwords/password-hasher.ts';
import { refreshSession } from '../tokens/refresh-session.ts';
import type { RefreshDeps } from '../tokens/refresh-session.ts';
import { refreshBody, tokenPairSchema } from '../tokens/session-wire.ts';
import { visitorOf } from '../visitor.ts';
import { adminSignedInSchema, adminSignedInToWire, mfaChallengeSchema } from './admin-wire.ts';
import { CHALLENGE_SECONDS, finishLogIn, logInAdmin } from './log-in-admin.ts';
import type { LogInAdminDeps } from './log-in-admin.ts';

const TAG = 'Auth and own account';
const SIGN_IN_LIMIT: RequestLimit = { name: 'sign-in', per: 'address', requests: 10, windowSeconds: 60 };

/** The operations that need no token yet: with `anonymousAdminPaths`, the only such ones of the admin API. */
export function adminAuthEndpoints(deps: LogInAdminDeps & RefreshDeps): Endpoint[] {
  return [logIn(deps), verifyMfa(deps), refresh(deps)];
}

function logIn(deps: LogInAdminDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/login',
    access: 'anonymous',
    limits: [SIGN_IN_LIMIT],
    tag: TAG,
    summary: 'Sign in to the operations console',
    description:
      'An admin with a second factor gets `mfaToken` instead of tokens: continue with /auth/mfa/verify.',
    body: Type.Object({
      email: Type.String({ minLength: 3, maxLength: 254 }),
      password: Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.maxLength }),
    }),
    data: Type.Union([adminSignedInSchema, mfaChallengeSchema]),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    async handle({ body, request }) {
      const step = await logInAdmin(deps, { ...body, visitor: visitorOf(request) });
      if ('admin' in step) return adminSignedInToWire(step.admin, step.tokens);
      return { mfaRequired: true as const, mfaToken: step.mfaToken, expiresIn: CHALLENGE_SECONDS };
    },
  });
}

function verifyMfa(deps: LogInAdminDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/mfa/verify',
    access: 'anonymous',
    limits: [SIGN_IN_LIMIT],
    tag: TAG,
    summary: 'The second step of signing in: a code of the authenticator, or a recovery code',
    body: Type.Object({
      mfaToken: Type.String({ minLength: 1, maxLength: 128 }),
      code: Type.String({ minLength: 6, maxLength: 32 }),
    }),
    data: adminSignedInSchema,
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    async handle({ body, request }) {
      const { admin, tokens } = await finishLogIn(deps, { ...body, visitor: visitorOf(request) });
      return adminSignedInToWire(admin, tokens);
    },
  });
}

function refresh(deps: RefreshDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/refresh-token',
    access: 'anonymous',
    tag: TAG,
    summary: 'A new access token, and the successor of the refresh token',
    body: refreshBody,
    data: tokenPairSchema,
    errors: ['UNAUTHORIZED'],
    handle: ({ body }) => refreshSession(deps, 'admin', body.refreshToken),
  });
}
