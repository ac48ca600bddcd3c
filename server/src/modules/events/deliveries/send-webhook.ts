import { Webhook } from 'standardwebhooks';

import { OutboundError } from '../../../platform/outbound/outbound-client.ts';
import type { OutboundClient } from '../../../platform/outbound/outbound-client.ts';
import type { Clock } from '../../../platform/time.ts';
import type { EventBody } from '../event-body.ts';

export interface SendDeps {
  readonly http: OutboundClient;
  readonly clock: Clock;
}

export interface WebhookRequest {
  readonly url: string;
  /** `whsec_…`; more than one while a secret is being changed. */
  readonly secrets: readonly string[];
  readonly body: EventBody;
}

export interface SentWebhook {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null when there was no answer. */
  readonly status: number | null;
  /** Its beginning: enough to see what the other side complains about. */
  readonly responseBody: string | null;
  readonly error: string | null;
}

const TIMEOUT_MS = 15_000;
const KEPT_CHARACTERS = 2_000;

/** One signed request after the Standard Webhooks specification. Never throws for what the other side does. */
export async function sendWebhook(deps: SendDeps, request: WebhookRequest): Promise<SentWebhook> {
  const startedAt = deps.clock.now();
  const began = performance.now();
  const body = JSON.stringify(request.body);
  const took = () => ({ startedAt, durationMs: Math.round(performance.now() - began) });
  try {
    const response = await deps.http.send({
      method: 'POST',
      url: request.url,
      headers: signedHeaders(request, startedAt, body),
      body,
      timeoutMs: TIMEOUT_MS,
    });
    const responseBody = response.text.slice(0, KEPT_CHARACTERS).replaceAll('\0', '');
    return { ...took(), status: response.status, responseBody, error: null };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { ...took(), status: null, responseBody: null, error: error.message };
  }
}

function signedHeaders(
  { secrets, body: { id } }: WebhookRequest,
  at: Date,
  body: string,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'voucher-commerce-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
