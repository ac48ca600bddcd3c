import { createAlerts } from './modules/alerts/index.ts';
import { findVariantToStock } from './modules/catalogue/index.ts';
import type { Catalogue } from './modules/catalogue/index.ts';
import { releaseUnpaidOrder } from './modules/checkout/index.ts';
import type { Fulfillment } from './modules/fulfillment/index.ts';
import { actorKindOf, recordAudit } from './modules/identity/index.ts';
import type { Mailer } from './modules/mail/index.ts';
import { lockOrder } from './modules/orders/index.ts';
import { createRecovery } from './modules/recovery/index.ts';
import { createReports } from './modules/reports/index.ts';
import { createVault } from './modules/vouchers/index.ts';
import type { RecordAudit } from './platform/audit.ts';
import type { Database } from './platform/db/database.ts';
import type { Endpoint } from './platform/http/endpoint.ts';
import type { Sweep } from './platform/jobs/sweeps.ts';
import type { Logger } from './platform/log.ts';
import type { Random } from './platform/random.ts';
import type { SecretBox } from './platform/secret-box.ts';
import type { Clock } from './platform/time.ts';

export interface OperationsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: Random;
  readonly box: SecretBox;
  readonly mailer: Mailer;
  readonly fulfillment: Pick<Fulfillment, 'purchaseForItem'>;
  readonly catalogue: Pick<Catalogue, 'noteChange'>;
}

export interface Operations {
  readonly adminEndpoints: Endpoint[];
  readonly sweeps: Sweep[];
}

/** What operators work with: recovery of orders, alerts, the vault, and the lists they read. */
export function composeOperations({ fulfillment, catalogue, ...shop }: OperationsDeps): Operations {
  const deps = { ...shop, recordAudit: auditOf, mailDomain: shop.mailer.domain };
  const { purchaseForItem } = fulfillment;
  const noteStockChange = (): void => catalogue.noteChange();
  const vault = createVault({ ...deps, findVariantToStock, lockOrder, noteStockChange });
  const modules = [
    createRecovery({ ...deps, releaseUnpaidOrder, purchaseForItem }),
    createReports(deps),
    createAlerts(deps),
    vault,
  ];
  return { adminEndpoints: modules.flatMap((one) => one.adminEndpoints), sweeps: vault.sweeps };
}

/** The audit log of the identity module, in the form that every module is given. */
export const auditOf: RecordAudit = (tx, entry) => {
  const { adminId, sessionId, ip, userAgent, requestId, action, resource, before, after } = entry;
  const [type = resource, id = null] = resource.split(':');
  return recordAudit(tx, {
    actor: { kind: actorKindOf(sessionId), adminId, sessionId, ip, userAgent, requestId },
    action,
    resource: { type, id },
    before,
    after,
  });
};
