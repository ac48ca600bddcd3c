import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { resourceEndpoints } from '../../../platform/resource/resource-endpoints.ts';
import type { ResourceDeps } from '../../../platform/resource/resource.ts';
import type { Clock } from '../../../platform/time.ts';
import type { Stock } from '../catalogue-snapshot.ts';
import { mediaEndpoints } from '../media/media-routes.ts';
import { priceEndpoints } from '../pricing/price-routes.ts';
import { settingEndpoints } from '../settings/setting-routes.ts';
import { transferEndpoints } from '../transfer/transfer-routes.ts';
import { bulkProductEndpoint } from './bulk-product-routes.ts';
import { catalogueResources } from './catalogue-resources.ts';
import { productResource } from './product-resource.ts';

export interface AdminDeps extends ResourceDeps {
  readonly clock: Clock;
  readonly stock: Stock;
}

/** What operators do with the catalogue (interface part 4, "Admin: products and curation"). */
export function adminEndpoints(deps: AdminDeps): Endpoint[] {
  const resources = catalogueResources(deps);
  const products = productResource(deps.clock);
  return [
    ...resources.flatMap((resource) => resourceEndpoints(resource, deps)),
    bulkProductEndpoint(products, deps),
    ...transferEndpoints(products, deps),
    ...mediaEndpoints(deps),
    ...priceEndpoints(deps),
    ...settingEndpoints(deps),
  ];
}
