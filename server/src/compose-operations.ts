import type { AppOptions } from './app.ts';
import { releaseUnpaidOrder } from './modules/checkout/index.ts';
import { recordAudit } from './modules/identity/index.ts';
import type { Mailer } from './modules/mail/index.ts';
import { createRecovery } from './modules/recovery/index.ts';
import type { RecordAudit } from './platform/audit.ts';
import type { Endpoint } from './platform/http/endpoint.ts';
import type { Random } from './platform/random.ts';
import type { SecretBox } from './platform/secret-box.ts';

export interface OperationsSurroundings {
  readonly random: Random;
  readonly box: SecretBox;
  readonly mailer: Mailer;
}

export interface Operations {
  readonly adminEndpoints: Endpoint[];
}

/** What operators work with: recovery of orders, alerts, the vault, and the lists they read. */
export function composeOperations(options: AppOptions, around: OperationsSurroundings): Operations {
  const { db, clock, log } = options;
  const { mailer } = around;
  const deps = { db, clock, log, ...around, recordAudit: auditOf, mailDomain: mailer.domain };
  const recovery = createRecovery({ ...deps, releaseUnpaidOrder });
  return { adminEndpoints: [...recovery.adminEndpoints] };
}

/** The audit log of the identity module, in the form that every module is given. */
export const auditOf: RecordAudit = (tx, entry) => {
  const { adminId, ip, requestId, action, resource, before, after } = entry;
  const [type = resource, id = null] = resource.split(':');
  return recordAudit(tx, {
    actor: { kind: 'admin', adminId, sessionId: null, ip, userAgent: null, requestId },
    action,
    resource: { type, id },
    before,
    after,
  });
};
