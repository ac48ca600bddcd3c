import { inOneStatement, inTransaction } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Random } from '../../../platform/random.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { secondsAfter } from '../../../platform/time.ts';
import { signingSecrets } from '../endpoints/webhook-secret.ts';
import { toEventBody } from '../event-body.ts';
import { findFirstPending } from './delivery-store.ts';
import { claimDueLane, listEndpointsWithDueLanes, lockClaimedLane, releaseLane } from './lane-store.ts';
import type { ClaimedLane } from './lane-store.ts';
import { sendWebhook } from './send-webhook.ts';
import type { SendDeps } from './send-webhook.ts';
import { settleAttempt } from './settle-attempt.ts';
import type { SettleAttemptDeps } from './settle-attempt.ts';

export interface DispatcherDeps extends SendDeps, SettleAttemptDeps {
  readonly box: SecretBox;
  readonly random: Random;
  readonly log: Logger;
}

export interface Dispatcher {
  /** Starts sending what is due and does not wait for any answer. */
  readonly dispatch: () => Promise<void>;
  /** Nothing is under way any more. */
  readonly whenIdle: () => Promise<void>;
  /** Starts nothing more, and waits for what is under way. */
  readonly stop: () => Promise<void>;
}

/** Streams of one endpoint that are sent at once: an endpoint that hangs holds these and no others. */
const SENDERS_PER_ENDPOINT = 8;
/** Longer than a request can take, shorter than anybody would wait for what a dead process had claimed. */
const CLAIM_SECONDS = 30;

/** Sends to every endpoint by senders of its own. */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const sendersByEndpoint = new Map<number, number>();
  const underWay = new Set<Promise<void>>();
  let stopped = false;

  const startSender = (endpointId: number): void => {
    sendersByEndpoint.set(endpointId, (sendersByEndpoint.get(endpointId) ?? 0) + 1);
    const work = sendWhileDue(deps, endpointId, () => stopped)
      .catch((error: unknown) =>
        deps.log.error({ err: error, endpointId }, 'webhooks wait for the next turn'),
      )
      .finally(() => {
        const left = (sendersByEndpoint.get(endpointId) ?? 1) - 1;
        if (left > 0) sendersByEndpoint.set(endpointId, left);
        else sendersByEndpoint.delete(endpointId);
        underWay.delete(work);
      });
    underWay.add(work);
  };
  const whenIdle = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay);
  };
  return {
    async dispatch() {
      if (stopped) return;
      for (const endpointId of await listEndpointsWithDueLanes(deps.db, deps.clock.now())) {
        const free = SENDERS_PER_ENDPOINT - (sendersByEndpoint.get(endpointId) ?? 0);
        for (let i = 0; i < free; i += 1) startSender(endpointId);
      }
    },
    whenIdle,
    async stop() {
      stopped = true;
      await whenIdle();
    },
  };
}

async function sendWhileDue(
  deps: DispatcherDeps,
  endpointId: number,
  isStopped: () => boolean,
): Promise<void> {
  while (!isStopped()) {
    const now = deps.clock.now();
    const claim = { endpointId, now, token: deps.random.uuid(), until: secondsAfter(now, CLAIM_SECONDS) };
    const lane = await inOneStatement(deps.db, (tx) => claimDueLane(tx, claim));
    if (!lane) return;
    await sendFirst(deps, lane);
  }
}

async function sendFirst(deps: DispatcherDeps, lane: ClaimedLane): Promise<void> {
  const delivery = await findFirstPending(deps.db, lane.endpointId, lane.stream);
  if (!delivery) return dropEmptyLane(deps, lane);
  const { url, event_id: id, event_type: type, data, occurred_at } = delivery;
  const sealed = { ...delivery, id: delivery.endpoint_id };
  const secrets = signingSecrets(deps.box, sealed, deps.clock.now());
  const sent = await sendWebhook(deps, { url, secrets, body: toEventBody({ id, type, data, occurred_at }) });
  await settleAttempt(deps, { lane, delivery, sent });
}

/** Its last delivery was settled by somebody whose claim had run out. */
async function dropEmptyLane(deps: DispatcherDeps, lane: ClaimedLane): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    if (await lockClaimedLane(tx, lane)) await releaseLane(tx, lane, deps.clock.now());
  });
}
