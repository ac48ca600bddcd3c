import type { Database } from '../../../platform/db/database.ts';
import type { Random } from '../../../platform/random.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { sendWebhook } from '../deliveries/send-webhook.ts';
import type { SendDeps, SentWebhook } from '../deliveries/send-webhook.ts';
import { findEndpoint } from './endpoint-store.ts';
import { endpointNotFound } from './errors.ts';
import { signingSecrets } from './webhook-secret.ts';

export interface SendTestEventDeps extends SendDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly random: Random;
}

/** Sends a signed `webhook.test` at once, to an endpoint that is disabled too. It is no fact: nothing is stored. */
export async function sendTestEvent(
  deps: SendTestEventDeps,
  endpointId: number,
): Promise<SentWebhook & { eventId: string }> {
  const endpoint = await findEndpoint(deps.db, endpointId);
  if (!endpoint) throw endpointNotFound();
  const now = deps.clock.now();
  const id = deps.random.uuid();
  const body = { id, type: 'webhook.test', timestamp: now.toISOString(), data: { webhook_id: endpointId } };
  const secrets = signingSecrets(deps.box, endpoint, now);
  return { ...(await sendWebhook(deps, { url: endpoint.url, secrets, body })), eventId: id };
}
