import type { Tx } from './db/database.ts';
import type { AdminCaller } from './http/endpoint.ts';

/**
 * One operator's write, for the append-only audit log. Written in the transaction that does it, so that neither is
 * ever there without the other.
 */
export interface AuditEntry {
  readonly adminId: number;
  /** The operation: `alerts:resolve`, `orders:manual-code`. */
  readonly action: string;
  /** What it was done to: `order:17`. */
  readonly resource: string;
  /** The resource before and after, as far as the operation touches it. Codes, pins and secrets are masked. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
  readonly ip: string;
  readonly requestId: string;
  /** Tells a person's session from an API key's. */
  readonly sessionId?: string;
}

/** The identity module provides it; every admin write of every module calls it. */
export type RecordAudit = (tx: Tx, entry: AuditEntry) => Promise<void>;

/** Who asked and from where, out of a call. */
export function auditActor(call: {
  readonly caller: AdminCaller;
  readonly request: { readonly ip: string; readonly id: string };
}): Required<Pick<AuditEntry, 'adminId' | 'sessionId' | 'ip' | 'requestId'>> {
  const { adminId, sessionId } = call.caller;
  return { adminId, sessionId, ip: call.request.ip, requestId: call.request.id };
}
