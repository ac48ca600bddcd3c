import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { judgeAttempt } from '../deliveries/retry-rules.ts';
import { findEndpoint, listEndpoints, readEndpointHealth } from './endpoint-store.ts';
import {
  endpointBody,
  endpointSchema,
  endpointWithHealthSchema,
  endpointWithSecretSchema,
  toEndpoint,
  toHealth,
} from './endpoint-wire.ts';
import { endpointNotFound } from './errors.ts';
import { createEndpoint, deleteEndpoint, rotateSecret, updateEndpoint } from './save-endpoint.ts';
import type { SaveEndpointDeps } from './save-endpoint.ts';
import { sendTestEvent } from './send-test-event.ts';
import type { SendTestEventDeps } from './send-test-event.ts';

export type EndpointRoutesDeps = SaveEndpointDeps & SendTestEventDeps;

const tag = 'Webhooks';
const read = { permission: 'webhooks:read' } as const;
const write = { permission: 'webhooks:write' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });

export function endpointRoutes(deps: EndpointRoutesDeps): Endpoint[] {
  return [...readRoutes(deps), ...writeRoutes(deps), ...secretRoutes(deps)];
}

function readRoutes(deps: EndpointRoutesDeps): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/webhooks',
      access: read,
      summary: 'Where events are delivered to',
      tag,
      query: Type.Object(pageQuery),
      data: pageSchema(endpointSchema),
      handle: async ({ query: { page, limit } }) => {
        const { rows, total } = await listEndpoints(deps.db, { limit, offset: (page - 1) * limit });
        return pageOf(rows.map(toEndpoint), { page, limit, total });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/webhooks/:id',
      access: read,
      summary: 'An endpoint and how its deliveries fare',
      tag,
      params,
      data: endpointWithHealthSchema,
      errors: ['NOT_FOUND'],
      handle: async ({ params: { id } }) => {
        const [row, health] = await Promise.all([findEndpoint(deps.db, id), readEndpointHealth(deps.db, id)]);
        if (!row) throw endpointNotFound();
        return { ...toEndpoint(row), health: toHealth(health) };
      },
    }),
  ];
}

function writeRoutes(deps: EndpointRoutesDeps): Endpoint[] {
  const { url, events, description } = endpointBody;
  return [
    endpoint({
      method: 'POST',
      path: '/webhooks',
      access: write,
      summary: 'Have events delivered to a URL; the secret is shown this once',
      description:
        'Requests follow the Standard Webhooks specification: headers `webhook-id`, `webhook-timestamp` and ' +
        '`webhook-signature`, body `{id, type, timestamp, data}`. Any 2xx within 15 seconds counts as delivered, and ' +
        '410 disables the endpoint. What fails is retried after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 hours, then ' +
        'parked. Events of one order arrive in order; an event may arrive twice with the same id. Every kind and its ' +
        'schema: `/openapi/events.json`.',
      tag,
      body: Type.Object({ url, events, description: Type.Optional(description) }),
      data: endpointWithSecretSchema,
      status: 201,
      handle: async (call) => {
        const input = { ...call.body, description: call.body.description ?? '', actor: auditActor(call) };
        const { row, secret } = await createEndpoint(deps, input);
        return answer({ ...toEndpoint(row), secret }, { message: 'Keep the secret: it is not shown again' });
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/webhooks/:id',
      access: write,
      summary: 'Change URL, kinds or description, disable or enable',
      description: 'While disabled it gets no new events; what was pending goes on when it is enabled again.',
      tag,
      params,
      body: Type.Partial(Type.Object({ ...endpointBody, is_active: Type.Boolean() })),
      data: endpointSchema,
      errors: ['NOT_FOUND'],
      handle: async (call) => {
        const { is_active: isActive, ...input } = call.body;
        const change = { id: call.params.id, input, isActive, actor: auditActor(call) };
        return toEndpoint(await updateEndpoint(deps, change));
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/webhooks/:id',
      access: write,
      summary: 'Delete an endpoint with its deliveries',
      tag,
      params,
      data: Type.Null(),
      errors: ['NOT_FOUND'],
      handle: async (call) => {
        await deleteEndpoint(deps, { id: call.params.id, actor: auditActor(call) });
        return answer(null, { message: 'Webhook endpoint deleted' });
      },
    }),
  ];
}

function secretRoutes(deps: EndpointRoutesDeps): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/webhooks/:id/rotate-secret',
      access: write,
      summary: 'A new secret; for 24 hours the one before signs too',
      tag,
      params,
      data: endpointWithSecretSchema,
      errors: ['NOT_FOUND'],
      handle: async (call) => {
        const { row, secret } = await rotateSecret(deps, { id: call.params.id, actor: auditActor(call) });
        return answer({ ...toEndpoint(row), secret }, { message: 'Keep the secret: it is not shown again' });
      },
    }),
    endpoint({
      method: 'POST',
      path: '/webhooks/:id/test',
      access: write,
      summary: 'Send a signed test event now and see the answer',
      tag,
      params,
      data: Type.Object({
        event_id: Type.String(),
        delivered: Type.Boolean(),
        response_status: Type.Union([Type.Integer(), Type.Null()]),
        response_body: Type.Union([Type.String(), Type.Null()]),
        duration_ms: Type.Integer(),
        error: Type.Union([Type.String(), Type.Null()]),
      }),
      errors: ['NOT_FOUND'],
      handle: async ({ params: { id } }) => {
        const sent = await sendTestEvent(deps, id);
        return {
          event_id: sent.eventId,
          delivered: judgeAttempt(sent, 1).kind === 'delivered',
          response_status: sent.status,
          response_body: sent.responseBody,
          duration_ms: sent.durationMs,
          error: sent.error,
        };
      },
    }),
  ];
}
