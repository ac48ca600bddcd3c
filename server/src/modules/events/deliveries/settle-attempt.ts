import type { Database, Tx } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Clock } from '../../../platform/time.ts';
import { secondsAfter } from '../../../platform/time.ts';
import { disableEndpoint, markEndpointFailing } from '../endpoints/endpoint-store.ts';
import { insertAttempt, settleDelivery } from './delivery-store.ts';
import type { DueDelivery } from './delivery-store.ts';
import { lockClaimedLane, releaseLane } from './lane-store.ts';
import type { ClaimedLane } from './lane-store.ts';
import { hasFailedTooLong, judgeAttempt } from './retry-rules.ts';
import type { Verdict } from './retry-rules.ts';
import type { SentWebhook } from './send-webhook.ts';

/** Tells operators that an endpoint gets nothing any more, in the transaction that disables it. */
export type AlertDisabled = (
  tx: Tx,
  endpoint: { readonly id: number; readonly url: string; readonly reason: 'gone' | 'failing' },
) => Promise<void>;

export interface SettleAttemptDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly alertDisabled: AlertDisabled;
}

interface Attempt {
  readonly lane: ClaimedLane;
  readonly delivery: DueDelivery;
  readonly sent: SentWebhook;
}

/** Writes down what a try came to, and when its stream goes on. */
export async function settleAttempt(deps: SettleAttemptDeps, attempt: Attempt): Promise<void> {
  const { lane, delivery, sent } = attempt;
  const now = deps.clock.now();
  const verdict = judgeAttempt(sent, delivery.attempts + 1);
  const isRetried = verdict.kind === 'retry';
  await inTransaction(deps.db, async (tx) => {
    const isOurs = await lockClaimedLane(tx, lane);
    const settled = await settleDelivery(tx, {
      id: delivery.id,
      attempts: delivery.attempts,
      status: isRetried ? 'pending' : verdict.kind === 'delivered' ? 'succeeded' : 'parked',
      finishedAt: isRetried ? null : now,
    });
    await insertAttempt(tx, delivery.id, { ...sent, url: delivery.url });
    await judgeEndpoint(tx, deps, { delivery, verdict, now });
    // Sent again from the first try while this one was under way: that starts now.
    const dueAt = isRetried && settled > 0 ? secondsAfter(now, verdict.afterSeconds) : now;
    if (isOurs) await releaseLane(tx, lane, dueAt);
  });
}

async function judgeEndpoint(
  tx: Tx,
  deps: SettleAttemptDeps,
  { delivery, verdict, now }: { delivery: DueDelivery; verdict: Verdict; now: Date },
): Promise<void> {
  const { endpoint_id: id, url, failing_since: failingSince } = delivery;
  const isDelivered = verdict.kind === 'delivered';
  if (isDelivered !== (failingSince === null)) await markEndpointFailing(tx, id, isDelivered ? null : now);
  if (isDelivered) return;
  const isGone = verdict.kind === 'parked' && verdict.gone;
  if (!isGone && !hasFailedTooLong(failingSince, now)) return;
  const reason = isGone ? 'gone' : 'failing';
  if ((await disableEndpoint(tx, id, reason)) > 0) await deps.alertDisabled(tx, { id, url, reason });
}
