import type { Tx } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { recordEvents } from '../events/index.ts';
import {
  deliverOrderEmail,
  handRejectedToOperator,
  hasWhatWasSold,
  insertAttempts,
  markDelivered,
} from '../fulfillment/index.ts';
import type {
  AttemptStatus,
  AttemptType,
  DeliverOrderEmailDeps,
  EmailSettlement,
} from '../fulfillment/index.ts';
import { listOrderItems, lockOrder, setItemStatuses } from '../orders/index.ts';
import type { OrderItemRow, OrderRow, OrderStatus } from '../orders/index.ts';
import { listAssignedVouchers } from '../vouchers/index.ts';
import { emailUnderWay } from './errors.ts';
import { endRecovery } from './recovery-store.ts';

/** One operator's act on an order whose codes are stored and whose e-mail is still to go out. */
export interface RecoveryAct {
  readonly order: OrderRow;
  /** Proof of the claim on the order. */
  readonly token: string;
  readonly correlationId: string;
  readonly type: Exclude<AttemptType, 'AUTO'>;
  readonly adminId: number;
  readonly notes: string | null;
  /** What it was about, each with the codes it brought; none when it was about the whole order. */
  readonly items: readonly { readonly orderItemId: number; readonly voucherIds: readonly number[] }[];
  /** The letter to send; null for an order without an address. */
  readonly messageId: number | null;
}

export interface RecoveryOutcome {
  readonly correlationId: string;
  readonly status: AttemptStatus;
  readonly emailSent: boolean;
  readonly orderStatus: OrderStatus;
  readonly errorMessage: string | null;
  /** In the order of the act's items; one when it was about the whole order. */
  readonly attemptIds: readonly number[];
}

const describedAs = {
  MANUAL_CODE_INPUT: 'manual code entry',
  PARTNER_RETRY: 'partner retry',
  RESEND_EMAIL: 'resending the e-mail',
};

/**
 * Sends the letter while the operator waits, and writes down what follows (interface part 3, recovery result). The
 * claim on the order ends here, whatever happens.
 *
 * @throws CONFLICT when the letter is under way at this moment.
 */
export async function settleRecovery(
  deps: DeliverOrderEmailDeps,
  act: RecoveryAct,
): Promise<RecoveryOutcome> {
  try {
    const outcome = await sendAndSettle(deps, act);
    if (outcome) return outcome;
    throw emailUnderWay(act.order.order_number);
  } catch (error) {
    await inTransaction(deps.db, (tx) => recordFailure(tx, act, error));
    throw error;
  }
}

function sendAndSettle(deps: DeliverOrderEmailDeps, act: RecoveryAct): Promise<RecoveryOutcome | undefined> {
  if (act.messageId !== null) {
    return deliverOrderEmail(deps, {
      messageId: act.messageId,
      isUrgent: true,
      settle: (tx, settlement) => settleDelivery(tx, deps, { act, settlement }),
    });
  }
  return inTransaction(deps.db, async (tx) => {
    const [order, items] = await Promise.all([
      lockOrder(tx, act.order.id),
      listOrderItems(tx, [act.order.id]),
    ]);
    return order && recordDelivered(tx, deps, { act, order, items });
  });
}

interface Settling {
  readonly act: RecoveryAct;
  readonly settlement: EmailSettlement;
}

async function settleDelivery(
  tx: Tx,
  deps: DeliverOrderEmailDeps,
  { act, settlement }: Settling,
): Promise<RecoveryOutcome> {
  const { order, items, message, delivery } = settlement;
  if (delivery.kind === 'accepted') {
    return recordDelivered(tx, deps, { act, order, items, dispatchedEmail: message.recipient });
  }
  const isHandedOver = delivery.kind === 'rejected' && order.status === 'PENDING';
  if (isHandedOver) await handRejectedToOperator(tx, deps, settlement);
  // While the service goes on trying by itself, the items are what it says they are.
  else if (order.status !== 'PENDING')
    await setItemStatuses(tx, await unsentItems(tx, items), 'DISPATCH_FAILED');
  const errorMessage = `${unsentBecause[delivery.kind]}: ${delivery.reply}`.slice(0, 500);
  const attemptIds = await recordAttempts(tx, act, { status: 'DISPATCH_FAILED', errorMessage });
  await endRecovery(tx, { orderId: order.id, token: act.token });
  return {
    correlationId: act.correlationId,
    status: 'DISPATCH_FAILED',
    emailSent: false,
    orderStatus: isHandedOver ? 'NEEDS_ATTENTION' : order.status,
    errorMessage,
    attemptIds,
  };
}

const unsentBecause = {
  rejected: 'The mail server refused the e-mail',
  not_sent: 'The e-mail was not sent',
  unknown: 'The mail server took the e-mail and did not confirm it; sending again repeats the same letter',
};

interface DeliveredFacts {
  readonly act: RecoveryAct;
  readonly order: OrderRow;
  readonly items: readonly OrderItemRow[];
  readonly dispatchedEmail?: string;
}

async function recordDelivered(
  tx: Tx,
  deps: DeliverOrderEmailDeps,
  { act, ...facts }: DeliveredFacts,
): Promise<RecoveryOutcome> {
  const status = act.type === 'RESEND_EMAIL' ? 'SUCCESS' : 'DISPATCHED';
  const isComplete = await markDelivered(tx, deps, {
    ...facts,
    delivered: await unsentItems(tx, facts.items),
    correlationId: act.correlationId,
    notes: describedAs[act.type],
  });
  const attemptIds = await recordAttempts(tx, act, { status, errorMessage: null });
  await endRecovery(tx, { orderId: facts.order.id, token: act.token });
  return {
    correlationId: act.correlationId,
    status,
    emailSent: facts.dispatchedEmail !== undefined,
    orderStatus: isComplete ? 'SUCCEEDED' : facts.order.status,
    errorMessage: null,
    attemptIds,
  };
}

/** Items that have what they were sold, and whose owner has not been told. */
async function unsentItems(tx: Tx, items: readonly OrderItemRow[]): Promise<number[]> {
  const vouchers = await listAssignedVouchers(
    tx,
    items.map((item) => item.id),
  );
  const isReady = (item: OrderItemRow): boolean =>
    hasWhatWasSold(item, vouchers.filter((voucher) => voucher.order_item_id === item.id).length);
  return items.filter((item) => !item.fulfilled && isReady(item)).map((item) => item.id);
}

/** One row for each item, or one for the whole order, and the event. @returns their ids in the order of the act. */
export async function recordAttempts(
  tx: Tx,
  act: RecoveryAct,
  result: { status: AttemptStatus; errorMessage: string | null },
): Promise<number[]> {
  const { order, type, correlationId } = act;
  const targets = act.items.length > 0 ? act.items : [{ orderItemId: null, voucherIds: [] }];
  const data = { order_id: order.id, order_number: order.order_number, type, status: result.status };
  const [rows] = await Promise.all([
    insertAttempts(
      tx,
      targets.map((target) => ({
        order_id: order.id,
        order_item_id: target.orderItemId,
        type,
        status: result.status,
        correlation_id: correlationId,
        error_message: result.errorMessage,
        notes: act.notes,
        admin_id: act.adminId,
        voucher_ids: target.voucherIds,
      })),
    ),
    recordEvents(tx, [{ type: 'fulfillment.attempted', stream: `order:${order.id}`, data }]),
  ]);
  return targets.flatMap((target) => rows.find((row) => row.order_item_id === target.orderItemId)?.id ?? []);
}

/** What was stored stays stored: repeating the same request goes on from there. */
export async function recordFailure(tx: Tx, act: RecoveryAct, error: unknown): Promise<void> {
  await endRecovery(tx, { orderId: act.order.id, token: act.token });
  if (error instanceof AppError) return;
  await recordAttempts(tx, act, {
    status: 'FAILED',
    errorMessage: 'Something unexpected went wrong on our side',
  });
}
