import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import type { Database } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Clock } from '../../../platform/time.ts';
import { findEndpoint } from '../endpoints/endpoint-store.ts';
import { deliveryNotFound, endpointNotFound } from '../endpoints/errors.ts';
import { reopenDelivery, reopenRange } from './delivery-store.ts';
import { touchLanes } from './lane-store.ts';

export interface RedeliverDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly recordAudit: RecordAudit;
}

/** Sends one delivery again, from its first try. @throws NOT_FOUND */
export async function redeliver(
  deps: RedeliverDeps,
  { deliveryId, actor }: { deliveryId: number; actor: AuditActor },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const reopened = await reopenDelivery(tx, deliveryId);
    if (!reopened) throw deliveryNotFound();
    const { endpoint_id: endpointId, stream } = reopened;
    await touchLanes(tx, { endpointId, streams: [stream], dueAt: deps.clock.now() });
    const after = { delivery_id: deliveryId };
    const resource = `webhook:${endpointId}`;
    await deps.recordAudit(tx, { ...actor, action: 'webhooks:redeliver', resource, after });
  });
}

export interface ReplayRequest {
  readonly endpointId: number;
  readonly afterSequence: number;
  readonly from: Date | null;
  readonly to: Date | null;
  readonly actor: AuditActor;
}

export interface Replayed {
  readonly count: number;
  /** Where to go on from. */
  readonly lastSequence: number;
  readonly hasMore: boolean;
}

const MOST_AT_ONCE = 5_000;

/** Sends every event of a range that the endpoint wants, those included that it never got. @throws NOT_FOUND */
export async function replayEvents(deps: RedeliverDeps, request: ReplayRequest): Promise<Replayed> {
  const { endpointId, afterSequence, from, to, actor } = request;
  return inTransaction(deps.db, async (tx) => {
    if (!(await findEndpoint(tx, endpointId))) throw endpointNotFound();
    const reopened = await reopenRange(tx, { endpointId, afterSequence, from, to, limit: MOST_AT_ONCE });
    const streams = reopened.map(({ stream }) => stream);
    await touchLanes(tx, { endpointId, streams, dueAt: deps.clock.now() });
    const count = reopened.length;
    const lastSequence = reopened.reduce((last, { sequence }) => Math.max(last, sequence), afterSequence);
    const after = { from: from?.toISOString(), to: to?.toISOString(), afterSequence, lastSequence, count };
    const resource = `webhook:${endpointId}`;
    await deps.recordAudit(tx, { ...actor, action: 'webhooks:replay', resource, after });
    return { count, lastSequence, hasMore: count === MOST_AT_ONCE };
  });
}
