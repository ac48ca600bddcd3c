import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';

import { answer, endpoint, redirectTo } from '../../platform/http/endpoint.ts';
import type { Answer, Endpoint, RawAnswer } from '../../platform/http/endpoint.ts';
import type { CallbackFields, ConfiguredGateway } from './gateways/gateway.ts';
import { findPaymentStatus } from './payment-store.ts';
import { paymentStatusSchema, toPaymentStatusWire } from './payment-wire.ts';
import type { PaymentStatusWire } from './payment-wire.ts';
import { receiveCallback } from './receive-callback.ts';
import type { ReceiveCallbackDeps } from './receive-callback.ts';

export interface CallbackRoutesDeps extends ReceiveCallbackDeps {
  /** Where a browser goes after a callback; without a transaction when it named none of ours. */
  resultPageUrl(transactionId: string | null): string;
}

/** GET and POST for every configured gateway (interface part 4, decisions 4.10 and 4.11). */
export function callbackRoutes(deps: CallbackRoutesDeps): Endpoint[] {
  return deps.gateways.all.flatMap((gateway) =>
    (['GET', 'POST'] as const).map((method) => callbackRoute(deps, gateway, method)),
  );
}

function callbackRoute(
  deps: CallbackRoutesDeps,
  gateway: ConfiguredGateway,
  method: 'GET' | 'POST',
): Endpoint {
  return endpoint({
    method,
    path: `/payments/${gateway.segment}/callback`,
    access: 'callback',
    summary: `Callback of the ${gateway.name} gateway`,
    description:
      'Stored first, then verified with the gateway itself; what it claims is never believed. Browsers are sent on to the result page (303), others get the state as it is. Takes a form, JSON or query parameters.',
    tag: 'Payments',
    data: Type.Union([paymentStatusSchema, Type.Null()]),
    handle: ({ request }) => takeCallback(deps, gateway, request),
  });
}

async function takeCallback(
  deps: CallbackRoutesDeps,
  gateway: ConfiguredGateway,
  request: FastifyRequest,
): Promise<Answer<PaymentStatusWire | null> | RawAnswer> {
  const fields = { ...flatten(request.query), ...flatten(request.body) };
  const received = await receiveCallback(deps, { gateway, fields, sourceIp: request.ip });
  if (request.headers.accept?.includes('text/html'))
    return redirectTo(deps.resultPageUrl(received.transactionId));
  if (received.verdict !== 'accepted' || received.transactionId === null) {
    return answer(null, { message: 'Stored; it changed nothing' });
  }
  const row = received.status ?? (await findPaymentStatus(deps.db, received.transactionId, null));
  return answer(row ? toPaymentStatusWire(row) : null);
}

const MAX_DEPTH = 3;

/** Nested JSON becomes dotted names; everything becomes text. */
export function flatten(content: unknown, prefix = '', depth = 0): CallbackFields {
  if (typeof content !== 'object' || content === null || depth > MAX_DEPTH) return {};
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(content)) {
    if (value === null || value === undefined) continue;
    if (typeof value === 'object') Object.assign(fields, flatten(value, `${prefix}${name}.`, depth + 1));
    else fields[`${prefix}${name}`] = String(value as string | number | boolean);
  }
  return fields;
}
