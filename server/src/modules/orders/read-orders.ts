import type { Reader } from '../../platform/db/database.ts';
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
  readonly db: Reader;
  readonly box: SecretBox;
}

/** @throws NOT_FOUND for somebody else's order too. */
export async function readOrder(
  deps: ReadOrdersDeps,
  wanted: { userId: number } & ({ orderId: number } | { orderNumber: string }),
): Promise<OrderWire> {
  const order =
    'orderId' in wanted
      ? await findOrderOf(deps.db, wanted.userId, wanted.orderId)
      : await findOrderByNumberOf(deps.db, wanted.userId, wanted.orderNumber);
  if (!order) throw orderNotFound();
  const [wire] = await presentOrders(deps, [order]);
  if (!wire) throw orderNotFound();
  return wire;
}

/** My orders, newest first. */
export async function readOrders(
  deps: ReadOrdersDeps,
  filter: { userId: number; status: string | undefined; page: number; limit: number },
): Promise<Page<OrderWire>> {
  const { userId, status, page, limit } = filter;
  const offset = (page - 1) * limit;
  const { orders, total } = await listOrdersOf(deps.db, { userId, status: status ?? null, limit, offset });
  return pageOf(await presentOrders(deps, orders), { page, limit, total });
}

/** Orders as their owner sees them: items in two more reads, whatever their number. */
async function presentOrders(deps: ReadOrdersDeps, orders: readonly OrderRow[]): Promise<OrderWire[]> {
  const items =
    orders.length > 0
      ? await listOrderItems(
          deps.db,
          orders.map((order) => order.id),
        )
      : [];
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
