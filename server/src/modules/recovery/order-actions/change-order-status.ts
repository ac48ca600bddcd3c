import type { RecordAudit } from '../../../platform/audit.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { openAlert } from '../../alerts/index.ts';
import { recordEvents } from '../../events/index.ts';
import { applyOrderFact, listOrderItems, lockOrder, orderNotFound } from '../../orders/index.ts';
import type { OrderRow, OrderStatus } from '../../orders/index.ts';
import { giveUpSessions } from '../../payments/index.ts';
import type { Actor } from '../enter-manual-codes.ts';
import { insertNote } from './order-action-store.ts';
import { planStatusChange } from './status-rules.ts';

export interface ChangeOrderStatusDeps {
  readonly db: Database;
  readonly recordAudit: RecordAudit;
  /** Gives back what an unpaid order holds and cancels it, under its lock. */
  readonly releaseUnpaidOrder: (
    tx: Tx,
    order: OrderRow,
    cause: { fact: 'cancelled'; reason: string },
  ) => Promise<void>;
}

export interface StatusRequest {
  readonly orderId: number;
  readonly status: OrderStatus;
  readonly notes: string | null;
  readonly actor: Actor;
}

/**
 * An operator takes an order out of the automatic work, or gives up an unpaid one.
 *
 * @throws NOT_FOUND; BAD_REQUEST for any other move (decisions 4.15).
 */
export async function changeOrderStatus(deps: ChangeOrderStatusDeps, request: StatusRequest): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const order = await lockOrder(tx, request.orderId);
    if (!order) throw orderNotFound();
    const facts = {
      status: order.status,
      isPaid: order.paid_at !== null,
      holdsUnits: order.held_until !== null,
    };
    const plan = planStatusChange(facts, request.status);
    if (plan instanceof AppError) throw plan;
    if (plan === 'cancel') {
      await deps.releaseUnpaidOrder(tx, order, { fact: 'cancelled', reason: 'cancelled_by_operator' });
    } else if (request.status === 'CANCELLED') {
      // It had run out of time; now somebody says no.
      await giveUpSessions(tx, order.id, ['PENDING', 'FAILED', 'CANCELLED']);
    } else if (plan === 'ask_attention') await askAttention(tx, order, request.notes);
    const { notes, actor } = request;
    if (notes) await insertNote(tx, { orderId: order.id, adminId: actor.adminId, text: notes });
    await deps.recordAudit(tx, {
      ...actor,
      action: 'orders:status',
      resource: `order:${order.id}`,
      before: { status: order.status },
      after: { status: request.status, notes },
    });
  });
}

/** Like every order that needs a person it has an alert, which the recovery that ends it resolves. */
async function askAttention(tx: Tx, order: OrderRow, notes: string | null): Promise<void> {
  const items = await listOrderItems(tx, [order.id]);
  await applyOrderFact(tx, { orderId: order.id, fact: 'attentionAsked', to: 'NEEDS_ATTENTION' });
  await openAlert(tx, {
    type: items.some((item) => item.fulfilled) ? 'fulfillment_partial' : 'fulfillment_failed',
    orderId: order.id,
    cause: `order:${order.id}`,
    message: `An operator set order ${order.order_number} to NEEDS_ATTENTION${notes ? `: ${notes}` : ''}`,
    details: { asked_by_operator: true },
  });
  const data = { order_id: order.id, order_number: order.order_number, reason: 'asked_by_operator' };
  await recordEvents(tx, [{ type: 'order.needs_attention', stream: `order:${order.id}`, data }]);
}
