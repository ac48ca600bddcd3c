import type { Reader } from '../../../platform/db/database.ts';
import { pageOf } from '../../../platform/http/envelope.ts';
import type { Page } from '../../../platform/http/envelope.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { listOrderItems } from '../../orders/index.ts';
import { listStoredVouchersOfItems, maskCode, openSecrets } from '../../vouchers/index.ts';
import { listOrders } from './order-list-store.ts';
import type { OrderFilter } from './order-list-store.ts';
import { toListedOrderWire } from './order-list-wire.ts';

/** Orders that match, each with its items and its masked codes: two more reads, however many there are. */
export async function readOrderList(
  deps: { readonly db: Reader; readonly box: SecretBox },
  filter: OrderFilter,
  { page, limit }: { page: number; limit: number },
): Promise<Page<ReturnType<typeof toListedOrderWire>>> {
  const { rows, total } = await listOrders(deps.db, filter, { limit, offset: (page - 1) * limit });
  const items =
    rows.length === 0
      ? []
      : await listOrderItems(
          deps.db,
          rows.map(({ id }) => id),
        );
  const codes = await maskedCodes(
    deps,
    items.map(({ id }) => id),
  );
  const listed = rows.map((order) =>
    toListedOrderWire({ order, items: items.filter((item) => item.order_id === order.id), codes }),
  );
  return pageOf(listed, { page, limit, total });
}

async function maskedCodes(
  deps: { readonly db: Reader; readonly box: SecretBox },
  itemIds: readonly number[],
): Promise<Map<number, string[]>> {
  const codes = new Map<number, string[]>();
  for (const row of await listStoredVouchersOfItems(deps.db, itemIds)) {
    const itemId = row.order_item_id ?? 0;
    codes.set(itemId, [...(codes.get(itemId) ?? []), maskCode(openSecrets(deps.box, row).code)]);
  }
  return codes;
}
