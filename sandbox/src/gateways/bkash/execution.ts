import { dhakaGmtText } from '../../dhaka-time.ts';
import type { Call } from '../../faults/fault-catalogue.ts';
import type { World } from '../../world.ts';
import { completedFields, finalStatus, orderFields, searchFields } from './payment-answers.ts';
import { newTrxId } from './payments.ts';
import type { Payment, Payments } from './payments.ts';
import { status } from './status-codes.ts';

type Answer = Record<string, unknown>;

const TARGET = 'wallet_tokenized';
const EXECUTE: readonly Call[] = ['verify'];
const QUERY: readonly Call[] = ['verify', 'query'];

/** Money moves here, once; a second call is told why not. */
export function execute(world: World, payments: Payments, paymentID: string): Answer {
  const payment = payments.find(paymentID);
  if (!payment) return status('2002');
  if (payment.execution !== undefined) return status(payment.execution === 'completed' ? '2062' : '2117');
  if (payment.outcome !== 'success') return status('2056');
  if (world.faults.take(TARGET, 'declined', EXECUTE)) {
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
  const told = asTold(world, payments, { payment: executed, calls: EXECUTE });
  const about = {
    ...status('0000'),
    ...orderFields(told),
    merchantInvoiceNumber: told.merchantInvoiceNumber,
  };
  // The money is on its way although the answer does not know it yet.
  if (world.faults.take(TARGET, 'processing', EXECUTE)) return { ...about, transactionStatus: 'Initiated' };
  return { ...about, ...completedFields(told, payments), transactionStatus: finalStatus(told) };
}

export function query(world: World, payments: Payments, paymentID: string): Answer {
  const payment = payments.find(paymentID);
  if (!payment) return status('2002');
  const executed = payment.execution === 'completed';
  const told = executed ? asTold(world, payments, { payment, calls: QUERY }) : payment;
  const completed = !world.faults.take(TARGET, 'processing', QUERY) && executed;
  return {
    ...status('0000'),
    ...orderFields(told),
    mode: told.mode,
    paymentCreateTime: told.paymentCreateTime,
    transactionStatus: completed ? finalStatus(told) : 'Initiated',
    ...(completed ? completedFields(told, payments) : {}),
    merchantInvoice: told.merchantInvoiceNumber,
    userVerificationStatus: told.outcome === 'success' ? 'Complete' : 'Incomplete',
  };
}

export function search(payments: Payments, trxID: string): Answer {
  const refund = payments.findRefund(trxID);
  const payment = payments.withTrxId(refund?.trxID ?? trxID);
  return payment ? { ...status('0000'), trxID, ...searchFields(payment, refund) } : status('2033');
}

function asTold(
  world: World,
  payments: Payments,
  about: { payment: Payment; calls: readonly Call[] },
): Payment {
  const { payment, calls } = about;
  const lie: NonNullable<Payment['lie']> = { ...payment.lie };
  if (world.faults.take(TARGET, 'wrong_amount', calls)) lie.amountMinor = Math.floor(payment.amountMinor / 2);
  if (world.faults.take(TARGET, 'wrong_currency', calls)) lie.currency = 'USD';
  if (world.faults.take(TARGET, 'declined', calls)) lie.declined = true;
  if (Object.keys(lie).length === 0) return payment;
  const told = { ...payment, lie };
  payments.save(told);
  return told;
}
