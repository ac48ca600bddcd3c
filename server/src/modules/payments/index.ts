import { handleJob } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/queue.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { callbackRoutes } from './callback-routes.ts';
import type { CallbackRoutesDeps } from './callback-routes.ts';
import type { InitiatePaymentDeps } from './initiate-payment.ts';
import { verifyPaymentJob } from './jobs.ts';
import { paymentRoutes } from './routes.ts';
import { paymentSweep } from './sweep-payments.ts';
import { verifyPayment } from './verify-payment.ts';

export { initiatePayment } from './initiate-payment.ts';
export type { InitiatePaymentDeps, OpenedPayment } from './initiate-payment.ts';
export { paymentStates } from './payment-states.ts';
export { findPaymentStatus, listPaymentsOfOrder } from './payment-store.ts';
export { methodSchema, openedPaymentSchema, toPaymentStatusWire } from './payment-wire.ts';
export { buildGateways } from './gateways/definitions.ts';
export type { GatewaySettings } from './gateways/definitions.ts';
export { createGateways } from './gateways/registry.ts';
export type { Gateways } from './gateways/registry.ts';
export { gatewayNames } from './gateways/gateway.ts';
export type { Gateway, GatewayName } from './gateways/gateway.ts';
export { verifyPayment } from './verify-payment.ts';
export type { VerifyPaymentDeps } from './verify-payment.ts';

export interface PaymentsDeps extends InitiatePaymentDeps, CallbackRoutesDeps {}

export interface Payments {
  /** What opening a session needs, for checkout, which opens one with the order. */
  readonly initiateDeps: InitiatePaymentDeps;
  readonly clientEndpoints: Endpoint[];
  readonly jobHandlers: JobHandler[];
  readonly sweeps: Sweep[];
}

export function createPayments(deps: PaymentsDeps): Payments {
  return {
    initiateDeps: deps,
    clientEndpoints: [...paymentRoutes(deps), ...callbackRoutes(deps)],
    jobHandlers: [
      handleJob(verifyPaymentJob, async ({ paymentId }) => {
        await verifyPayment(deps, { paymentId, askedBy: 'sweep' });
      }),
    ],
    sweeps: [paymentSweep(deps)],
  };
}
