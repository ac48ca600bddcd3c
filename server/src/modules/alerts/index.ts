export { alertSeverities, openAlert, resolveAlertsOfOrder } from './alerts.ts';
export type { AlertType, NewAlert } from './alerts.ts';
