import type { FastifyRequest } from 'fastify';

import type { Tx } from '../../../platform/db/database.ts';
import type { AdminCaller } from '../../../platform/http/endpoint.ts';
import { visitorOf } from '../visitor.ts';
import { insertAuditLog } from './audit-store.ts';
import type { ActorKind } from './audit-store.ts';
import { maskSecrets } from './masking.ts';

/** Who acts, and from where. Made by `actorOf` at the route and handed down with the input of the use case. */
export interface Actor {
  readonly kind: ActorKind;
  readonly adminId: number | null;
  readonly sessionId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

/** The service itself, for what nobody asked it to do. */
export const SYSTEM: Actor = {
  kind: 'system',
  adminId: null,
  sessionId: null,
  ip: null,
  userAgent: null,
  requestId: null,
};

/** Sessions of API keys are named so; see `api-keys`. */
export const API_KEY_SESSION = 'api_key:';

/** The actor of a call to an admin endpoint. */
export function actorOf(call: { caller: AdminCaller; request: FastifyRequest }): Actor {
  const { adminId, sessionId } = call.caller;
  const { ip, userAgent } = visitorOf(call.request);
  return { kind: actorKindOf(sessionId), adminId, sessionId, ip, userAgent, requestId: call.request.id };
}

/** A session that is an API key's acts as one. */
export function actorKindOf(sessionId: string | null): ActorKind {
  return sessionId?.startsWith(API_KEY_SESSION) ? 'api_key' : 'admin';
}

export interface AuditEntry {
  readonly actor: Actor;
  /** `<resource>.<past or verb>`: `discount.updated`, `order.manual_code`. */
  readonly action: string;
  readonly resource: { readonly type: string; readonly id: number | string | null };
  /** Any JSON; null or left out when there was nothing before (created) or is nothing after (deleted). */
  readonly before?: unknown;
  readonly after?: unknown;
  /** Names that would be masked and are no secret here: `code` of a discount. */
  readonly publicNames?: readonly string[];
  /** The moment of the transaction when left out. */
  readonly at?: Date;
}

/**
 * Writes one entry of the audit log in the transaction that does what it tells of: neither exists without the other.
 * Call it last in the transaction: writers of one resource type wait for each other from here to the commit.
 */
export async function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  const { actor, action, resource, publicNames } = entry;
  const toJson = (value: unknown): string | null =>
    value === undefined || value === null ? null : JSON.stringify(maskSecrets(value, publicNames));
  await insertAuditLog(tx, {
    stream: resource.type,
    occurredAt: entry.at ?? null,
    actorKind: actor.kind,
    adminId: actor.adminId,
    sessionId: actor.sessionId,
    ip: actor.ip,
    userAgent: actor.userAgent,
    requestId: actor.requestId,
    action,
    resourceType: resource.type,
    resourceId: resource.id === null ? null : String(resource.id),
    before: toJson(entry.before),
    after: toJson(entry.after),
  });
}
