import { Type } from 'typebox';

import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { actorOf } from '../audit/record-audit.ts';
import { AppError } from '../../../platform/errors.ts';
import { grantablePermissions } from '../permissions.ts';
import { changeRole, createRole, removeRole } from './change-roles.ts';
import type { ChangeRolesDeps } from './change-roles.ts';
import { findRole, listRoles } from './role-store.ts';
import { roleBody, roleFromWire, roleSchema, roleToWire } from './role-wire.ts';

const TAG = 'Roles and permissions';
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });

export function roleEndpoints(deps: ChangeRolesDeps): Endpoint[] {
  return [listAll(deps), getOne(deps), create(deps), update(deps), remove(deps), catalogue()];
}

function listAll(deps: ChangeRolesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/roles',
    access: { permission: 'roles:read' },
    tag: TAG,
    summary: 'All roles',
    data: Type.Object({ items: Type.Array(roleSchema) }),
    handle: async () => ({ items: (await listRoles(deps.db)).map(roleToWire) }),
  });
}

function getOne(deps: ChangeRolesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/roles/:id',
    access: { permission: 'roles:read' },
    tag: TAG,
    summary: 'One role',
    params,
    data: roleSchema,
    errors: ['NOT_FOUND'],
    async handle({ params: { id } }) {
      const role = await findRole(deps.db, id);
      if (!role) throw new AppError('NOT_FOUND', 'There is no such role');
      return roleToWire(role);
    },
  });
}

function create(deps: ChangeRolesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/roles',
    access: { permission: 'roles:write' },
    tag: TAG,
    summary: 'Create a role of permissions that I have myself',
    body: roleBody,
    data: roleSchema,
    status: 201,
    errors: ['CONFLICT'],
    async handle(call) {
      const change = { actor: actorOf(call), own: call.caller.permissions };
      return roleToWire(await createRole(deps, roleFromWire(call.body), change));
    },
  });
}

function update(deps: ChangeRolesDeps): Endpoint {
  return endpoint({
    method: 'PUT',
    path: '/roles/:id',
    access: { permission: 'roles:write' },
    tag: TAG,
    summary: 'Change a role; everybody who has it is affected within two seconds',
    params,
    body: roleBody,
    data: roleSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      const role = { ...roleFromWire(call.body), id: call.params.id };
      const change = { actor: actorOf(call), own: call.caller.permissions };
      return roleToWire(await changeRole(deps, role, change));
    },
  });
}

function remove(deps: ChangeRolesDeps): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: '/roles/:id',
    access: { permission: 'roles:write' },
    tag: TAG,
    summary: 'Delete a role that nobody has',
    params,
    data: Type.Null(),
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      await removeRole(deps, call.params.id, { actor: actorOf(call), own: call.caller.permissions });
      return null;
    },
  });
}

function catalogue(): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/permissions',
    access: { permission: 'roles:read' },
    tag: TAG,
    summary: 'Every permission that a role or an API key can be given',
    data: Type.Object({
      items: Type.Array(
        Type.Object({ permission: Type.String(), resource: Type.String(), action: Type.String() }),
      ),
    }),
    async handle() {
      const items = grantablePermissions.map((permission) => {
        const [resource = '', action = ''] = permission.split(':');
        return { permission, resource, action };
      });
      return { items };
    },
  });
}
