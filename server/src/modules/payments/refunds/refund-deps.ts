import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Random } from '../../../platform/random.ts';
import type { Clock } from '../../../platform/time.ts';
import type { Gateways } from '../gateways/registry.ts';

/** What deciding about refunds needs. */
export interface RefundDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly gateways: Gateways;
  readonly recordAudit: RecordAudit;
}

/** Who acts, and from where. */
export type Actor = AuditActor;
