import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { fieldError } from '../../../platform/errors.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { findEndpoint } from '../endpoints/endpoint-store.ts';
import { deliveryNotFound, endpointNotFound } from '../endpoints/errors.ts';
import { findDelivery, listDeliveries } from './delivery-store.ts';
import { deliverySchema, toDelivery } from './delivery-wire.ts';
import { redeliver, replayEvents } from './redeliver.ts';
import type { RedeliverDeps } from './redeliver.ts';

const tag = 'Webhooks';
const read = { permission: 'webhooks:read' } as const;
const write = { permission: 'webhooks:write' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });
const statusSchema = Type.Union([Type.Literal('pending'), Type.Literal('succeeded'), Type.Literal('parked')]);

export function deliveryRoutes(deps: RedeliverDeps): Endpoint[] {
  return [listRoute(deps), redeliverRoute(deps), replayRoute(deps)];
}

function listRoute(deps: RedeliverDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    access: read,
    summary: 'What was sent to an endpoint and what it answered, the newest first',
    tag,
    params,
    query: Type.Object({
      ...pageQuery,
      status: Type.Optional(statusSchema),
      event_type: Type.Optional(Type.String({ maxLength: 64 })),
      event_id: Type.Optional(Type.String({ format: 'uuid' })),
    }),
    data: pageSchema(deliverySchema),
    errors: ['NOT_FOUND'],
    handle: async ({ params: { id }, query }) => {
      const { page, limit, status = null, event_type: eventType = null, event_id: eventId = null } = query;
      if (!(await findEndpoint(deps.db, id))) throw endpointNotFound();
      const filter = { endpointId: id, status, eventType, eventId };
      const { rows, total } = await listDeliveries(deps.db, filter, { limit, offset: (page - 1) * limit });
      return pageOf(rows.map(toDelivery), { page, limit, total });
    },
  });
}

function redeliverRoute(deps: RedeliverDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/webhooks/deliveries/:id/redeliver',
    access: write,
    summary: 'Send one delivery again, with the same event id',
    tag,
    params,
    data: deliverySchema,
    errors: ['NOT_FOUND'],
    handle: async (call) => {
      const { id } = call.params;
      await redeliver(deps, { deliveryId: id, actor: auditActor(call) });
      const row = await findDelivery(deps.db, id);
      if (!row) throw deliveryNotFound();
      return answer(toDelivery(row), { message: 'It is sent again' });
    },
  });
}

function replayRoute(deps: RedeliverDeps): Endpoint {
  const time = Type.Optional(Type.String({ format: 'date-time' }));
  return endpoint({
    method: 'POST',
    path: '/webhooks/:id/replay',
    access: write,
    summary: 'Send all events of a time range, or after a place in the log, again',
    description:
      'Events the endpoint never got are included, kinds it does not ask for are not. At most 5,000 at once: while ' +
      '`has_more`, ask again with `after_sequence` = `last_sequence`.',
    tag,
    params,
    body: Type.Object({
      from: time,
      to: time,
      after_sequence: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
    data: Type.Object({ replayed: Type.Integer(), last_sequence: Type.Integer(), has_more: Type.Boolean() }),
    errors: ['NOT_FOUND'],
    handle: async (call) => {
      const { from, to, after_sequence: afterSequence } = call.body;
      if (from === undefined && afterSequence === undefined)
        throw fieldError('from', 'Say from when (from) or from where (after_sequence)');
      const { count, lastSequence, hasMore } = await replayEvents(deps, {
        endpointId: call.params.id,
        afterSequence: afterSequence ?? 0,
        from: from ? new Date(from) : null,
        to: to ? new Date(to) : null,
        actor: auditActor(call),
      });
      return { replayed: count, last_sequence: lastSequence, has_more: hasMore };
    },
  });
}
