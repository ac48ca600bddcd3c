import type { Tx } from '../../../platform/db/database.ts';
import { markItemsBegun } from '../../orders/index.ts';
import type { OrderRow } from '../../orders/index.ts';
import { assignVouchersOfOrder } from '../../vouchers/index.ts';
import { queueFirstLetter } from '../queue-order-email.ts';
import type { QueueOrderEmailDeps } from '../queue-order-email.ts';
import { listItemsToHandOver } from './hand-over-store.ts';
import type { ItemToHandOver } from './hand-over-store.ts';

/**
 * What gives an order everything that is held for it and queues its letter: sends all its statements at once and needs
 * none of their answers. Undefined where that is not all there is to do; `fulfillOrder` does it then, as a job.
 */
export type HandOver = (order: OrderRow) => (() => Promise<unknown>) | undefined;

/**
 * Looks at what an order holds while it is being paid, so that the plain case, every unit reserved in the stock, is
 * delivered by the transaction that knows of the money: no job, no second transaction. The caller has locked the order
 * and sends this behind the lock, in the same packet.
 */
export async function prepareHandOver(deps: QueueOrderEmailDeps, tx: Tx, orderId: number): Promise<HandOver> {
  const items = await listItemsToHandOver(tx, orderId);
  const digests = items.flatMap((item) => item.code_digests);
  return (order) => {
    const recipient = order.delivery_email;
    if (recipient === null || items.length === 0 || !items.every(holdsAll)) return undefined;
    return () =>
      Promise.all([
        assignVouchersOfOrder(tx, orderId),
        markItemsBegun(tx, orderId),
        queueFirstLetter(tx, deps, { order, recipient, digests }),
      ]);
  };
}

const holdsAll = (item: ItemToHandOver): boolean =>
  item.is_unbegun && item.code_digests.length === item.quantity;
