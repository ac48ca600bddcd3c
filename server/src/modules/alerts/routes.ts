import { Type } from 'typebox';

import { auditActor } from '../../platform/audit.ts';
import { AppError } from '../../platform/errors.ts';
import { answer, endpoint } from '../../platform/http/endpoint.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../platform/http/envelope.ts';
import { findAlert, listAlerts } from './alert-admin-store.ts';
import { alertSchema, toAlertWire } from './alert-wire.ts';
import { alertSeverities } from './alerts.ts';
import { acknowledgeAlert, resolveAlert } from './handle-alert.ts';
import type { HandleAlertDeps } from './handle-alert.ts';

const tag = 'Alerts';
const read = { permission: 'alerts:read' } as const;
const write = { permission: 'alerts:write' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });
const oneOf = (values: readonly string[]) => Type.Union(values.map((value) => Type.Literal(value)));

export function alertRoutes(deps: HandleAlertDeps): Endpoint[] {
  return [listRoute(deps), findRoute(deps), acknowledgeRoute(deps), resolveRoute(deps)];
}

function listRoute(deps: HandleAlertDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/alerts',
    access: read,
    summary: 'Alerts, newest first',
    tag,
    query: Type.Object({
      ...pageQuery,
      status: Type.Optional(oneOf(['open', 'resolved'])),
      type: Type.Optional(oneOf(Object.keys(alertSeverities))),
      severity: Type.Optional(oneOf(['info', 'warning', 'critical'])),
      order_id: Type.Optional(Type.Integer({ minimum: 1 })),
      acknowledged: Type.Optional(Type.Boolean()),
      search: Type.Optional(Type.String({ maxLength: 200, description: 'In the message' })),
      sort: Type.Optional(oneOf(['created_at', '-created_at'])),
    }),
    data: pageSchema(alertSchema),
    handle: async ({ query }) => {
      const { page, limit } = query;
      const filter = {
        status: query.status ?? null,
        type: query.type ?? null,
        severity: query.severity ?? null,
        orderId: query.order_id ?? null,
        isAcknowledged: query.acknowledged ?? null,
        search: query.search ?? null,
        oldestFirst: query.sort === 'created_at',
      };
      const { rows, total } = await listAlerts(deps.db, filter, { limit, offset: (page - 1) * limit });
      return pageOf(rows.map(toAlertWire), { page, limit, total });
    },
  });
}

function findRoute(deps: HandleAlertDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/alerts/:id',
    access: read,
    summary: 'One alert',
    tag,
    params,
    data: alertSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ params: of }) => {
      const alert = await findAlert(deps.db, of.id);
      if (!alert) throw new AppError('NOT_FOUND', `There is no alert ${of.id}`);
      return toAlertWire(alert);
    },
  });
}

function acknowledgeRoute(deps: HandleAlertDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/alerts/:id/acknowledge',
    access: write,
    summary: 'Say that you have seen it; it stays open',
    tag,
    params,
    data: alertSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      const alert = await acknowledgeAlert(deps, { id: call.params.id, actor: auditActor(call) });
      return answer(toAlertWire(alert), { message: 'Alert acknowledged' });
    },
  });
}

function resolveRoute(deps: HandleAlertDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/alerts/:id/resolve',
    access: write,
    summary: 'Resolve an alert, saying how',
    tag,
    params,
    body: Type.Object({ resolution_notes: Type.String({ minLength: 1, maxLength: 4000 }) }),
    data: alertSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      const { params: of, body } = call;
      const notes = body.resolution_notes;
      const alert = await resolveAlert(deps, { id: of.id, notes, actor: auditActor(call) });
      return answer(toAlertWire(alert), { message: 'Alert resolved' });
    },
  });
}
