import type { AppOptions } from './app-options.ts';
import { auditOf } from './compose-operations.ts';
import { openAlert, resolveAlertsOfCause } from './modules/alerts/index.ts';
import { createEvents } from './modules/events/index.ts';
import type { Events } from './modules/events/index.ts';
import type { Random } from './platform/random.ts';
import type { SecretBox } from './platform/secret-box.ts';

const causeOf = (endpointId: number): string => `webhook:${endpointId}`;

/** Events to the outside. Alerts record events, so the module of events is handed its alerts from here. */
export function composeEvents(options: AppOptions, made: { random: Random; box: SecretBox }): Events {
  const { config, db, log, clock } = options;
  return createEvents({
    ...made,
    db,
    log,
    clock,
    recordAudit: auditOf,
    allowPrivate: config.webhookAllowPrivate,
    natsUrl: config.natsUrl,
    alertDisabled: async (tx, { id, url, reason }) => {
      const why = reason === 'gone' ? 'it answered 410 Gone' : 'nothing got through for five days';
      await openAlert(tx, {
        type: 'webhook_disabled',
        orderId: null,
        cause: causeOf(id),
        message: `Webhook endpoint ${id} at ${new URL(url).host} is disabled: ${why}`,
        details: { webhook_id: id, reason },
      });
    },
    resolveDisabled: (tx, id) =>
      resolveAlertsOfCause(tx, { type: 'webhook_disabled', cause: causeOf(id), notes: 'Enabled or deleted' }),
  });
}
