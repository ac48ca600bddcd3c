import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../platform/money.ts';
import type { CustomerOrder, CustomerPayment } from './customer-records.ts';

export const customerOrderSchema = Type.Object({
  id: Type.Integer(),
  order_number: Type.String(),
  status: Type.String(),
  total: Type.Number(),
  currency: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
});

export const customerPaymentSchema = Type.Object({
  id: Type.Integer(),
  order_id: Type.Integer(),
  transaction_id: Type.String(),
  method: Type.String(),
  status: Type.String(),
  amount: Type.Number(),
  currency: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
});

export function customerOrderToWire(order: CustomerOrder): Static<typeof customerOrderSchema> {
  return {
    id: order.id,
    order_number: order.orderNumber,
    status: order.status,
    total: toWireAmount(order.totalMinor),
    currency: order.currency,
    created_at: order.createdAt.toISOString(),
  };
}

export function customerPaymentToWire(payment: CustomerPayment): Static<typeof customerPaymentSchema> {
  return {
    id: payment.id,
    order_id: payment.orderId,
    transaction_id: payment.transactionId,
    method: payment.method,
    status: payment.status,
    amount: toWireAmount(payment.amountMinor),
    currency: payment.currency,
    created_at: payment.createdAt.toISOString(),
  };
}
