import { Type } from 'typebox';
import type { Static } from 'typebox';

import { orderItemSchema, orderSchema, toOrderWire } from '../../orders/index.ts';
import type { OrderItemRow } from '../../orders/index.ts';
import { adminUserSchema } from './attempt-wire.ts';
import type { ListedOrderRow } from './order-list-store.ts';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

export const customerSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  msisdn: nullable(Type.String()),
  email: nullable(Type.String()),
});

const listedItem = Type.Omit(orderItemSchema, ['vouchers']);

/** Codes are masked on every list (decisions part 3). */
export const listedOrderSchema = Type.Interface([Type.Omit(orderSchema, ['items'])], {
  items: Type.Array(listedItem),
  customer: customerSchema,
  paid_at: nullable(Type.String({ format: 'date-time' })),
  open_alerts: Type.Integer(),
  assigned_to: nullable(adminUserSchema),
});

export interface ListedOrder {
  readonly order: ListedOrderRow;
  readonly items: readonly OrderItemRow[];
  /** Masked, by item, in the order of its units. */
  readonly codes: ReadonlyMap<number, readonly string[]>;
}

export function toListedOrderWire({ order, items, codes }: ListedOrder): Static<typeof listedOrderSchema> {
  const wire = toOrderWire({ order, items, vouchers: [] });
  const { assignee_id: id, assignee_name: name, assignee_email: email } = order;
  return {
    ...wire,
    items: wire.items.map((item) => ({ ...item, voucher_codes: [...(codes.get(item.id) ?? [])] })),
    voucher_codes: items.flatMap((item) => codes.get(item.id) ?? []),
    customer: {
      id: order.user_id,
      name: order.customer_name,
      msisdn: order.customer_msisdn,
      email: order.customer_email,
    },
    paid_at: order.paid_at?.toISOString() ?? null,
    open_alerts: order.open_alerts,
    assigned_to: id === null ? null : { id, name: name ?? '', email: email ?? '' },
  };
}
