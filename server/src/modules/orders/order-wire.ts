import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../platform/money.ts';
import type { PlainVoucher } from '../vouchers/index.ts';
import { describeOrder } from './order-label.ts';
import { orderStates } from './order-states.ts';
import type { OrderItemRow, OrderRow } from './order-store.ts';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });

export const orderStatusSchema = Type.Union(orderStates.states.map((status) => Type.Literal(status)));

const voucherSchema = Type.Object({
  code: Type.String(),
  pin: nullable(Type.String()),
  redemption_url: nullable(Type.String()),
  serial_number: nullable(Type.String()),
  expires_at: nullable(timestamp),
});

export const orderItemSchema = Type.Object({
  id: Type.Integer({ description: 'The `orderItemId` of the admin endpoints' }),
  variant_id: Type.Integer(),
  product_name: Type.String(),
  variant_name: Type.String(),
  quantity: Type.Integer(),
  unit_price: Type.Number({ description: 'BDT, at most two decimals' }),
  discount_amount: Type.Number({
    description: 'Its share of the order’s discount; the shares sum exactly to it',
  }),
  mode: Type.String({ description: '`CODE` or `TOPUP`' }),
  fulfillment_input: Type.Record(Type.String(), Type.String()),
  fulfilled: Type.Boolean(),
  fulfilled_at: nullable(timestamp),
  fulfillment_status: Type.String(),
  voucher_id: nullable(Type.Integer()),
  voucher_codes: Type.Array(Type.String()),
  vouchers: Type.Array(voucherSchema, {
    description: 'The same codes with pin, serial number, link and expiry',
  }),
});

/** Interface part 2 (Order), with the labels of decisions 4.3. */
export const orderSchema = Type.Object({
  id: Type.Integer(),
  order_number: Type.String(),
  status: Type.String({ description: orderStates.states.join(', ') }),
  status_label: Type.String(),
  status_message: Type.String(),
  status_severity: Type.String({ description: 'info, success, warning or error' }),
  items: Type.Array(orderItemSchema),
  recipient_email: nullable(Type.String()),
  payment_method: nullable(Type.String()),
  discount_code: nullable(Type.String()),
  subtotal: Type.Number(),
  discount_amount: Type.Number(),
  total_amount: Type.Number({ description: 'BDT after discount' }),
  currency: Type.String(),
  dispatched_email: nullable(Type.String({ description: 'Where the codes went; null until sent' })),
  email_sent_at: nullable(timestamp),
  voucher_codes: Type.Array(Type.String(), {
    description: 'Every code of the order, once it was e-mailed or the order SUCCEEDED; empty before',
  }),
  created_at: timestamp,
  updated_at: timestamp,
});

export type OrderWire = Static<typeof orderSchema>;

export interface OrderFacts {
  readonly order: OrderRow;
  readonly items: readonly OrderItemRow[];
  /** Opened codes of its items; the owner gets to see them only when they are out. */
  readonly vouchers: readonly PlainVoucher[];
}

/** Codes show to the owner once the e-mail is out or the order SUCCEEDED (decisions part 3). */
export function mayShowCodes(order: OrderRow): boolean {
  return order.email_sent_at !== null || order.status === 'SUCCEEDED';
}

export function toOrderWire({ order, items, vouchers }: OrderFacts): OrderWire {
  const label = describeOrder({ status: order.status, isPaid: order.paid_at !== null });
  return {
    id: order.id,
    order_number: order.order_number,
    status: order.status,
    status_label: label.label,
    status_message: label.message,
    status_severity: label.severity,
    items: items.map((item) =>
      toItemWire(
        item,
        vouchers.filter((voucher) => voucher.orderItemId === item.id),
      ),
    ),
    recipient_email: order.recipient_email,
    payment_method: order.payment_method,
    discount_code: order.discount_code,
    subtotal: toWireAmount(order.subtotal_minor),
    discount_amount: toWireAmount(order.discount_minor),
    total_amount: toWireAmount(order.total_minor),
    currency: order.currency,
    dispatched_email: order.dispatched_email,
    email_sent_at: order.email_sent_at?.toISOString() ?? null,
    voucher_codes: [...new Set(vouchers.map((voucher) => voucher.code))],
    created_at: order.created_at.toISOString(),
    updated_at: order.updated_at.toISOString(),
  };
}

function toItemWire(item: OrderItemRow, vouchers: readonly PlainVoucher[]): OrderWire['items'][number] {
  return {
    id: item.id,
    variant_id: item.variant_id,
    product_name: item.product_name,
    variant_name: item.variant_name,
    quantity: item.quantity,
    unit_price: toWireAmount(item.unit_price_minor),
    discount_amount: toWireAmount(item.discount_minor),
    mode: item.mode,
    fulfillment_input: item.fulfillment_input,
    fulfilled: item.fulfilled,
    fulfilled_at: item.fulfilled_at?.toISOString() ?? null,
    fulfillment_status: item.fulfillment_status,
    voucher_id: vouchers[0]?.voucherId ?? null,
    voucher_codes: vouchers.map((voucher) => voucher.code),
    vouchers: vouchers.map((voucher) => ({
      code: voucher.code,
      pin: voucher.pin,
      redemption_url: voucher.redemptionUrl,
      serial_number: voucher.serialNumber,
      expires_at: voucher.expiresAt?.toISOString() ?? null,
    })),
  };
}
