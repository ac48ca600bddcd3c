import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { Database } from '../../../platform/db/database.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { listAuditLogs, verifyAuditChains } from './audit-store.ts';
import type { AuditRow } from './audit-store.ts';

const TAG = 'Audit log';
const nullable = Type.Union([Type.String(), Type.Null()]);

const auditSchema = Type.Object({
  id: Type.Integer(),
  occurred_at: Type.String({ format: 'date-time' }),
  actor: Type.Object({
    kind: Type.Enum(['admin', 'api_key', 'system']),
    admin_id: Type.Union([Type.Integer(), Type.Null()]),
    name: nullable,
    session_id: nullable,
    ip: nullable,
    user_agent: nullable,
    request_id: nullable,
  }),
  action: Type.String(),
  resource_type: Type.String(),
  resource_id: nullable,
  before: Type.Unknown({ description: 'Codes and secrets masked' }),
  after: Type.Unknown(),
  stream: Type.String(),
  position: Type.Integer(),
  hash: Type.String({ description: 'SHA-256 over this entry and the one before it in its stream' }),
});

const chainSchema = Type.Object({
  stream: Type.String(),
  entries: Type.Integer(),
  intact: Type.Boolean(),
  first_broken_position: Type.Union([Type.Integer(), Type.Null()]),
  head: Type.String({
    description: 'Keep it elsewhere: as long as it reappears, nothing before it was changed',
  }),
});

export function auditEndpoints(deps: { db: Database }): Endpoint[] {
  return [listEntries(deps), verifyChains(deps)];
}

function listEntries(deps: { db: Database }): Endpoint {
  const text = Type.Optional(Type.String({ maxLength: 200 }));
  const moment = Type.Optional(Type.String({ format: 'date-time' }));
  return endpoint({
    method: 'GET',
    path: '/audit-logs',
    access: { permission: 'audit:read' },
    tag: TAG,
    summary: 'Who did what, newest first',
    query: Type.Object({
      ...pageQuery,
      admin_id: Type.Optional(Type.Integer({ minimum: 1 })),
      action: text,
      resource_type: text,
      resource_id: text,
      ip: text,
      from: moment,
      to: moment,
    }),
    data: pageSchema(auditSchema),
    async handle({ query }) {
      const { page, limit } = query;
      const filter = {
        adminId: query.admin_id ?? null,
        action: query.action ?? null,
        resourceType: query.resource_type ?? null,
        resourceId: query.resource_id ?? null,
        ip: query.ip ?? null,
        from: query.from ?? null,
        to: query.to ?? null,
      };
      const { rows, total } = await listAuditLogs(deps.db, filter, { limit, offset: (page - 1) * limit });
      return pageOf(rows.map(auditToWire), { page, limit, total });
    },
  });
}

function verifyChains(deps: { db: Database }): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/audit-logs/verify',
    access: { permission: 'audit:read' },
    tag: TAG,
    summary: 'Whether the log is as it was written: no entry changed, removed or slipped in',
    query: Type.Object({ stream: Type.Optional(Type.String({ maxLength: 100 })) }),
    data: Type.Object({ intact: Type.Boolean(), streams: Type.Array(chainSchema) }),
    async handle({ query }) {
      const chains = await verifyAuditChains(deps.db, query.stream ?? null);
      const streams = chains.map((chain) => ({
        stream: chain.stream,
        entries: chain.entries,
        intact: chain.first_broken === null && chain.reaches_head && chain.entries === chain.expected,
        first_broken_position: chain.first_broken,
        head: chain.head,
      }));
      return { intact: streams.every((stream) => stream.intact), streams };
    },
  });
}

function auditToWire(row: AuditRow): Static<typeof auditSchema> {
  return {
    id: row.id,
    occurred_at: row.occurred_at.toISOString(),
    actor: {
      kind: row.actor_kind,
      admin_id: row.admin_id,
      name: row.admin_name,
      session_id: row.session_id,
      ip: row.ip,
      user_agent: row.user_agent,
      request_id: row.request_id,
    },
    action: row.action,
    resource_type: row.resource_type,
    resource_id: row.resource_id,
    before: row.before,
    after: row.after,
    stream: row.stream,
    position: row.position,
    hash: row.hash,
  };
}
