import type { Tx } from './db/database.ts';
import type { AdminCaller } from './http/endpoint.ts';
import { userAgentOf } from './user-agent.ts';

/** Who acts, and from where. Handed down whole from the route: what one write of the log has, all have. */
export interface AuditActor {
  readonly adminId: number;
  /** Tells a person's session from an API key's. */
  readonly sessionId: string;
  readonly ip: string;
  readonly userAgent: string | null;
  readonly requestId: string;
}

/**
 * One operator's write, for the append-only audit log. Written in the transaction that does it, so that neither is
 * ever there without the other.
 */
export interface AuditEntry extends AuditActor {
  /** The operation: `alerts:resolve`, `orders:manual-code`. */
  readonly action: string;
  /** What it was done to: `order:17`. */
  readonly resource: string;
  /** The resource before and after, as far as the operation touches it. Codes, pins and secrets are masked. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** The identity module provides it; every admin write of every module calls it. */
export type RecordAudit = (tx: Tx, entry: AuditEntry) => Promise<void>;

/** The actor of a call to an admin endpoint. */
export function auditActor(call: {
  readonly caller: AdminCaller;
  readonly request: {
    readonly ip: string;
    readonly id: string;
    readonly headers: { readonly 'user-agent'?: string | undefined };
  };
}): AuditActor {
  const { adminId, sessionId } = call.caller;
  const { ip, id: requestId } = call.request;
  return { adminId, sessionId, ip, userAgent: userAgentOf(call.request), requestId };
}
