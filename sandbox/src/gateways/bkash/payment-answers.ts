import { printAmount } from '../../amount.ts';
import { maxRefundableAmount } from './payments.ts';
import type { Payment, Payments, Refund } from './payments.ts';

type Answer = Record<string, unknown>;

export function orderFields(payment: Payment): Answer {
  return {
    paymentID: payment.paymentID,
    amount: printAmount(payment.lie?.amountMinor ?? payment.amountMinor),
    currency: payment.lie?.currency ?? payment.currency,
    intent: payment.intent,
    payerReference: payment.payerReference,
  };
}

/** What is only known once the money has moved. */
export function completedFields(payment: Payment, payments: Payments): Answer {
  return {
    trxID: payment.trxID,
    paymentExecuteTime: payment.paymentExecuteTime,
    payerType: 'Customer',
    customerMsisdn: payment.customerMsisdn,
    payerAccount: payment.customerMsisdn,
    maxRefundableAmount: maxRefundableAmount(payment, payments.refundsOf(payment.paymentID)),
  };
}

export function finalStatus(payment: Payment): string {
  if (payment.lie?.declined) return 'Declined';
  return payment.intent === 'authorization' ? 'Authorized' : 'Completed';
}

export function searchFields(payment: Payment, refund: Refund | undefined): Answer {
  const at = refund?.completedTime ?? payment.paymentExecuteTime;
  return {
    transactionStatus: 'Completed',
    transactionType: refund ? 'Payment Refund' : 'bKash Checkout via API',
    amount: printAmount(refund?.amountMinor ?? payment.amountMinor),
    currency: payment.currency,
    customerMsisdn: payment.customerMsisdn,
    organizationShortCode: '50022',
    initiationTime: at,
    completedTime: at,
    transactionReference: payment.payerReference,
  };
}
