import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { inTransaction, violatedConstraint } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { checkPartnerConfig, checkPartnerCredentials } from '../partners/definitions.ts';
import { sealCredentials } from './partner-directory.ts';
import {
  insertPartner,
  lockPartner,
  setPartnerCredentials,
  setPartnerStatus,
  updatePartner,
} from './partner-store.ts';
import type { NewPartner, PartnerRow } from './partner-store.ts';

export interface SavePartnerDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly recordAudit: RecordAudit;
}

type Settings = Readonly<Record<string, unknown>>;
type Credentials = Readonly<Record<string, string>>;

export interface PartnerInput {
  readonly name: string;
  readonly kind: string;
  readonly config: Settings;
  readonly credentials: Credentials | undefined;
  readonly status: PartnerRow['status'];
  readonly balanceThresholdMinor: number | null;
}

/** @throws VALIDATION_ERROR naming what its kind needs otherwise; CONFLICT for a name that is taken. */
export async function createPartner(
  deps: SavePartnerDeps,
  actor: AuditActor,
  input: PartnerInput,
): Promise<PartnerRow> {
  const { kind, config, credentials, ...values } = input;
  checkPartnerConfig(kind, config);
  if (credentials) checkPartnerCredentials(kind, credentials);
  const credentialsSealed = credentials ? sealCredentials(deps.box, credentials) : null;
  const partner: NewPartner = { kind, config, credentialsSealed, ...values };
  return save(deps, actor, {
    action: 'partners:create',
    write: async (tx) => ({ before: undefined, after: await insertPartner(tx, partner) }),
  });
}

/** Changes what is given and leaves the rest. @throws NOT_FOUND, VALIDATION_ERROR, CONFLICT. */
export async function changePartner(
  deps: SavePartnerDeps,
  actor: AuditActor,
  change: { id: number } & Partial<Pick<PartnerInput, 'name' | 'config' | 'balanceThresholdMinor'>>,
): Promise<PartnerRow> {
  const { id } = change;
  return save(deps, actor, {
    action: 'partners:update',
    write: async (tx) => {
      const before = await lockOrThrow(tx, id);
      const { name = before.name, config = before.config } = change;
      const { balanceThresholdMinor = before.balance_threshold_minor } = change;
      checkPartnerConfig(before.kind, config);
      return { before, after: await updatePartner(tx, { id, name, config, balanceThresholdMinor }) };
    },
  });
}

/** Replaces the credentials. @throws NOT_FOUND, VALIDATION_ERROR. */
export async function replaceCredentials(
  deps: SavePartnerDeps,
  actor: AuditActor,
  change: { id: number; credentials: Credentials },
): Promise<PartnerRow> {
  return save(deps, actor, {
    action: 'partners:credentials',
    write: async (tx) => {
      const before = await lockOrThrow(tx, change.id);
      checkPartnerCredentials(before.kind, change.credentials);
      const credentialsSealed = sealCredentials(deps.box, change.credentials);
      return { before, after: await setPartnerCredentials(tx, { id: change.id, credentialsSealed }) };
    },
  });
}

/** Switches a partner on or off, or off until a moment. @throws NOT_FOUND, VALIDATION_ERROR. */
export async function changePartnerStatus(
  deps: SavePartnerDeps,
  actor: AuditActor,
  change: { id: number; status: PartnerRow['status']; maintenanceUntil: Date | null },
): Promise<PartnerRow> {
  if (change.maintenanceUntil !== null && change.status !== 'maintenance')
    throw fieldError('maintenance_until', 'maintenance_until goes with the status maintenance only');
  return save(deps, actor, {
    action: 'partners:status',
    write: async (tx) => {
      const before = await lockOrThrow(tx, change.id);
      return { before, after: await setPartnerStatus(tx, change) };
    },
  });
}

interface Saving {
  readonly action: string;
  readonly write: (tx: Tx) => Promise<{ before: PartnerRow | undefined; after: PartnerRow | undefined }>;
}

async function save(
  deps: SavePartnerDeps,
  actor: AuditActor,
  { action, write }: Saving,
): Promise<PartnerRow> {
  try {
    return await inTransaction(deps.db, async (tx) => {
      const { before, after } = await write(tx);
      if (!after) throw partnerNotFound();
      await deps.recordAudit(tx, {
        ...actor,
        action,
        resource: `partners:${after.id}`,
        ...(before ? { before: auditedOf(before) } : {}),
        after: auditedOf(after),
      });
      return after;
    });
  } catch (error) {
    if (violatedConstraint(error) !== 'partners__name') throw error;
    throw new AppError('CONFLICT', 'There is a partner with this name already', { cause: error });
  }
}

async function lockOrThrow(tx: Tx, id: number): Promise<PartnerRow> {
  const row = await lockPartner(tx, id);
  if (!row) throw partnerNotFound();
  return row;
}

export const partnerNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such partner');

/** Credentials are told to be there or not, and nothing else of them. */
function auditedOf(row: PartnerRow): Record<string, unknown> {
  const { name, kind, status, maintenance_until, config, balance_threshold_minor } = row;
  const credentials = row.credentials_sealed ? '[secret]' : null;
  return { name, kind, status, maintenance_until, config, balance_threshold_minor, credentials };
}
