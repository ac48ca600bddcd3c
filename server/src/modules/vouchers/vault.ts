import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { HandleVoucherDeps } from './admin/handle-voucher.ts';
import { voucherRoutes } from './admin/routes.ts';
import { batchRoutes } from './batches/routes.ts';
import type { BatchRoutesDeps } from './batches/routes.ts';
import { stockRoutes } from './stock/routes.ts';
import type { StockRoutesDeps } from './stock/routes.ts';
import { stockSweep } from './stock/watch-stock.ts';

export type VaultDeps = BatchRoutesDeps & HandleVoucherDeps & StockRoutesDeps;

export interface Vault {
  readonly adminEndpoints: Endpoint[];
  readonly sweeps: Sweep[];
}

/** The vault under operators' hands: batches, codes, stock. */
export function createVault(deps: VaultDeps): Vault {
  return {
    adminEndpoints: [...batchRoutes(deps), ...voucherRoutes(deps), ...stockRoutes(deps)],
    sweeps: [stockSweep(deps)],
  };
}
