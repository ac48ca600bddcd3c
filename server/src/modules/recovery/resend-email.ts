import type { Tx } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { hasWhatWasSold, prepareOrderEmail } from '../fulfillment/index.ts';
import { listMessagesOfOrder } from '../mail/index.ts';
import { setDeliveryEmail } from '../orders/index.ts';
import { listAssignedVouchers } from '../vouchers/index.ts';
import type { Actor, RecoveryDeps } from './enter-manual-codes.ts';
import { openRecovery } from './open-recovery.ts';
import type { OpenRecovery, RecoveryRequest } from './open-recovery.ts';
import { settleRecovery } from './settle-recovery.ts';
import type { RecoveryAct, RecoveryOutcome } from './settle-recovery.ts';

export interface ResendRequest extends RecoveryRequest {
  readonly actor: Actor;
  /** Where it goes from now on, when the address was wrong. */
  readonly recipientEmail: string | undefined;
  /** Who may not see codes may not have them sent anywhere else either. */
  readonly mayChangeRecipient: boolean;
}

/**
 * Sends the order's letter with all its stored codes. When the codes were stored and only the letter had failed, this
 * fulfils the items and, with the last of them, the order (decisions 6.2).
 *
 * @throws NOT_FOUND; BAD_REQUEST when it is not paid or has nothing to send; FORBIDDEN to change the address;
 *   CONFLICT while the letter is under way or another operator is at work.
 */
export async function resendOrderEmail(deps: RecoveryDeps, request: ResendRequest): Promise<RecoveryOutcome> {
  const act = await inTransaction(deps.db, (tx) => prepare(deps, tx, request));
  return settleRecovery(deps, act);
}

async function prepare(deps: RecoveryDeps, tx: Tx, request: ResendRequest): Promise<RecoveryAct> {
  const opened = await openRecovery(tx, deps, {
    ...request,
    itemIds: [],
    hasCodes: true,
    mayBeAutomatic: true,
  });
  const { order, items, token, correlationId } = opened;
  await refuseEmpty(tx, opened);
  const recipient = await chooseRecipient(tx, opened, request);
  const message = await prepareOrderEmail(tx, deps, { order, items, recipient });
  await deps.recordAudit(tx, {
    ...request.actor,
    action: 'orders:resend-email',
    resource: `order:${order.id}`,
    before: { delivery_email: order.delivery_email },
    after: { delivery_email: recipient, correlation_id: correlationId, notes: request.notes },
  });
  return {
    order,
    token,
    correlationId,
    type: 'RESEND_EMAIL',
    adminId: request.adminId,
    notes: request.notes,
    items: [],
    messageId: message.id,
  };
}

async function refuseEmpty(tx: Tx, { order, items }: OpenRecovery): Promise<void> {
  const [vouchers, messages] = await Promise.all([
    listAssignedVouchers(
      tx,
      items.map((item) => item.id),
    ),
    listMessagesOfOrder(tx, order.id),
  ]);
  // While the service works on an order by itself, its letter is there exactly when nothing is missing any more.
  const isReady =
    order.status === 'PENDING'
      ? messages.length > 0
      : vouchers.length > 0 || items.some((item) => hasWhatWasSold(item, 0));
  if (isReady) return;
  throw new AppError('BAD_REQUEST', `Order ${order.order_number} has no codes to send yet`, {
    data: { type: 'NothingToSend' },
  });
}

async function chooseRecipient(
  tx: Tx,
  { order }: OpenRecovery,
  { recipientEmail, mayChangeRecipient }: ResendRequest,
): Promise<string> {
  if (recipientEmail === undefined || recipientEmail === order.delivery_email) {
    if (order.delivery_email !== null) return order.delivery_email;
    throw new AppError('BAD_REQUEST', `Order ${order.order_number} has no address to send to`);
  }
  if (!mayChangeRecipient) {
    throw new AppError('FORBIDDEN', 'Sending codes to another address needs the permission vouchers:reveal');
  }
  await setDeliveryEmail(tx, order.id, recipientEmail);
  return recipientEmail;
}
