import type { Tx } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { AuditActor, RecordAudit } from '../../platform/audit.ts';
import { prepareOrderEmail } from '../fulfillment/index.ts';
import type { DeliverOrderEmailDeps, QueueOrderEmailDeps } from '../fulfillment/index.ts';
import { setItemStatuses } from '../orders/index.ts';
import { releaseExpiredVouchers, saveManualCodes } from '../vouchers/index.ts';
import type { ItemCodes } from '../vouchers/index.ts';
import { checkTypedCodes, hasCode } from './manual-code-input.ts';
import type { TypedCode } from './manual-code-input.ts';
import { openRecovery } from './open-recovery.ts';
import type { OpenRecovery, RecoveryRequest } from './open-recovery.ts';
import { settleRecovery } from './settle-recovery.ts';
import type { RecoveryAct, RecoveryOutcome } from './settle-recovery.ts';

export interface RecoveryDeps extends DeliverOrderEmailDeps, QueueOrderEmailDeps {
  readonly recordAudit: RecordAudit;
}

export type Actor = AuditActor;

export interface ManualEntry extends RecoveryRequest {
  readonly actor: Actor;
  readonly items: readonly {
    readonly orderItemId: number;
    readonly variantId?: number | undefined;
    readonly partnerId: number | null;
    readonly codes: readonly TypedCode[];
    /** Where its codes stand in the request. */
    readonly field: string;
  }[];
  /** One item, where the missing units alone may be named (decisions 6.2). */
  readonly mayNameMissingOnly: boolean;
}

/**
 * Operators type in the codes of items: they are stored for good, then the order's letter goes out with every code it
 * has so far. All items are checked before anything is written. The same request again is safe: stored codes stay,
 * and a letter that did not get through is tried again.
 *
 * @throws NOT_FOUND, BAD_REQUEST, CONFLICT, VALIDATION_ERROR (interface part 7, decisions 6.2)
 */
export async function enterManualCodes(deps: RecoveryDeps, entry: ManualEntry): Promise<RecoveryOutcome> {
  const act = await inTransaction(deps.db, (tx) => storeCodes(deps, tx, entry));
  return settleRecovery(deps, act);
}

async function storeCodes(deps: RecoveryDeps, tx: Tx, entry: ManualEntry): Promise<RecoveryAct> {
  const itemIds = entry.items.map((item) => item.orderItemId);
  const hasCodes = entry.items.every((item) => hasCode(item.codes));
  const opened = await openRecovery(tx, deps, { ...entry, itemIds, hasCodes });
  const { order, items, token, correlationId } = opened;
  await releaseExpiredVouchers(tx, order.id);
  const saved = await saveManualCodes(tx, deps.box, checkedItems(deps, entry, opened));
  await setItemStatuses(tx, itemIds, 'PROCESSING');
  const recipient = order.delivery_email;
  const message = recipient === null ? null : await prepareOrderEmail(tx, deps, { order, items, recipient });
  await deps.recordAudit(tx, {
    ...entry.actor,
    action: entry.mayNameMissingOnly ? 'orders:manual-code' : 'orders:manual-codes',
    resource: `order:${order.id}`,
    after: { correlation_id: correlationId, items: saved, notes: entry.notes },
  });
  return {
    order,
    token,
    correlationId,
    type: 'MANUAL_CODE_INPUT',
    adminId: entry.adminId,
    notes: entry.notes,
    items: saved,
    messageId: message?.id ?? null,
  };
}

function checkedItems(deps: RecoveryDeps, entry: ManualEntry, { items }: OpenRecovery): ItemCodes[] {
  const now = deps.clock.now();
  return entry.items.map(({ orderItemId, variantId, codes, field, partnerId }) => {
    const item = items.find(({ id }) => id === orderItemId);
    if (!item) throw new Error(`Item ${orderItemId} has passed the guards and is not there`);
    if (variantId !== undefined && variantId !== item.variant_id) {
      throw new AppError(
        'BAD_REQUEST',
        `Item ${orderItemId} is variant ${item.variant_id}, not ${variantId}`,
      );
    }
    return {
      orderItemId,
      variantId: item.variant_id,
      quantity: item.quantity,
      codes: checkTypedCodes({ typed: codes, field, partnerId }, now),
      field,
      mayNameMissingOnly: entry.mayNameMissingOnly,
    };
  });
}
