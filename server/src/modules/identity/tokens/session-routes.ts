import { Type } from 'typebox';
import type { FastifyRequest } from 'fastify';

import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import type { Authenticator } from '../../../platform/http/mount.ts';
import { tokenRefused } from '../errors.ts';
import { refreshSession } from './refresh-session.ts';
import type { RefreshDeps } from './refresh-session.ts';
import { listLiveSessions } from './session-store.ts';
import { refreshBody, sessionSchema, sessionToWire, tokenPairSchema } from './session-wire.ts';
import { endAndNote, revokeSession, signOutByToken } from './sign-out.ts';

const TAG = 'Authentication';

export interface SessionRoutesDeps extends RefreshDeps {
  readonly authenticator: Authenticator;
}

export function sessionEndpoints(deps: SessionRoutesDeps): Endpoint[] {
  return [refresh(deps), signOut(deps), signOutAll(deps), listSessions(deps), endSession(deps)];
}

function refresh(deps: SessionRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/refresh-token',
    access: 'anonymous',
    tag: TAG,
    summary: 'A new access token, and the successor of the refresh token',
    description:
      'The refresh token sent keeps working, and answers the same successor, until the successor has been used once. ' +
      'Sending it after that ends the session for everybody.',
    body: refreshBody,
    data: tokenPairSchema,
    errors: ['UNAUTHORIZED'],
    handle: ({ body }) => refreshSession(deps, 'client', body.refreshToken),
  });
}

function signOut(deps: SessionRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/sign-out',
    access: 'anonymous',
    tag: TAG,
    summary: 'End this session',
    description:
      'Takes the refresh token, so that it works after the access token has expired; or the access token.',
    // A body is not asked of somebody who sends a bearer token.
    body: Type.Union([Type.Partial(refreshBody), Type.Null()]),
    data: Type.Null(),
    errors: ['UNAUTHORIZED'],
    async handle({ body, request }) {
      if (body?.refreshToken !== undefined) {
        await signOutByToken(deps, body.refreshToken);
        return null;
      }
      const { userId, sessionId } = await deps.authenticator.client(bearerOf(request));
      await endAndNote(deps, { userId, sessionId, reason: 'signed_out' });
      return null;
    },
  });
}

function bearerOf(request: FastifyRequest): string {
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) throw tokenRefused();
  return token;
}

function signOutAll(deps: SessionRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/sign-out-all',
    access: 'client',
    tag: TAG,
    summary: 'End all of my sessions, this one too',
    data: Type.Object({ ended: Type.Integer() }),
    async handle({ caller }) {
      return { ended: await endAndNote(deps, { userId: caller.userId, reason: 'signed_out_everywhere' }) };
    },
  });
}

function listSessions(deps: SessionRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/auth/sessions',
    access: 'client',
    tag: TAG,
    summary: 'Where I am signed in',
    query: Type.Object({ ...pageQuery }),
    data: pageSchema(sessionSchema),
    async handle({ caller, query: { page, limit } }) {
      const at = { now: deps.clock.now(), limit, offset: (page - 1) * limit };
      const { rows, total } = await listLiveSessions(deps.db, { userId: caller.userId }, at);
      const items = rows.map((row) => sessionToWire(row, caller.sessionId));
      return pageOf(items, { page, limit, total });
    },
  });
}

function endSession(deps: SessionRoutesDeps): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: '/auth/sessions/:sessionId',
    access: 'client',
    tag: TAG,
    summary: 'End one of my sessions',
    params: Type.Object({ sessionId: Type.String({ format: 'uuid' }) }),
    data: Type.Null(),
    errors: ['NOT_FOUND'],
    async handle({ caller, params }) {
      await revokeSession(deps, { userId: caller.userId, sessionId: params.sessionId });
      return null;
    },
  });
}
