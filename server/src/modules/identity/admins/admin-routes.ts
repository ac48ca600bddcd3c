import { Type } from 'typebox';

import { emailSchema } from '../accounts/account-wire.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { actorOf } from '../audit/record-audit.ts';
import { adminNotFound } from '../errors.ts';
import { newPasswordSchema } from '../passwords/password-routes.ts';
import { findAdmin, listAdmins } from './admin-store.ts';
import { adminNameSchema, adminRolesSchema, adminSchema, adminToWire } from './admin-wire.ts';
import { createAdmin, editAdmin, reactivateAdmin, removeAdmin, suspendAdmin } from './change-admins.ts';
import type { ChangeAdminsDeps } from './change-admins.ts';

const TAG = 'Admins';
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });
const WRITE = { permission: 'admins:write' } as const;

export function adminEndpoints(deps: ChangeAdminsDeps): Endpoint[] {
  return [
    listAll(deps),
    create(deps),
    getOne(deps),
    update(deps),
    remove(deps),
    statusChange(deps, {
      verb: 'suspend',
      summary: 'Suspend an admin; their sessions end',
      apply: suspendAdmin,
    }),
    statusChange(deps, { verb: 'reactivate', summary: 'Let an admin sign in again', apply: reactivateAdmin }),
  ];
}

function listAll(deps: ChangeAdminsDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/admins',
    access: { permission: 'admins:read' },
    tag: TAG,
    summary: 'Admins, by name',
    query: Type.Object({
      ...pageQuery,
      search: Type.Optional(Type.String({ maxLength: 100 })),
      status: Type.Optional(Type.Enum(['active', 'suspended'])),
      role: Type.Optional(Type.String({ maxLength: 50 })),
    }),
    data: pageSchema(adminSchema),
    async handle({ query }) {
      const { page, limit } = query;
      const filter = { search: query.search ?? null, status: query.status ?? null, role: query.role ?? null };
      const { rows, total } = await listAdmins(deps.db, filter, { limit, offset: (page - 1) * limit });
      return pageOf(rows.map(adminToWire), { page, limit, total });
    },
  });
}

function create(deps: ChangeAdminsDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/admins',
    access: WRITE,
    tag: TAG,
    summary: 'Create an admin with roles that amount to no more than mine',
    body: Type.Object({
      name: adminNameSchema,
      email: emailSchema,
      password: newPasswordSchema,
      roles: adminRolesSchema,
    }),
    data: adminSchema,
    status: 201,
    errors: ['CONFLICT'],
    async handle(call) {
      const change = { actor: actorOf(call), own: call.caller.permissions };
      return adminToWire(await createAdmin(deps, call.body, change));
    },
  });
}

function getOne(deps: ChangeAdminsDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/admins/:id',
    access: { permission: 'admins:read' },
    tag: TAG,
    summary: 'One admin',
    params,
    data: adminSchema,
    errors: ['NOT_FOUND'],
    async handle({ params: { id } }) {
      const admin = await findAdmin(deps.db, id);
      if (!admin) throw adminNotFound();
      return adminToWire(admin);
    },
  });
}

function update(deps: ChangeAdminsDeps): Endpoint {
  return endpoint({
    method: 'PATCH',
    path: '/admins/:id',
    access: WRITE,
    tag: TAG,
    summary: 'Change name, e-mail address or roles; roles hold within two seconds',
    params,
    body: Type.Partial(Type.Object({ name: adminNameSchema, email: emailSchema, roles: adminRolesSchema })),
    data: adminSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      const change = { actor: actorOf(call), own: call.caller.permissions };
      return adminToWire(await editAdmin(deps, { ...call.body, id: call.params.id }, change));
    },
  });
}

function remove(deps: ChangeAdminsDeps): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: '/admins/:id',
    access: WRITE,
    tag: TAG,
    summary: 'Delete an admin whom no record names',
    params,
    data: Type.Null(),
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      await removeAdmin(deps, call.params.id, { actor: actorOf(call), own: call.caller.permissions });
      return null;
    },
  });
}

function statusChange(
  deps: ChangeAdminsDeps,
  change: { verb: 'suspend' | 'reactivate'; summary: string; apply: typeof suspendAdmin },
): Endpoint {
  return endpoint({
    method: 'POST',
    path: `/admins/:id/${change.verb}`,
    access: WRITE,
    tag: TAG,
    summary: change.summary,
    params,
    data: adminSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      const by = { actor: actorOf(call), own: call.caller.permissions };
      return adminToWire(await change.apply(deps, call.params.id, by));
    },
  });
}
