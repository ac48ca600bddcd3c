import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { PlaceOrderDeps } from './place-order.ts';
import { expirySweep } from './release-order.ts';
import type { ReleaseOrderDeps } from './release-order.ts';
import { checkoutRoutes } from './routes.ts';

export { holdOrder } from './hold-order.ts';
export { releaseUnpaidOrder } from './release-order.ts';

export interface Checkout {
  readonly clientEndpoints: Endpoint[];
  readonly sweeps: Sweep[];
}

export function createCheckout(deps: PlaceOrderDeps & ReleaseOrderDeps): Checkout {
  return { clientEndpoints: checkoutRoutes(deps), sweeps: [expirySweep(deps)] };
}
