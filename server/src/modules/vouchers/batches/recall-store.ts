import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

const voidAvailable = statement(
  'vouchers_void_available_of_batch',
  `UPDATE vouchers SET status = 'voided', void_reason = $2 WHERE batch_id = $1 AND status = 'available'`,
);

export async function voidAvailableOfBatch(tx: Tx, batchId: number, reason: string): Promise<number> {
  return (await tx.query(voidAvailable, [batchId, reason])).count;
}

const holding = statement(
  'vouchers_orders_holding_batch',
  `SELECT DISTINCT item.order_id FROM vouchers JOIN order_items AS item ON item.id = vouchers.order_item_id
   WHERE vouchers.batch_id = $1 AND vouchers.status = 'reserved' ORDER BY item.order_id`,
);

export async function listHoldingOrders(reader: Reader, batchId: number): Promise<number[]> {
  return (await reader.query<{ order_id: number }>(holding, [batchId])).rows.map((row) => row.order_id);
}

const voidHeld = statement(
  'vouchers_void_held_of_order',
  `UPDATE vouchers
   SET status = 'voided', void_reason = $3, order_item_id = NULL, unit_no = NULL, reserved_until = NULL
   FROM order_items AS item
   WHERE item.order_id = $2 AND vouchers.order_item_id = item.id AND vouchers.batch_id = $1
     AND vouchers.status = 'reserved'`,
);

/** Under the order's lock. */
export async function voidHeldOfOrder(
  tx: Tx,
  target: { batchId: number; orderId: number; reason: string },
): Promise<number> {
  return (await tx.query(voidHeld, [target.batchId, target.orderId, target.reason])).count;
}

export interface SoldRow {
  readonly voucher_id: number;
  readonly order_id: number;
  readonly order_number: string;
  readonly order_item_id: number;
  readonly delivery_email: string | null;
  readonly assigned_at: Date;
}

const sold = statement(
  'vouchers_sold_of_batch',
  `SELECT vouchers.id AS voucher_id, orders.id AS order_id, orders.order_number, item.id AS order_item_id,
          orders.delivery_email, vouchers.assigned_at
   FROM vouchers
   JOIN order_items AS item ON item.id = vouchers.order_item_id
   JOIN orders ON orders.id = item.order_id
   WHERE vouchers.batch_id = $1 AND vouchers.status = 'assigned' ORDER BY vouchers.id LIMIT $2`,
);

/** To whom units of a batch were delivered. */
export async function listSoldOfBatch(reader: Reader, batchId: number, most: number): Promise<SoldRow[]> {
  return (await reader.query<SoldRow>(sold, [batchId, most])).rows;
}
