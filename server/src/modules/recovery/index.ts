import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { RecoveryDeps as ManualRecoveryDeps } from './enter-manual-codes.ts';
import type { ChangeOrderStatusDeps } from './order-actions/change-order-status.ts';
import { orderActionRoutes } from './order-actions/routes.ts';
import { recoveryRoutes } from './routes.ts';

export type RecoveryDeps = ManualRecoveryDeps & ChangeOrderStatusDeps;

/** What operators do to orders (interface part 4, fulfillment recovery). */
export function createRecovery(deps: RecoveryDeps): { readonly adminEndpoints: Endpoint[] } {
  return { adminEndpoints: [...recoveryRoutes(deps), ...orderActionRoutes(deps)] };
}
