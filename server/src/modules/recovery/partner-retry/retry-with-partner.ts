import type { Tx } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { AttemptStatus, ItemPurchase, ItemPurchaseOutcome } from '../../fulfillment/index.ts';
import { prepareOrderEmail } from '../../fulfillment/index.ts';
import { listOrderItems, lockOrder, setItemStatuses } from '../../orders/index.ts';
import type { OrderItemRow, OrderStatus } from '../../orders/index.ts';
import { assignReservedVouchers, releaseExpiredVouchers, withStockRetries } from '../../vouchers/index.ts';
import type { Actor, RecoveryDeps } from '../enter-manual-codes.ts';
import { openRecovery } from '../open-recovery.ts';
import type { OpenRecovery, RecoveryRequest } from '../open-recovery.ts';
import { endRecovery } from '../recovery-store.ts';
import { recordAttempts, recordFailure, settleRecovery } from '../settle-recovery.ts';
import type { RecoveryAct } from '../settle-recovery.ts';
import { takeFromStock } from './take-from-stock.ts';

export interface PartnerRetryDeps extends RecoveryDeps {
  /** Buys what an item lacks while the operator waits. */
  readonly purchaseForItem: (wanted: ItemPurchase) => Promise<ItemPurchaseOutcome>;
}

export interface RetryRequest extends RecoveryRequest {
  readonly actor: Actor;
  /** Every item that is not fulfilled, when left out. */
  readonly itemIds?: readonly number[];
  /** Only this source, and nothing from the stock. */
  readonly partnerSourceId?: number | undefined;
}

export interface ItemRetry {
  readonly orderItemId: number;
  /** `UNCLEAR`: an earlier purchase has no answer yet; nothing was bought and no attempt was made. */
  readonly status: AttemptStatus | 'UNCLEAR';
  readonly attemptId: number | null;
  readonly emailSent: boolean;
  readonly errorMessage: string | null;
}

export interface RetryOutcome {
  readonly correlationId: string;
  readonly orderStatus: OrderStatus;
  readonly items: readonly ItemRetry[];
}

/** All sources of all items of an order, each as slow as it may be. */
const CLAIM_SECONDS = 300;

/**
 * Tries again to get what items lack: from the stock, then from partners, each after a definite no of the one before.
 * Items that have everything then go out with the order's one letter (interface parts 3, 4).
 *
 * @throws NOT_FOUND, BAD_REQUEST, CONFLICT as the recovery guards say; nothing was called or written then.
 */
export async function retryWithPartner(deps: PartnerRetryDeps, request: RetryRequest): Promise<RetryOutcome> {
  const opened = await withStockRetries((attempt) =>
    inTransaction(deps.db, (tx) => begin(deps, tx, { request, attempt })),
  );
  const act: RecoveryAct = {
    ...opened,
    type: 'PARTNER_RETRY',
    adminId: request.adminId,
    notes: request.notes,
    items: opened.targets.map(({ id }) => ({ orderItemId: id, voucherIds: [] })),
    messageId: null,
  };
  const bought = await buy(deps, act, request).catch(async (error: unknown) => {
    await inTransaction(deps.db, (tx) => recordFailure(tx, act, error));
    throw error;
  });
  return deliver(deps, act, bought);
}

type Begun = OpenRecovery & { readonly targets: readonly OrderItemRow[] };

async function begin(
  deps: PartnerRetryDeps,
  tx: Tx,
  { request, attempt }: { request: RetryRequest; attempt: number },
): Promise<Begun> {
  const itemIds = request.itemIds ?? [];
  const scope = { itemIds, hasCodes: true, claimSeconds: CLAIM_SECONDS };
  const opened = await openRecovery(tx, deps, { ...request, ...scope });
  const { order, items, correlationId } = opened;
  const targets = items.filter((item) => (request.itemIds ? itemIds.includes(item.id) : !item.fulfilled));
  if (targets.length === 0) {
    throw new AppError('CONFLICT', `Every item of order ${order.order_number} is fulfilled`);
  }
  const now = deps.clock.now();
  if (request.partnerSourceId === undefined) {
    await takeFromStock(tx, targets, { orderId: order.id, now, attempt });
  } else {
    await keepHeldUnits(tx, order.id, targets);
  }
  await deps.recordAudit(tx, {
    ...request.actor,
    action: 'orders:partner-retry',
    resource: `order:${order.id}`,
    after: {
      correlation_id: correlationId,
      order_item_ids: targets.map(({ id }) => id),
      partner_source_id: request.partnerSourceId ?? null,
      notes: request.notes,
    },
  });
  return { ...opened, targets };
}

/** Units held since the order was created are its own, also for an operator who took it over before it was begun. */
async function keepHeldUnits(tx: Tx, orderId: number, items: readonly OrderItemRow[]): Promise<void> {
  await releaseExpiredVouchers(tx, orderId);
  await assignReservedVouchers(
    tx,
    items.map(({ id }) => id),
  );
}

type Bought = Map<number, ItemPurchaseOutcome>;

/** One item after the other: a partner is not asked for many things at once by one order. */
async function buy(
  deps: PartnerRetryDeps,
  act: RecoveryAct,
  { partnerSourceId }: RetryRequest,
): Promise<Bought> {
  const bought: Bought = new Map();
  const { order, adminId, correlationId } = act;
  for (const { orderItemId } of act.items) {
    const wanted = { orderId: order.id, orderItemId, adminId, correlationId, partnerSourceId };
    const outcome = await deps.purchaseForItem(wanted);
    // Whoever forces a source means that one: a wrong id is the caller's mistake, not a partner's no.
    if (outcome.kind === 'no_source' && partnerSourceId !== undefined) {
      throw new AppError('NOT_FOUND', `Source ${partnerSourceId} cannot be used for item ${orderItemId}`);
    }
    bought.set(orderItemId, outcome);
  }
  return bought;
}

async function deliver(deps: PartnerRetryDeps, act: RecoveryAct, bought: Bought): Promise<RetryOutcome> {
  const { failed, sending, orderStatus } = await inTransaction(deps.db, (tx) =>
    sortOut(deps, tx, { act, bought }),
  );
  const { correlationId } = act;
  if (!sending) return { correlationId, orderStatus, items: inOrder(act, failed) };
  const outcome = await settleRecovery(deps, sending);
  const sent = sending.items.map(({ orderItemId }, index): ItemRetry => ({
    orderItemId,
    status: outcome.status,
    attemptId: outcome.attemptIds[index] ?? null,
    emailSent: outcome.emailSent,
    errorMessage: outcome.errorMessage,
  }));
  return { correlationId, orderStatus: outcome.orderStatus, items: inOrder(act, [...failed, ...sent]) };
}

function inOrder(act: RecoveryAct, items: readonly ItemRetry[]): ItemRetry[] {
  return act.items.flatMap(({ orderItemId }) => items.find((item) => item.orderItemId === orderItemId) ?? []);
}

interface Sorted {
  readonly failed: readonly ItemRetry[];
  /** What goes out now; nothing when no item has everything. */
  readonly sending: RecoveryAct | undefined;
  readonly orderStatus: OrderStatus;
}

/** Writes down what was refused, and prepares the letter for what was had. */
async function sortOut(
  deps: PartnerRetryDeps,
  tx: Tx,
  { act, bought }: { act: RecoveryAct; bought: Bought },
): Promise<Sorted> {
  const [order, items] = await Promise.all([lockOrder(tx, act.order.id), listOrderItems(tx, [act.order.id])]);
  if (!order) throw new Error(`Order ${act.order.id} is gone`);
  const failed = await recordRefusals(tx, act, bought);
  const complete = act.items.flatMap(({ orderItemId }) => {
    const outcome = bought.get(orderItemId);
    return outcome?.kind === 'complete' ? [{ orderItemId, voucherIds: outcome.voucherIds }] : [];
  });
  if (complete.length === 0) {
    await endRecovery(tx, { orderId: order.id, token: act.token });
    return { failed, sending: undefined, orderStatus: order.status };
  }
  const recipient = order.delivery_email;
  const message = recipient === null ? null : await prepareOrderEmail(tx, deps, { order, items, recipient });
  return {
    failed,
    sending: { ...act, items: complete, messageId: message?.id ?? null },
    orderStatus: order.status,
  };
}

async function recordRefusals(tx: Tx, act: RecoveryAct, bought: Bought): Promise<ItemRetry[]> {
  const results: ItemRetry[] = [];
  for (const item of act.items) {
    const outcome = bought.get(item.orderItemId);
    if (!outcome || outcome.kind === 'complete') continue;
    const result = { orderItemId: item.orderItemId, emailSent: false };
    if (outcome.kind === 'purchase_open') {
      results.push({
        ...result,
        status: 'UNCLEAR',
        attemptId: null,
        errorMessage: unclear(outcome.transactionIds),
      });
      continue;
    }
    const { errorMessage } = outcome;
    await setItemStatuses(tx, [item.orderItemId], 'FAILED');
    const about = { ...act, items: [item] };
    const [attemptId = null] = await recordAttempts(tx, about, { status: 'PARTNER_FAILED', errorMessage });
    results.push({ ...result, status: 'PARTNER_FAILED', attemptId, errorMessage });
  }
  return results;
}

const unclear = (transactionIds: readonly number[]): string =>
  `Nobody knows yet whether an earlier purchase was made (partner transaction ${transactionIds.join(', ')}): ` +
  'it is being asked about; requery or resolve it first';
