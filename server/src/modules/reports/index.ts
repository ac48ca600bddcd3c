import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { ReadOrderDeps } from './orders/read-order.ts';
import { orderReportRoutes } from './orders/routes.ts';

export type ReportsDeps = ReadOrderDeps;

/** What operators read: joins over everything, no state of its own. */
export function createReports(deps: ReportsDeps): { readonly adminEndpoints: Endpoint[] } {
  return { adminEndpoints: [...orderReportRoutes(deps)] };
}

export {
  countUnfinishedOrders,
  findCustomersByOrderNumber,
  listOrdersOfCustomer,
  listPaymentsOfCustomer,
} from './customers/customer-records-store.ts';
