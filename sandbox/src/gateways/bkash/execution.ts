import { printAmount } from '../../amount.ts';
import { dhakaGmtText } from '../../dhaka-time.ts';
import type { Call } from '../../faults/fault-catalogue.ts';
import type { World } from '../../world.ts';
import { maxRefundableAmount, newTrxId } from './payments.ts';
import type { Payment, Payments } from './payments.ts';
import { status } from './status-codes.ts';

type Answer = Record<string, unknown>;

const TARGET = 'wallet_tokenized';
const EXECUTE: readonly Call[] = ['verify'];
const QUERY: readonly Call[] = ['verify', 'query'];

export interface Execution {
  /** Money moves here, once; a second call is told why not. */
  execute(paymentID: string): Answer;
  query(paymentID: string): Answer;
  search(trxID: string): Answer;
}

export function createExecution(world: World, payments: Payments): Execution {
  const { faults } = world;

  function withLies(payment: Payment, calls: readonly Call[]): Payment {
    const lie: NonNullable<Payment['lie']> = { ...payment.lie };
    if (faults.take(TARGET, 'wrong_amount', calls)) lie.amountMinor = Math.floor(payment.amountMinor / 2);
    if (faults.take(TARGET, 'wrong_currency', calls)) lie.currency = 'USD';
    if (Object.keys(lie).length === 0) return payment;
    const told = { ...payment, lie };
    payments.save(told);
    return told;
  }

  function described(payment: Payment): Answer {
    return {
      paymentID: payment.paymentID,
      amount: printAmount(payment.lie?.amountMinor ?? payment.amountMinor),
      currency: payment.lie?.currency ?? payment.currency,
      intent: payment.intent,
      payerReference: payment.payerReference,
    };
  }

  function completedFields(payment: Payment): Answer {
    return {
      trxID: payment.trxID,
      paymentExecuteTime: payment.paymentExecuteTime,
      payerType: 'Customer',
      customerMsisdn: payment.customerMsisdn,
      payerAccount: payment.customerMsisdn,
      maxRefundableAmount: maxRefundableAmount(payment, payments.refundsOf(payment.paymentID)),
    };
  }

  return {
    execute(paymentID) {
      const payment = payments.find(paymentID);
      if (!payment) return status('2002');
      if (payment.execution !== undefined) return status(payment.execution === 'completed' ? '2062' : '2117');
      if (payment.outcome !== 'success') return status('2056');
      if (faults.take(TARGET, 'declined', EXECUTE)) {
        payments.save({ ...payment, execution: 'refused' });
        return status('2023');
      }
      const executed: Payment = {
        ...payment,
        execution: 'completed',
        trxID: newTrxId(),
        paymentExecuteTime: dhakaGmtText(),
      };
      payments.save(executed);
      const told = withLies(executed, EXECUTE);
      const about = {
        ...status('0000'),
        ...described(told),
        merchantInvoiceNumber: told.merchantInvoiceNumber,
      };
      // The money is on its way although the answer does not know it yet.
      if (faults.take(TARGET, 'processing', EXECUTE)) return { ...about, transactionStatus: 'Initiated' };
      return { ...about, ...completedFields(told), transactionStatus: finalStatus(told) };
    },

    query(paymentID) {
      const payment = payments.find(paymentID);
      if (!payment) return status('2002');
      const told = payment.execution === 'completed' ? withLies(payment, QUERY) : payment;
      const completed = told.execution === 'completed' && !faults.take(TARGET, 'processing', QUERY);
      return {
        ...status('0000'),
        ...described(told),
        mode: told.mode,
        paymentCreateTime: told.paymentCreateTime,
        transactionStatus: completed ? finalStatus(told) : 'Initiated',
        ...(completed ? completedFields(told) : {}),
        merchantInvoice: told.merchantInvoiceNumber,
        userVerificationStatus: told.outcome === 'success' ? 'Complete' : 'Incomplete',
      };
    },

    search(trxID) {
      const refund = payments.findRefund(trxID);
      const payment = payments.withTrxId(refund?.trxID ?? trxID);
      if (!payment) return status('2033');
      const at = refund?.completedTime ?? payment.paymentExecuteTime;
      return {
        ...status('0000'),
        trxID,
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
    },
  };
}

function finalStatus(payment: Payment): string {
  return payment.intent === 'authorization' ? 'Authorized' : 'Completed';
}
