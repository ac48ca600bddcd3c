import { Type } from 'typebox';

import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { tokenRefused } from '../errors.ts';
import { changePassword } from '../passwords/change-password.ts';
import type { ChangePasswordDeps } from '../passwords/change-password.ts';
import { currentPasswordSchema, newPasswordSchema } from '../passwords/password-routes.ts';
import { OWN_ACCOUNT } from '../permissions.ts';
import { listLiveSessions } from '../tokens/session-store.ts';
import { sessionSchema, sessionToWire } from '../tokens/session-wire.ts';
import { endAndNote, revokeSession } from '../tokens/sign-out.ts';
import { visitorOf } from '../visitor.ts';
import { findAdmin } from './admin-store.ts';
import { ownAdminSchema, ownAdminToWire } from './admin-wire.ts';

const TAG = 'Auth and own account';
const OWN = { permission: OWN_ACCOUNT } as const;

export interface OwnAccountDeps extends ChangePasswordDeps {
  /** Tells this process that a session ended. */
  forgetAdmins(): void;
}

export function ownAccountEndpoints(deps: OwnAccountDeps): Endpoint[] {
  return [me(deps), logOut(deps), change(deps), listSessions(deps), endSession(deps)];
}

function me(deps: OwnAccountDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/me',
    access: OWN,
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

function logOut(deps: OwnAccountDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/auth/logout',
    access: OWN,
    tag: TAG,
    summary: 'End this session',
    data: Type.Null(),
    async handle({ caller: { adminId, sessionId } }) {
      await endAndNote(deps, { adminId, sessionId, reason: 'signed_out' });
      deps.forgetAdmins();
      return null;
    },
  });
}

function change(deps: OwnAccountDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/me/change-password',
    access: OWN,
    tag: TAG,
    summary: 'Change my password; every other session ends',
    body: Type.Object({ current_password: currentPasswordSchema, new_password: newPasswordSchema }),
    data: Type.Null(),
    async handle({ caller, body, request }) {
      await changePassword(deps, {
        holder: { adminId: caller.adminId },
        sessionId: caller.sessionId,
        currentPassword: body.current_password,
        newPassword: body.new_password,
        visitor: visitorOf(request),
      });
      deps.forgetAdmins();
      return null;
    },
  });
}

function listSessions(deps: OwnAccountDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/me/sessions',
    access: OWN,
    tag: TAG,
    summary: 'Where I am signed in',
    query: Type.Object({ ...pageQuery }),
    data: pageSchema(sessionSchema),
    async handle({ caller, query: { page, limit } }) {
      const at = { now: deps.clock.now(), limit, offset: (page - 1) * limit };
      const { rows, total } = await listLiveSessions(deps.db, { adminId: caller.adminId }, at);
      const items = rows.map((row) => sessionToWire(row, caller.sessionId));
      return pageOf(items, { page, limit, total });
    },
  });
}

function endSession(deps: OwnAccountDeps): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: '/me/sessions/:id',
    access: OWN,
    tag: TAG,
    summary: 'End one of my sessions',
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    data: Type.Null(),
    errors: ['NOT_FOUND'],
    async handle({ caller, params }) {
      await revokeSession(deps, { adminId: caller.adminId, sessionId: params.id });
      deps.forgetAdmins();
      return null;
    },
  });
}
