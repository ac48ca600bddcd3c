import { Type } from 'typebox';

import { emailSchema, nameSchema } from '../accounts/account-wire.ts';
import { customerOrderToWire, customerPaymentToWire } from '../customer-records-wire.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { actorOf } from '../audit/record-audit.ts';
import { userNotFound } from '../errors.ts';
import type { CloseAccountDeps } from '../profile/close-account.ts';
import { listLiveSessions } from '../tokens/session-store.ts';
import { sessionToWire } from '../tokens/session-wire.ts';
import {
  anonymisePerson,
  blockPerson,
  correctPerson,
  signPersonOut,
  unblockPerson,
} from './change-people.ts';
import { findPerson, listPeople } from './people-store.ts';
import { personDetailSchema, personSchema, personToWire } from './people-wire.ts';

const TAG = 'Users (customers)';
const SHOWN = 50;
const WRITE = { permission: 'users:write' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });
const reasonBody = Type.Object({ reason: Type.String({ minLength: 3, maxLength: 500, pattern: '\\S' }) });

export function peopleEndpoints(deps: CloseAccountDeps): Endpoint[] {
  return [
    listAll(deps),
    detail(deps),
    correct(deps),
    block(deps),
    unblock(deps),
    signOut(deps),
    anonymise(deps),
  ];
}

function listAll(deps: CloseAccountDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/users',
    access: { permission: 'users:read' },
    tag: TAG,
    summary: 'Customers, newest first; the search finds number, name, e-mail, id and order number',
    query: Type.Object({
      ...pageQuery,
      search: Type.Optional(Type.String({ maxLength: 100 })),
      status: Type.Optional(Type.Enum(['active', 'blocked', 'closed'])),
    }),
    data: pageSchema(personSchema),
    async handle({ query }) {
      const { page, limit, status = null } = query;
      const search = query.search?.trim() || null;
      const ids = search === null ? [] : await deps.records.findCustomersByOrderNumber(deps.db, search);
      const at = { limit, offset: (page - 1) * limit };
      const { rows, total } = await listPeople(deps.db, { search, status, ids }, at);
      return pageOf(rows.map(personToWire), { page, limit, total });
    },
  });
}

function detail(deps: CloseAccountDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/users/:id',
    access: { permission: 'users:read' },
    tag: TAG,
    summary: 'One customer with orders, payments and sessions',
    params,
    data: personDetailSchema,
    errors: ['NOT_FOUND'],
    async handle({ params: { id } }) {
      const at = { now: deps.clock.now(), limit: SHOWN, offset: 0 };
      const [person, orders, payments, sessions] = await Promise.all([
        findPerson(deps.db, id),
        deps.records.listOrders(deps.db, id, SHOWN),
        deps.records.listPayments(deps.db, id, SHOWN),
        listLiveSessions(deps.db, { userId: id }, at),
      ]);
      if (!person) throw userNotFound();
      return {
        ...personToWire(person),
        orders: orders.map(customerOrderToWire),
        payments: payments.map(customerPaymentToWire),
        sessions: sessions.rows.map((row) => sessionToWire(row)),
      };
    },
  });
}

function correct(deps: CloseAccountDeps): Endpoint {
  return endpoint({
    method: 'PATCH',
    path: '/users/:id',
    access: WRITE,
    tag: TAG,
    summary: 'Correct a name or an e-mail address',
    params,
    body: Type.Partial(Type.Object({ name: nameSchema, email: Type.Union([emailSchema, Type.Null()]) })),
    data: personSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      const change = { ...call.body, id: call.params.id, actor: actorOf(call) };
      return personToWire(await correctPerson(deps, change));
    },
  });
}

function block(deps: CloseAccountDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/users/:id/block',
    access: WRITE,
    tag: TAG,
    summary: 'Block a customer, who is signed out everywhere',
    params,
    body: reasonBody,
    data: personSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      const change = { id: call.params.id, reason: call.body.reason, actor: actorOf(call) };
      return personToWire(await blockPerson(deps, change));
    },
  });
}

function unblock(deps: CloseAccountDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/users/:id/unblock',
    access: WRITE,
    tag: TAG,
    summary: 'Let a blocked customer sign in again',
    params,
    data: personSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) =>
      personToWire(await unblockPerson(deps, { id: call.params.id, actor: actorOf(call) })),
  });
}

function signOut(deps: CloseAccountDeps): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: '/users/:id/sessions',
    access: WRITE,
    tag: TAG,
    summary: 'Sign a customer out everywhere',
    params,
    data: personSchema,
    errors: ['NOT_FOUND'],
    handle: async (call) =>
      personToWire(await signPersonOut(deps, { id: call.params.id, actor: actorOf(call) })),
  });
}

function anonymise(deps: CloseAccountDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/users/:id/anonymise',
    access: { permission: 'users:anonymise' },
    tag: TAG,
    summary: 'Erase who a customer was; orders and payments stay as money records. There is no way back',
    params,
    body: reasonBody,
    data: personSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      const change = { id: call.params.id, reason: call.body.reason, actor: actorOf(call) };
      return personToWire(await anonymisePerson(deps, change));
    },
  });
}
