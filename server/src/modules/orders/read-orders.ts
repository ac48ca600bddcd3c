import type { Database } from '../../platform/db/database.ts';
import { readTogether } from '../../platform/db/database.ts';
import type { Page } from '../../platform/http/envelope.ts';
import { pageOf } from '../../platform/http/envelope.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { listAssignedVouchers, openVoucher } from '../vouchers/index.ts';
import type { PlainVoucher } from '../vouchers/index.ts';
import { orderNotFound } from './errors.ts';
import { findOrderByNumberOf, findOrderOf, listOrderItems, listOrdersOf } from './order-store.ts';
import type { OrderItemRow, OrderRow } from './order-store.ts';
import { mayShowCodes, toOrderWire } from './order-wire.ts';
import type { OrderWire } from './order-wire.ts';

export interface ReadOrdersDeps {
  readonly db: Database;
  readonly box: SecretBox;
}

/** @throws NOT_FOUND for somebody else's order too. */
export async function readOrder(
  deps: ReadOrdersDeps,
  wanted: { userId: number } & ({ orderId: number } | { orderNumber: string }),
): Promise<OrderWire> {
  const found =
    'orderId' in wanted ? await findWithItems(deps.db, wanted) : await findByNumber(deps.db, wanted);
  if (!found) throw orderNotFound();
  const [wire] = await presentOrders(deps, [found.order], found.items);
  if (!wire) throw orderNotFound();
  return wire;
}

interface FoundOrder {
  readonly order: OrderRow;
  readonly items: OrderItemRow[];
}

/** In one wait: pages ask every few seconds. The items are shown only when the order is the caller's. */
async function findWithItems(
  db: Database,
  { userId, orderId }: { userId: number; orderId: number },
): Promise<FoundOrder | undefined> {
  const [order, items] = await readTogether(db, (reader) =>
    Promise.all([findOrderOf(reader, userId, orderId), listOrderItems(reader, [orderId])]),
  );
  return order && { order, items };
}

async function findByNumber(
  db: Database,
  { userId, orderNumber }: { userId: number; orderNumber: string },
): Promise<FoundOrder | undefined> {
  const order = await findOrderByNumberOf(db, userId, orderNumber);
  return order && { order, items: await listOrderItems(db, [order.id]) };
}

/** My orders, newest first. */
export async function readOrders(
  deps: ReadOrdersDeps,
  filter: { userId: number; status: string | undefined; page: number; limit: number },
): Promise<Page<OrderWire>> {
  const { userId, status, page, limit } = filter;
  const offset = (page - 1) * limit;
  const { orders, total } = await listOrdersOf(deps.db, { userId, status: status ?? null, limit, offset });
  const ids = orders.map((order) => order.id);
  const items = ids.length > 0 ? await listOrderItems(deps.db, ids) : [];
  return pageOf(await presentOrders(deps, orders, items), { page, limit, total });
}

/** Orders as their owner sees them: their codes in one more read, where there are any to show. */
async function presentOrders(
  deps: ReadOrdersDeps,
  orders: readonly OrderRow[],
  items: readonly OrderItemRow[],
): Promise<OrderWire[]> {
  const open = new Set(orders.filter(mayShowCodes).map((order) => order.id));
  const vouchers = await readVouchers(
    deps,
    items.filter((item) => open.has(item.order_id)),
  );
  return orders.map((order) => {
    const own = items.filter((item) => item.order_id === order.id);
    const ids = new Set(own.map((item) => item.id));
    return toOrderWire({
      order,
      items: own,
      vouchers: vouchers.filter((voucher) => ids.has(voucher.orderItemId)),
    });
  });
}

async function readVouchers(deps: ReadOrdersDeps, items: readonly OrderItemRow[]): Promise<PlainVoucher[]> {
  const rows = await listAssignedVouchers(
    deps.db,
    items.map((item) => item.id),
  );
  return rows.map((row) => openVoucher(deps.box, row));
}
