import { Type } from 'typebox';

import { inOneStatement, violatedConstraint } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { deleteRecipient, insertRecipient, listRecipients, updateRecipient } from './recipient-store.ts';
import { recipientBody, recipientSchema, recipientToWire } from './recipient-wire.ts';

const TAG = 'User account';
const MOST_RECIPIENTS = 50;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });

const notFound = (): AppError => new AppError('NOT_FOUND', 'There is no such recipient');

function translateTwice(error: unknown): never {
  if (violatedConstraint(error) !== 'saved_recipients__once') throw error;
  throw new AppError('CONFLICT', 'This recipient is saved already');
}

export function recipientEndpoints(deps: { db: Database }): Endpoint[] {
  return [listAll(deps), create(deps), update(deps), remove(deps)];
}

function listAll(deps: { db: Database }): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/user/recipients',
    access: 'client',
    tag: TAG,
    summary: 'My saved recipients',
    data: Type.Object({ items: Type.Array(recipientSchema) }),
    handle: async ({ caller }) => ({
      items: (await listRecipients(deps.db, caller.userId)).map(recipientToWire),
    }),
  });
}

function create(deps: { db: Database }): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/user/recipients',
    access: 'client',
    tag: TAG,
    summary: 'Save a recipient',
    body: recipientBody,
    data: recipientSchema,
    status: 201,
    errors: ['CONFLICT'],
    async handle({ caller, body }) {
      const recipient = { ...body, userId: caller.userId, most: MOST_RECIPIENTS };
      const row = await inOneStatement(deps.db, (tx) => insertRecipient(tx, recipient)).catch(translateTwice);
      if (!row) throw new AppError('CONFLICT', `There are ${MOST_RECIPIENTS} already: delete one first`);
      return recipientToWire(row);
    },
  });
}

function update(deps: { db: Database }): Endpoint {
  return endpoint({
    method: 'PUT',
    path: '/user/recipients/:id',
    access: 'client',
    tag: TAG,
    summary: 'Change a saved recipient',
    params,
    body: recipientBody,
    data: recipientSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle({ caller, params: { id }, body }) {
      const recipient = { ...body, userId: caller.userId, id };
      const row = await inOneStatement(deps.db, (tx) => updateRecipient(tx, recipient)).catch(translateTwice);
      if (!row) throw notFound();
      return recipientToWire(row);
    },
  });
}

function remove(deps: { db: Database }): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: '/user/recipients/:id',
    access: 'client',
    tag: TAG,
    summary: 'Delete a saved recipient',
    params,
    data: Type.Null(),
    errors: ['NOT_FOUND'],
    async handle({ caller, params: { id } }) {
      const deleted = await inOneStatement(deps.db, (tx) =>
        deleteRecipient(tx, { userId: caller.userId, id }),
      );
      if (!deleted) throw notFound();
      return null;
    },
  });
}
