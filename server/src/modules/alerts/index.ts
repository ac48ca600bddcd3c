import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { HandleAlertDeps } from './handle-alert.ts';
import { alertRoutes } from './routes.ts';

export {
  alertSeverities,
  openAlert,
  openNewAlert,
  resolveAlertsOfCause,
  resolveAlertsOfOrder,
} from './alerts.ts';
export type { AlertType, NewAlert } from './alerts.ts';

/** Operators read alerts and deal with them; other modules open them in their own transactions. */
export function createAlerts(deps: HandleAlertDeps): { readonly adminEndpoints: Endpoint[] } {
  return { adminEndpoints: alertRoutes(deps) };
}
