import type { Database, Tx } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { createRound } from '../../platform/jobs/rounds.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { Clock } from '../../platform/time.ts';
import { releaseDiscountUse } from '../discounts/index.ts';
import { recordEvents } from '../events/index.ts';
import { applyOrderFact, listExpiredHolds, lockOrder, orderNotFound, setOrderHold } from '../orders/index.ts';
import type { OrderRow } from '../orders/index.ts';
import {
  giveUpSessions,
  isBeingCharged,
  isUnanswered,
  listPaymentsOfOrder,
  verifyPayment,
} from '../payments/index.ts';
import type { VerifyPaymentDeps } from '../payments/index.ts';
import { releaseReservedVouchers } from '../vouchers/index.ts';

export interface ReleaseOrderDeps extends VerifyPaymentDeps {
  readonly db: Database;
  readonly clock: Clock;
}

const BATCH = 50;
const AT_ONCE = 5;

/** Gives back what unpaid orders hold past their time (decisions 4.5). */
export function expirySweep(deps: ReleaseOrderDeps): Sweep {
  const round = createRound(BATCH);
  return {
    name: 'expire-unpaid-orders',
    everySeconds: 5,
    async run() {
      const at = deps.clock.now();
      const expired = await listExpiredHolds(deps.db, { at, after: round.after(), limit: BATCH });
      round.end(expired);
      // Some at a time, so that a gateway that answers nobody does not keep the stock from everybody.
      await eachOf(expired, AT_ONCE, async ({ id: orderId }) => {
        try {
          await expireOrder(deps, orderId);
        } catch (error) {
          deps.log.error({ err: error, orderId }, 'an unpaid order could not be ended; it is tried again');
        }
      });
    },
  };
}

/**
 * Ends the hold of an unpaid order: first its gateways are asked once more, since it may have been paid without our
 * hearing of it; then its units and its discount use go back, and it is CANCELLED unless it has FAILED already.
 */
export async function expireOrder(deps: ReleaseOrderDeps, orderId: number): Promise<void> {
  await askGatewaysOnceMore(deps, orderId);
  await inTransaction(deps.db, async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order || order.paid_at !== null || order.held_until === null || order.held_until > deps.clock.now())
      return;
    // Its units are for whoever pays in this minute; the next sweep is near.
    if (await isBeingCharged(tx, orderId)) return;
    await releaseUnpaidOrder(tx, order, { fact: 'holdExpired', reason: 'expired' });
  });
}

/**
 * The customer gives up an unpaid order: units and discount use go back at once.
 *
 * @throws NOT_FOUND for somebody else's order; BAD_REQUEST when it is paid, or being paid at this moment.
 */
export async function cancelOrder(
  deps: ReleaseOrderDeps,
  wanted: { userId: number; orderId: number },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const order = await lockOrder(tx, wanted.orderId);
    if (!order || order.user_id !== wanted.userId) throw orderNotFound();
    if (order.paid_at !== null) {
      throw new AppError(
        'BAD_REQUEST',
        `Order ${order.order_number} is paid: it cannot be cancelled any more`,
      );
    }
    await releaseUnpaidOrder(tx, order, { fact: 'cancelled', reason: 'cancelled_by_customer' });
  });
}

/**
 * Gives back what an unpaid order holds and cancels it. The caller has locked it and seen that it is unpaid.
 *
 * @throws BAD_REQUEST when somebody cancels it while a gateway is taking its money: whoever read CANCELLED would be
 * charged all the same.
 */
export async function releaseUnpaidOrder(
  tx: Tx,
  order: OrderRow,
  { fact, reason }: { fact: 'holdExpired' | 'cancelled'; reason: string },
): Promise<void> {
  if (fact === 'cancelled' && (await isBeingCharged(tx, order.id))) {
    throw new AppError(
      'BAD_REQUEST',
      `Order ${order.order_number} is being paid at this moment; look again in a minute`,
    );
  }
  await releaseReservedVouchers(tx, order.id);
  await setOrderHold(tx, { orderId: order.id, until: null, paymentMethod: null });
  // Somebody said no: money that still waits for our word is not taken. One whose time ran out may yet be paid.
  if (fact === 'cancelled') await giveUpSessions(tx, order.id, ['PENDING', 'FAILED', 'CANCELLED']);
  const changed = await applyOrderFact(tx, { orderId: order.id, fact, to: 'CANCELLED' });
  if (changed) {
    const data = { order_id: order.id, order_number: order.order_number, reason };
    await recordEvents(tx, [{ type: 'order.cancelled', stream: `order:${order.id}`, data }]);
  }
  // Last before the commit: the row of a hot code is everybody's.
  if (order.discount_code !== null) await releaseDiscountUse(tx, order.id);
}

async function askGatewaysOnceMore(deps: ReleaseOrderDeps, orderId: number): Promise<void> {
  const payments = await listPaymentsOfOrder(deps.db, orderId);
  // Also those that read FAILED only because their gateway could not tell.
  const open = payments.filter((payment) => isUnanswered(payment.status, payment.failure_reason));
  for (const payment of open) {
    try {
      await verifyPayment(deps, { paymentId: payment.id, askedBy: 'expiry' });
    } catch (error) {
      // One whose gateway is configured no more cannot be asked: its units must not be held for ever.
      deps.log.error(
        { err: error, paymentId: payment.id },
        'a payment could not be asked about at its expiry',
      );
    }
  }
}

async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const take = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, take));
}
