import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

/** A stream of an endpoint; whoever holds its claim may send. */
export interface ClaimedLane {
  readonly endpointId: number;
  readonly stream: string;
  readonly token: string;
}

const listDue = statement(
  'lanes_list_due',
  `SELECT id FROM webhook_endpoints endpoint WHERE status = 'active' AND EXISTS (
     SELECT FROM webhook_lanes lane WHERE lane.endpoint_id = endpoint.id AND lane.due_at <= $1
       AND (lane.claimed_until IS NULL OR lane.claimed_until <= $1)) ORDER BY id`,
);

export async function listEndpointsWithDueLanes(reader: Reader, now: Date): Promise<number[]> {
  return (await reader.query<{ id: number }>(listDue, [now])).rows.map(({ id }) => id);
}

/** Others skip what is being claimed, and what is claimed until its time is over: the claim of a dead process ends so. */
const claim = statement(
  'lanes_claim',
  `UPDATE webhook_lanes lane SET claim_token = $3, claimed_until = $4
   FROM (
     SELECT endpoint_id, stream FROM webhook_lanes
     WHERE endpoint_id = $1 AND due_at <= $2 AND (claimed_until IS NULL OR claimed_until <= $2)
       AND EXISTS (SELECT FROM webhook_endpoints WHERE id = $1 AND status = 'active')
     ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
   ) due
   WHERE lane.endpoint_id = due.endpoint_id AND lane.stream = due.stream
   RETURNING lane.stream`,
);

export async function claimDueLane(
  tx: Tx,
  asked: { endpointId: number; now: Date; token: string; until: Date },
): Promise<ClaimedLane | undefined> {
  const { endpointId, now, token, until } = asked;
  const { rows } = await tx.query<{ stream: string }>(claim, [endpointId, now, token, until]);
  return rows[0] && { endpointId, stream: rows[0].stream, token };
}

const lock = statement(
  'lanes_lock',
  'SELECT FROM webhook_lanes WHERE endpoint_id = $1 AND stream = $2 AND claim_token = $3 FOR UPDATE',
);

/** @returns false when the claim is over and another has it. */
export async function lockClaimedLane(tx: Tx, { endpointId, stream, token }: ClaimedLane): Promise<boolean> {
  return (await tx.query(lock, [endpointId, stream, token])).count === 1;
}

const release = statement(
  'lanes_release',
  `UPDATE webhook_lanes SET due_at = $4, claim_token = NULL, claimed_until = NULL
   WHERE endpoint_id = $1 AND stream = $2 AND claim_token = $3 AND EXISTS (
     SELECT FROM webhook_deliveries d WHERE d.endpoint_id = $1 AND d.stream = $2 AND d.status = 'pending')`,
);
const remove = statement(
  'lanes_delete',
  'DELETE FROM webhook_lanes WHERE endpoint_id = $1 AND stream = $2 AND claim_token = $3',
);

/**
 * After `lockClaimedLane`, as statements of their own: their snapshots are newer than the lock, and nobody adds a
 * delivery without writing the lane, so a lane is deleted only when nothing is pending in it.
 */
export async function releaseLane(
  tx: Tx,
  { endpointId, stream, token }: ClaimedLane,
  dueAt: Date,
): Promise<void> {
  const { count } = await tx.query(release, [endpointId, stream, token, dueAt]);
  if (count === 0) await tx.query(remove, [endpointId, stream, token]);
}

const touch = statement(
  'lanes_touch',
  `INSERT INTO webhook_lanes (endpoint_id, stream, due_at)
   SELECT $1, stream, $3 FROM (SELECT DISTINCT unnest($2::text[]) AS stream ORDER BY 1) given
   ON CONFLICT (endpoint_id, stream) DO UPDATE SET due_at = EXCLUDED.due_at`,
);

/** Makes streams due; one that is being sent goes on when that is over. After the deliveries in them were written. */
export async function touchLanes(
  tx: Tx,
  given: { endpointId: number; streams: readonly string[]; dueAt: Date },
): Promise<void> {
  if (given.streams.length > 0) await tx.query(touch, [given.endpointId, given.streams, given.dueAt]);
}
