import { printAmount } from '../../amount.ts';
import type { Call } from '../../faults/fault-catalogue.ts';
import type { World } from '../../world.ts';
import type { Invoice, Invoices } from './invoices.ts';

const TARGET = 'multi_wallet';
const CALLS: readonly Call[] = ['verify', 'query'];
const NOT_FOUND = {
  status_code: '2001',
  status: 'failed',
  message: 'Transaction not found in system',
} as const;
const FOUND = { status_code: '200', status: 'success', message: 'Transaction found' } as const;

export interface TransactionStatus {
  v1(invoiceNumber: string): object;
  v2(trxId: string): object;
}

/** The amount is echoed even while unpaid: `trx_status` alone tells whether money came. */
export function createTransactionStatus(world: World, invoices: Invoices): TransactionStatus {
  function asTold(invoice: Invoice): Invoice {
    if (invoice.outcome !== 'success') return invoice;
    const lie: NonNullable<Invoice['lie']> = { ...invoice.lie };
    if (world.faults.take(TARGET, 'declined', CALLS)) lie.status = 'failed';
    if (world.faults.take(TARGET, 'wrong_amount', CALLS))
      lie.amountMinor = Math.floor(invoice.amountMinor / 2);
    if (Object.keys(lie).length === 0) return invoice;
    const told = { ...invoice, lie };
    invoices.save(told);
    return told;
  }

  function statusOf(invoice: Invoice): string {
    if (world.faults.take(TARGET, 'processing', CALLS) || invoice.outcome === undefined) return 'processing';
    return invoice.outcome === 'success' ? (invoice.lie?.status ?? 'success') : 'failed';
  }

  function amountOf(invoice: Invoice): string {
    return invoice.lie?.amountMinor === undefined
      ? invoice.paymentAmount
      : printAmount(invoice.lie.amountMinor);
  }

  return {
    v1(invoiceNumber) {
      const found = invoices.find(invoiceNumber);
      if (!found) return NOT_FOUND;
      const invoice = asTold(found);
      const { fields } = invoice;
      return {
        ...FOUND,
        data: {
          invoice_number: invoice.invoiceNumber,
          trx_status: statusOf(invoice),
          trx_id: invoice.trxId ?? '',
          payment_amount: amountOf(invoice),
          request_amount: amountOf(invoice),
          order_date_time: invoice.orderDateTime,
          payer_mobile_no: invoice.outcome === undefined ? '' : invoice.payerMobileNo,
          payment_method: invoice.outcome === undefined ? '' : 'bKash',
          reference: fields['reference'] ?? '',
          checkout_items: fields['checkout_items'] ?? '',
          opt_a: fields['opt_a'] ?? '',
          opt_b: fields['opt_b'] ?? '',
          opt_c: fields['opt_c'] ?? '',
        },
      };
    },
    v2(trxId) {
      const found = invoices.withTrxId(trxId);
      if (!found) return NOT_FOUND;
      const invoice = asTold(found);
      return {
        ...FOUND,
        data: {
          trx_id: trxId,
          trx_status: statusOf(invoice),
          trx_amount: amountOf(invoice),
          trx_date: invoice.orderDateTime,
          request_amount: amountOf(invoice),
          invoice_number: invoice.invoiceNumber,
        },
      };
    },
  };
}
