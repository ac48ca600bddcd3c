import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../../platform/money.ts';
import { orderItemSchema, orderSchema, toOrderWire } from '../../orders/index.ts';
import type { OrderItemRow, OrderRow } from '../../orders/index.ts';
import { storedVoucherSchema } from '../../vouchers/index.ts';
import type { StoredVoucherWire } from '../../vouchers/index.ts';
import { adminUserSchema, attemptSchema } from './attempt-wire.ts';
import type { AttemptWire } from './attempt-wire.ts';
import type { OrderSurroundings, PaymentOfOrderRow } from './order-detail-store.ts';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });

const paymentSchema = Type.Object({
  id: Type.Integer(),
  transactionId: Type.String(),
  status: Type.String(),
  method: Type.String(),
  paymentGatewayUrl: nullable(Type.String()),
  gateway: Type.String(),
  gatewayReference: Type.String(),
  gatewayTransactionId: nullable(Type.String()),
  amount: Type.Number(),
  currency: Type.String(),
  refundedAmount: Type.Number(),
  failureReason: nullable(Type.String()),
  paysOrder: Type.Boolean({ description: 'False for a second payment of the same order' }),
  verifiedAt: nullable(timestamp),
  createdAt: timestamp,
});

const adminItemSchema = Type.Interface([Type.Omit(orderItemSchema, ['vouchers'])], {
  engine: Type.String({ description: '`PRELOADED` or `PARTNER`' }),
  vouchers: Type.Array(storedVoucherSchema),
});

/** Interface part 2 (Order) with what stands around it, for operators. */
export const orderDetailSchema = Type.Interface([Type.Omit(orderSchema, ['items'])], {
  items: Type.Array(adminItemSchema),
  customer: nullable(
    Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      msisdn: nullable(Type.String()),
      email: nullable(Type.String()),
    }),
  ),
  delivery_email: nullable(Type.String({ description: 'Where the codes go' })),
  paid_at: nullable(timestamp),
  held_until: nullable(timestamp),
  codes_masked: Type.Boolean({
    description: 'Without `vouchers:reveal` codes show their last four characters',
  }),
  payments: Type.Array(paymentSchema),
  fulfillment_attempts: Type.Array(attemptSchema),
  alerts: Type.Array(
    Type.Object({
      id: Type.Integer(),
      type: Type.String(),
      severity: Type.String(),
      status: Type.String(),
      message: Type.String(),
      resolution_notes: nullable(Type.String()),
      created_at: timestamp,
      resolved_at: nullable(timestamp),
    }),
  ),
  assigned_to: nullable(adminUserSchema),
  notes: Type.Array(
    Type.Object({
      id: Type.Integer(),
      text: Type.String(),
      created_at: timestamp,
      admin_user: adminUserSchema,
    }),
  ),
});

export type OrderDetailWire = Static<typeof orderDetailSchema>;

export interface OrderDetailFacts {
  readonly order: OrderRow;
  readonly items: readonly OrderItemRow[];
  /** With their codes as this operator may see them. */
  readonly vouchers: readonly StoredVoucherWire[];
  /** Every different code once, as this operator may see it. */
  readonly codes: readonly string[];
  readonly isMasked: boolean;
  readonly attempts: readonly AttemptWire[];
  readonly around: OrderSurroundings;
}

export function toOrderDetailWire(facts: OrderDetailFacts): OrderDetailWire {
  const { order, items, around } = facts;
  const wire = toOrderWire({ order, items, vouchers: [] });
  return {
    ...wire,
    voucher_codes: [...facts.codes],
    items: items.map((item, index) => toItem(item, wire.items[index], facts.vouchers)),
    customer: around.customer ?? null,
    delivery_email: order.delivery_email,
    paid_at: order.paid_at?.toISOString() ?? null,
    held_until: order.held_until?.toISOString() ?? null,
    codes_masked: facts.isMasked,
    payments: around.payments.map(toPayment),
    fulfillment_attempts: [...facts.attempts],
    alerts: around.alerts.map((alert) => ({
      ...alert,
      created_at: alert.created_at.toISOString(),
      resolved_at: alert.resolved_at?.toISOString() ?? null,
    })),
    assigned_to: around.assignee ?? null,
    notes: around.notes.map((note) => ({
      id: note.id,
      text: note.text,
      created_at: note.created_at.toISOString(),
      admin_user: { id: note.admin_id, name: note.admin_name, email: note.admin_email },
    })),
  };
}

function toItem(
  item: OrderItemRow,
  wire: Static<typeof orderItemSchema> | undefined,
  all: readonly StoredVoucherWire[],
): Static<typeof adminItemSchema> {
  if (!wire) throw new Error(`Item ${item.id} was not presented`);
  const vouchers = all.filter((voucher) => voucher.order_item_id === item.id);
  return {
    ...wire,
    engine: item.engine,
    voucher_id: vouchers[0]?.id ?? null,
    voucher_codes: vouchers.map((voucher) => voucher.code),
    vouchers,
  };
}

function toPayment(row: PaymentOfOrderRow): Static<typeof paymentSchema> {
  return {
    id: row.id,
    transactionId: row.transaction_id,
    status: row.status,
    method: row.method,
    paymentGatewayUrl: row.payment_gateway_url,
    gateway: row.gateway,
    gatewayReference: row.gateway_reference,
    gatewayTransactionId: row.gateway_transaction_id,
    amount: toWireAmount(row.amount_minor),
    currency: row.currency,
    refundedAmount: toWireAmount(row.refunded_minor),
    failureReason: row.failure_reason,
    paysOrder: row.drives_order,
    verifiedAt: row.verified_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}
