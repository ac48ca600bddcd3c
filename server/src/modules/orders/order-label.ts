import type { OrderStatus } from './order-states.ts';

export interface OrderLabel {
  readonly label: string;
  readonly message: string;
  readonly severity: 'info' | 'success' | 'warning' | 'error';
}

const labels: Record<OrderStatus, OrderLabel> = {
  INITIATED: { label: 'Not paid yet', message: 'Choose how to pay to finish your order.', severity: 'info' },
  PENDING: {
    label: 'Waiting for payment',
    message: 'Finish the payment on the gateway’s page.',
    severity: 'info',
  },
  FAILED: {
    label: 'Payment failed',
    message: 'The payment did not go through. You can pay again.',
    severity: 'error',
  },
  CANCELLED: {
    label: 'Cancelled',
    message: 'The order was cancelled. You can pay again.',
    severity: 'warning',
  },
  SUCCEEDED: { label: 'Delivered', message: 'Your order is complete.', severity: 'success' },
  NEEDS_ATTENTION: {
    label: 'Being prepared',
    message: 'Your payment is received. A person is completing your order and will e-mail you.',
    severity: 'info',
  },
};

const paidAndPending: OrderLabel = {
  label: 'Payment received',
  message: 'Your payment is received. Your order is being prepared.',
  severity: 'info',
};

/** What a customer reads. Once paid, an order is never shown as failed (interface part 3, decisions 4.3). */
export function describeOrder(order: { readonly status: OrderStatus; readonly isPaid: boolean }): OrderLabel {
  return order.isPaid && order.status === 'PENDING' ? paidAndPending : labels[order.status];
}
