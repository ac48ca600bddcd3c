import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { ChangeOrderStatusDeps } from './order-actions/change-order-status.ts';
import { orderActionRoutes } from './order-actions/routes.ts';
import type { PartnerRetryDeps } from './partner-retry/retry-with-partner.ts';
import { partnerRetryRoutes } from './partner-retry/routes.ts';
import { recoveryRoutes } from './routes.ts';

export type RecoveryDeps = PartnerRetryDeps & ChangeOrderStatusDeps;

/** What operators do to orders (interface part 4, fulfillment recovery). */
export function createRecovery(deps: RecoveryDeps): { readonly adminEndpoints: Endpoint[] } {
  return {
    adminEndpoints: [...recoveryRoutes(deps), ...partnerRetryRoutes(deps), ...orderActionRoutes(deps)],
  };
}
