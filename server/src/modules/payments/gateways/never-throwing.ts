import { OutboundError } from '../../../platform/outbound/outbound-client.ts';
import type { Gateway } from './gateway.ts';
import type { RefundResult } from './refund.ts';

/** The same gateway, with every failure a result: no answer opens no session, proves nothing and refunds nothing. */
export function neverThrowing(gateway: Gateway): Gateway {
  const { refund, queryRefund } = gateway;
  return {
    ...gateway,
    openSession: (request) =>
      gateway.openSession(request).catch((error: unknown) => ({ kind: 'refused', reason: reasonOf(error) })),
    verify: (payment) =>
      gateway
        .verify(payment)
        .catch((error: unknown) => ({ kind: 'unknown', reason: reasonOf(error), details: {} })),
    ...(refund && { refund: (request) => refund(request).catch(unknownRefund) }),
    ...(queryRefund && { queryRefund: (question) => queryRefund(question).catch(unknownRefund) }),
  };
}

function unknownRefund(error: unknown): RefundResult {
  const neverSent = error instanceof OutboundError && error.neverSent;
  return { kind: 'unknown', reason: reasonOf(error), neverSent, details: {} };
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 255);
