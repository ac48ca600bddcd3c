import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import type { Database } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { voucherDigest } from '../voucher-secrets.ts';
import {
  findVouchersByDigest,
  listStoredVouchers,
  lockVoucher,
  updateVoucher,
  voidAvailableVouchers,
} from './voucher-admin-store.ts';
import type { LookedUpRow, StoredVoucherRow } from './voucher-admin-store.ts';

export interface HandleVoucherDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly recordAudit: RecordAudit;
  readonly noteStockChange: () => void;
}

export function voucherNotFound(id: number): AppError {
  return new AppError('NOT_FOUND', `There is no voucher ${id}`);
}

/**
 * Shows one code plain, and writes down who wanted to know it and why, in the same transaction: no reading without
 * its entry.
 *
 * @throws NOT_FOUND
 */
export async function revealVoucher(
  deps: HandleVoucherDeps,
  { id, reason, actor }: { readonly id: number; readonly reason: string; readonly actor: AuditActor },
): Promise<StoredVoucherRow> {
  return inTransaction(deps.db, async (tx) => {
    const [row] = await listStoredVouchers(tx, [id]);
    if (!row) throw voucherNotFound(id);
    const after = { reason, status: row.status, order_item_id: row.order_item_id };
    await deps.recordAudit(tx, { ...actor, action: 'vouchers:reveal', resource: `voucher:${id}`, after });
    return row;
  });
}

/**
 * Finds a code by itself, whole. Also a code that nobody knows is written down: asking is a way of guessing.
 *
 * @throws NOT_FOUND
 */
export async function lookUpCode(
  deps: HandleVoucherDeps,
  { code, actor }: { readonly code: string; readonly actor: AuditActor },
): Promise<LookedUpRow[]> {
  const rows = await inTransaction(deps.db, async (tx) => {
    const found = await findVouchersByDigest(tx, voucherDigest(deps.box, code));
    const after = { voucher_ids: found.map(({ id }) => id) };
    const resource = found[0] ? `voucher:${found[0].id}` : 'voucher';
    await deps.recordAudit(tx, { ...actor, action: 'vouchers:lookup', resource, after });
    return found;
  });
  if (rows.length === 0) throw new AppError('NOT_FOUND', 'The vault does not know this code');
  return rows;
}

export interface VoucherChange {
  readonly id: number;
  readonly expiresAt?: Date | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly note?: string | null | undefined;
  readonly actor: AuditActor;
}

/** @throws NOT_FOUND; CONFLICT when it was voided. */
export async function changeVoucher(
  deps: HandleVoucherDeps,
  change: VoucherChange,
): Promise<StoredVoucherRow> {
  const { id, expiresAt, metadata, note, actor } = change;
  const changed = await inTransaction(deps.db, async (tx) => {
    const before = await lockVoucher(tx, id);
    if (!before) throw voucherNotFound(id);
    if (before.status === 'voided') throw new AppError('CONFLICT', `Voucher ${id} was voided`);
    const after = await updateVoucher(tx, {
      id,
      expiresAt: expiresAt === undefined ? before.expires_at : expiresAt,
      metadata: metadata ?? before.metadata,
      note: note === undefined ? before.note : note,
    });
    if (!after) throw voucherNotFound(id);
    await deps.recordAudit(tx, {
      ...actor,
      action: 'vouchers:change',
      resource: `voucher:${id}`,
      before: { expires_at: before.expires_at, metadata: before.metadata, note: before.note },
      after: { expires_at: after.expires_at, metadata: after.metadata, note: after.note },
    });
    return after;
  });
  deps.noteStockChange();
  return changed;
}

export interface VoidResult {
  readonly id: number;
  /** `not_available`: held, delivered or voided before; nothing was done to it. */
  readonly outcome: 'voided' | 'not_available' | 'unknown';
}

/** Takes codes out of the sale for good. Those that somebody holds or has are left alone. */
export async function voidVouchers(
  deps: HandleVoucherDeps,
  {
    ids,
    reason,
    actor,
  }: { readonly ids: readonly number[]; readonly reason: string; readonly actor: AuditActor },
): Promise<VoidResult[]> {
  const results = await inTransaction(deps.db, async (tx) => {
    const known = new Set((await listStoredVouchers(tx, ids)).map((row) => row.id));
    const voided = await voidAvailableVouchers(tx, ids, reason);
    await deps.recordAudit(tx, {
      ...actor,
      action: 'vouchers:void',
      resource: 'voucher',
      after: { voucher_ids: [...voided], reason },
    });
    return [...new Set(ids)].map((id): VoidResult => {
      if (voided.has(id)) return { id, outcome: 'voided' };
      return { id, outcome: known.has(id) ? 'not_available' : 'unknown' };
    });
  });
  deps.noteStockChange();
  return results;
}
