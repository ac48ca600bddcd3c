import { handleJob } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/queue.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { OutboundClient } from '../../platform/outbound/outbound-client.ts';
import type { Random } from '../../platform/random.ts';
import { paymentAdminRoutes } from './admin/payment-admin-routes.ts';
import type { PaymentAdminDeps } from './admin/payment-admin-routes.ts';
import { callbackRoutes } from './callback-routes.ts';
import type { CallbackRoutesDeps } from './callback-routes.ts';
import { createGatewayTokens } from './gateway-token-store.ts';
import type { GatewayTokenDeps } from './gateway-token-store.ts';
import { buildGateways } from './gateways/definitions.ts';
import type { GatewaySettings } from './gateways/definitions.ts';
import { createGateways } from './gateways/registry.ts';
import type { Gateways } from './gateways/registry.ts';
import type { InitiatePaymentDeps } from './sessions/initiate-payment.ts';
import { verifyPaymentJob } from './jobs.ts';
import { createRefunds } from './refunds/index.ts';
import type { RefundsDeps } from './refunds/index.ts';
import { paymentRoutes, verificationRoutes } from './routes.ts';
import { paymentSweep } from './sweep-payments.ts';
import { verifyPayment } from './verify-payment.ts';

export { gatewayTokenSeals } from './gateway-token-store.ts';
export { giveUpSessions, isBeingCharged } from './captures/capture-store.ts';
export { beginPayment } from './sessions/begin-payment.ts';
export { gatewayFor, initiatePayment } from './sessions/initiate-payment.ts';
export type { InitiatePaymentDeps } from './sessions/initiate-payment.ts';
export { openSession } from './sessions/open-session.ts';
export type { OpenedPayment } from './sessions/open-session.ts';
export { paymentStates } from './payment-states.ts';
export { refundStates } from './refunds/index.ts';
export { findPaymentStatus, listPaymentsOfOrder } from './payment-store.ts';
export { methodSchema, openedPaymentSchema, toPaymentStatusWire } from './payment-wire.ts';
export type { GatewaySettings } from './gateways/definitions.ts';
export { describeGatewaySettings } from './gateways/describe-settings.ts';
export type { GatewayHealth, Gateways } from './gateways/registry.ts';
export { gatewayNames } from './gateways/gateway.ts';
export type { ConfiguredGateway, Gateway, GatewayName } from './gateways/gateway.ts';
export { isUnanswered } from './verify-schedule.ts';
export { verifyPayment } from './verify-payment.ts';
export type { VerifyPaymentDeps } from './verify-payment.ts';

export interface PaymentsDeps
  extends InitiatePaymentDeps, CallbackRoutesDeps, PaymentAdminDeps, RefundsDeps {}

/**
 * The gateways that are configured, each with its own guarded line and the shared tokens.
 *
 * @throws Error that names the variable, when one is configured by half.
 */
export function openGateways(
  settings: GatewaySettings,
  deps: GatewayTokenDeps & { readonly http: OutboundClient; readonly random: Random },
): Gateways {
  return createGateways(buildGateways(settings, { ...deps, tokens: createGatewayTokens(deps) }));
}

export interface Payments {
  /** What opening a session needs, for checkout, which opens one with the order. */
  readonly initiateDeps: InitiatePaymentDeps;
  readonly clientEndpoints: Endpoint[];
  readonly adminEndpoints: Endpoint[];
  readonly jobHandlers: JobHandler[];
  readonly sweeps: Sweep[];
}

export function createPayments(deps: PaymentsDeps): Payments {
  const refunds = createRefunds(deps);
  return {
    initiateDeps: deps,
    clientEndpoints: [...paymentRoutes(deps), ...verificationRoutes(deps), ...callbackRoutes(deps)],
    adminEndpoints: [...paymentAdminRoutes(deps), ...refunds.adminEndpoints],
    jobHandlers: [
      ...refunds.jobHandlers,
      handleJob(verifyPaymentJob, async ({ paymentId }) => {
        await verifyPayment(deps, { paymentId, askedBy: 'sweep' });
      }),
    ],
    sweeps: [paymentSweep(deps), ...refunds.sweeps],
  };
}
