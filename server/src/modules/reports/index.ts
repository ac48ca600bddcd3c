import type { Endpoint } from '../../platform/http/endpoint.ts';
import { custodyRoutes } from './custody/routes.ts';
import type { ReadOrderDeps } from './orders/read-order.ts';
import { orderReportRoutes } from './orders/routes.ts';
import type { QueueDeps } from './queue/routes.ts';
import { queueRoutes } from './queue/routes.ts';
import { timelineRoutes } from './timeline/routes.ts';

// What the identity module asks about a customer; compose-identity.ts hands it over.
export {
  countUnfinishedOrders,
  findCustomersByOrderNumber,
  listOrdersOfCustomer,
  listPaymentsOfCustomer,
} from './customers/customer-records-store.ts';

export type ReportsDeps = ReadOrderDeps & QueueDeps;

/** What operators read: joins over everything, no state of its own. */
export function createReports(deps: ReportsDeps): { readonly adminEndpoints: Endpoint[] } {
  return {
    adminEndpoints: [
      ...queueRoutes(deps),
      ...orderReportRoutes(deps),
      ...timelineRoutes(deps),
      ...custodyRoutes(deps),
    ],
  };
}
