import { Type } from 'typebox';
import type { Static } from 'typebox';

import { describeOrder } from '../orders/index.ts';
import type { PaymentStatusRow } from './payment-store.ts';

/** The method values of interface part 4. */
export const methodSchema = Type.Union(
  ['gw_aggregator', 'gw_wallet_tokenized', 'gw_multi_wallet', 'dcb', 'gw_wallet_direct'].map((method) =>
    Type.Literal(method),
  ),
);

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** The payment session payload (interface part 2, Payment). */
export const openedPaymentSchema = Type.Object({
  transactionId: Type.String(),
  paymentGatewayUrl: nullableText,
  method: Type.String(),
  status: Type.String({ description: 'PENDING; SUCCEEDED when there was nothing to pay' }),
});

/** Answer of `GET /payments/status/:transactionId`. */
export const paymentStatusSchema = Type.Object({
  transactionId: Type.String(),
  status: Type.String({ description: 'PENDING, SUCCEEDED, FAILED or CANCELLED' }),
  orderId: Type.Integer(),
  orderNumber: Type.String(),
  orderStatus: Type.String(),
  orderStatusLabel: Type.String(),
  orderStatusMessage: Type.String(),
  orderStatusSeverity: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
});

export type PaymentStatusWire = Static<typeof paymentStatusSchema>;

export function toPaymentStatusWire(row: PaymentStatusRow): PaymentStatusWire {
  const shown = describeOrder({ status: row.order_status, isPaid: row.paid_at !== null });
  return {
    transactionId: row.transaction_id,
    status: row.status,
    orderId: row.order_id,
    orderNumber: row.order_number,
    orderStatus: row.order_status,
    orderStatusLabel: shown.label,
    orderStatusMessage: shown.message,
    orderStatusSeverity: shown.severity,
    createdAt: row.created_at.toISOString(),
  };
}
