import { dhakaDateTime } from '../../dhaka-time.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { randomCapitals, randomDigits, randomLetters } from '../../random-text.ts';
import type { Outcome } from '../gateway.ts';

export interface Invoice {
  invoiceNumber: string;
  /** As asked; it is echoed in the same writing. */
  paymentAmount: string;
  amountMinor: number;
  fields: Readonly<Record<string, string>>;
  /** Path of the checkout page after `/checkout/`. */
  page: string;
  orderDateTime: string;
  outcome?: Outcome;
  trxId?: string;
  payerMobileNo: string;
  /** What a fault made queries say instead; whoever asks again hears it again. */
  lie?: { status?: 'failed'; amountMinor?: number };
}

export interface Invoices {
  open(fields: Readonly<Record<string, string>>, amountMinor: number): Invoice;
  save(invoice: Invoice): void;
  find(invoiceNumber: string): Invoice | undefined;
  atPage(page: string): Invoice | undefined;
  withTrxId(trxId: string): Invoice | undefined;
  settle(invoice: Invoice, outcome: Outcome): void;
}

export function openInvoices(ledger: Ledger): Invoices {
  const table = ledger.table<Invoice>('multi_wallet/invoices');
  const byPage = table.indexBy((invoice) => invoice.page);
  const byTrxId = table.indexBy((invoice) => invoice.trxId);
  const save = (invoice: Invoice) => table.put(invoice.invoiceNumber, invoice);
  return {
    open(fields, amountMinor) {
      const { password: _password, ...kept } = fields;
      const invoice: Invoice = {
        invoiceNumber: kept['invoice_number'] ?? '',
        paymentAmount: kept['payment_amount'] ?? '',
        amountMinor,
        fields: kept,
        page: `${randomDigits(8)}/${randomLetters(32)}`,
        orderDateTime: dhakaDateTime(),
        payerMobileNo: `0170${randomDigits(7)}`,
      };
      save(invoice);
      return invoice;
    },
    save,
    find: (invoiceNumber) => table.get(invoiceNumber),
    atPage: (page) => byPage(page)[0],
    withTrxId: (trxId) => byTrxId(trxId)[0],
    settle: (invoice, outcome) =>
      save({ ...invoice, outcome, ...(outcome === 'success' ? { trxId: randomCapitals(10) } : {}) }),
  };
}
