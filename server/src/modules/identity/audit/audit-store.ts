import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export type ActorKind = 'admin' | 'api_key' | 'system';

export interface NewAuditRow {
  readonly stream: string;
  /** Null: the moment of the transaction. */
  readonly occurredAt: Date | null;
  readonly actorKind: ActorKind;
  readonly adminId: number | null;
  readonly sessionId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string | null;
  /** JSON text, or null. */
  readonly before: string | null;
  readonly after: string | null;
}

// Position and hashes are filled in by the trigger. The stream's row stays locked until the transaction ends, so this
// is the last statement of a transaction that waits for nothing.
const insert = statement(
  'identity_insert_audit_log',
  `INSERT INTO audit_logs (stream, occurred_at, actor_kind, admin_id, session_id, ip, user_agent, request_id, action,
     resource_type, resource_id, before, after)
   VALUES ($1, coalesce($2, now()), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);
const list = statement(
  'identity_list_audit_logs',
  `SELECT l.id, l.stream, l.position, l.occurred_at, l.actor_kind, l.admin_id, a.name AS admin_name, l.session_id, l.ip,
     l.user_agent, l.request_id, l.action, l.resource_type, l.resource_id, l.before, l.after,
     encode(l.hash, 'hex') AS hash, count(*) OVER () AS total
   FROM audit_logs l LEFT JOIN admins a ON a.id = l.admin_id
   WHERE ($1::bigint IS NULL OR l.admin_id = $1) AND ($2::text IS NULL OR l.action = $2)
     AND ($3::text IS NULL OR l.resource_type = $3) AND ($4::text IS NULL OR l.resource_id = $4)
     AND ($5::text IS NULL OR l.ip = $5)
     AND ($6::timestamptz IS NULL OR l.occurred_at >= $6) AND ($7::timestamptz IS NULL OR l.occurred_at < $7)
   ORDER BY l.id DESC LIMIT $8 OFFSET $9`,
);
// One pass over each chain: every entry must hash to what it says, follow the one before without a gap, and the last
// must be the one that the chain's end names.
const verify = statement(
  'identity_verify_audit_logs',
  `SELECT chain.stream, chain.position AS expected, coalesce(checked.entries, 0) AS entries,
     checked.first_broken, encode(chain.hash, 'hex') AS head,
     coalesce(checked.last_position = chain.position AND checked.last_hash = chain.hash, false) AS reaches_head
   FROM audit_streams chain LEFT JOIN (
     SELECT stream, count(*) AS entries, max(position) AS last_position,
       (array_agg(hash ORDER BY position DESC))[1] AS last_hash,
       min(position) FILTER (WHERE NOT intact) AS first_broken
     FROM (
       SELECT entry.stream, entry.position, entry.hash,
         entry.hash = audit_hash(entry)
           AND entry.position = coalesce(lag(entry.position) OVER chain_order, 0) + 1
           AND entry.previous_hash = coalesce(lag(entry.hash) OVER chain_order, sha256(convert_to(entry.stream, 'UTF8')))
           AS intact
       FROM audit_logs entry
       WINDOW chain_order AS (PARTITION BY entry.stream ORDER BY entry.position)
     ) AS entries GROUP BY stream
   ) AS checked USING (stream)
   WHERE $1::text IS NULL OR chain.stream = $1
   ORDER BY chain.stream`,
);

export async function insertAuditLog(tx: Tx, row: NewAuditRow): Promise<void> {
  await tx.query(insert, [
    row.stream,
    row.occurredAt,
    row.actorKind,
    row.adminId,
    row.sessionId,
    row.ip,
    row.userAgent,
    row.requestId,
    row.action,
    row.resourceType,
    row.resourceId,
    row.before,
    row.after,
  ]);
}

export interface AuditRow {
  readonly id: number;
  readonly stream: string;
  readonly position: number;
  readonly occurred_at: Date;
  readonly actor_kind: ActorKind;
  readonly admin_id: number | null;
  readonly admin_name: string | null;
  readonly session_id: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly request_id: string | null;
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly hash: string;
}

export interface AuditFilter {
  readonly adminId: number | null;
  readonly action: string | null;
  readonly resourceType: string | null;
  readonly resourceId: string | null;
  readonly ip: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

export async function listAuditLogs(
  reader: Reader,
  filter: AuditFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: AuditRow[]; total: number }> {
  const { adminId, action, resourceType, resourceId, ip, from, to } = filter;
  const values = [adminId, action, resourceType, resourceId, ip, from, to, page.limit, page.offset];
  const { rows } = await reader.query<AuditRow & { total: number }>(list, values);
  return { rows, total: rows[0]?.total ?? 0 };
}

export interface ChainRow {
  readonly stream: string;
  /** How many entries the chain should have. */
  readonly expected: number;
  readonly entries: number;
  /** Position of the first entry that does not follow from the one before; null when all do. */
  readonly first_broken: number | null;
  readonly head: string;
  readonly reaches_head: boolean;
}

export async function verifyAuditChains(reader: Reader, stream: string | null): Promise<ChainRow[]> {
  return (await reader.query<ChainRow>(verify, [stream])).rows;
}
