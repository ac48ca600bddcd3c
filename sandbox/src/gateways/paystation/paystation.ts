import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseAmount } from '../../amount.ts';
import { wire } from '../../faults/wire.ts';
import { fieldsOf } from '../../request-fields.ts';
import type { World } from '../../world.ts';
import type { Callback, Gateway } from '../gateway.ts';
import { openIpnAddresses } from '../ipn-addresses.ts';
import { openInvoices } from './invoices.ts';
import type { Invoice, Invoices } from './invoices.ts';
import { createTransactionStatus } from './transaction-status.ts';

const TARGET = 'multi_wallet';
const CHECKOUT = '/checkout/';
const CALLBACK_STATUS = { success: 'Successful', failure: 'Failed', cancel: 'Canceled' } as const;
const MANDATORY = [
  'invoice_number',
  'currency',
  'payment_amount',
  'cust_name',
  'cust_phone',
  'cust_email',
  'callback_url',
] as const;

/** PayStation: initiate, hosted checkout, transaction status. It has no refund call and signs nothing. */
export function createPaystation(world: World): Gateway {
  const account = world.credentials.multiWallet;
  const invoices = openInvoices(world.ledger);
  const ipnAddresses = openIpnAddresses(world.ledger);
  const invoiceOf = (invoiceNumber: string): Invoice => {
    const invoice = invoices.find(invoiceNumber);
    if (!invoice) throw new Error(`no invoice ${invoiceNumber}`);
    return invoice;
  };

  return {
    name: TARGET,
    vendor: 'PayStation',
    checkoutPath: `${CHECKOUT}:id/:token`,
    config: () => ({ base_url: world.url(), merchant_id: account.merchantId, password: account.password }),
    serve: (app) => serve(app, world, invoices),
    sessionAt: (url) =>
      url.pathname.startsWith(CHECKOUT)
        ? invoices.atPage(url.pathname.slice(CHECKOUT.length))?.invoiceNumber
        : undefined,
    view(invoiceNumber) {
      const { paymentAmount, fields, outcome } = invoiceOf(invoiceNumber);
      return {
        merchant: 'Demo merchant',
        reference: invoiceNumber,
        description: fields['reference'] ?? `Invoice ${invoiceNumber}`,
        amount: paymentAmount,
        currency: 'BDT',
        ...(outcome ? { outcome } : {}),
      };
    },
    settle: (invoiceNumber, outcome) => invoices.settle(invoiceOf(invoiceNumber), outcome),
    callbacks(invoiceNumber) {
      const invoice = invoiceOf(invoiceNumber);
      const { fields, outcome = 'failure', trxId } = invoice;
      const callback = fields['callback_url'] ?? '';
      const query = new URLSearchParams({ status: CALLBACK_STATUS[outcome], invoice_number: invoiceNumber });
      if (trxId !== undefined) query.set('trx_id', trxId);
      const url = `${callback}${callback.includes('?') ? '&' : '?'}${query}`;
      return [...ipn(invoice, ipnAddresses.find(TARGET)), { via: 'browser', method: 'GET', url }];
    },
  };
}

/** Of success only, to an address agreed beforehand, unsigned. */
function ipn(invoice: Invoice, url: string | undefined): Callback[] {
  if (url === undefined || invoice.outcome !== 'success') return [];
  const json = {
    invoice_number: invoice.invoiceNumber,
    trx_status: 'success',
    trx_id: invoice.trxId,
    trx_amount: invoice.paymentAmount,
    order_date_time: invoice.orderDateTime,
    payment_method: 'bKash',
    reference: invoice.fields['reference'] ?? '',
  };
  return [{ via: 'server', method: 'POST', url, json }];
}

function serve(app: FastifyInstance, world: World, invoices: Invoices): void {
  const status = createTransactionStatus(world, invoices);
  const isOurs = (request: FastifyRequest) =>
    request.headers['merchantid'] === world.credentials.multiWallet.merchantId;
  const stranger = { status_code: '1006', status: 'failed', message: 'Invalid merchant' };

  app.post('/initiate-payment', wire(TARGET, 'init'), async (request) =>
    initiate(world, invoices, fieldsOf(request)),
  );
  app.post('/transaction-status', wire(TARGET, 'verify', 'query'), async (request) =>
    isOurs(request) ? status.v1(fieldsOf(request)['invoice_number'] ?? '') : stranger,
  );
  app.post('/v2/transaction-status', wire(TARGET, 'verify', 'query'), async (request) =>
    isOurs(request) ? status.v2(fieldsOf(request)['trxId'] ?? '') : stranger,
  );
}

/** Everything is HTTP 200; a refusal is a status code in the body and no address to go to. */
function initiate(world: World, invoices: Invoices, fields: Readonly<Record<string, string>>) {
  const { merchantId, password } = world.credentials.multiWallet;
  const refuse = (statusCode: string, message: string) => ({
    status_code: statusCode,
    status: 'failed',
    message,
  });
  if (fields['merchantId'] !== merchantId || fields['password'] !== password)
    return refuse('1001', 'Invalid merchant credential');
  const missing = MANDATORY.find((name) => fields[name] === undefined);
  if (missing) return refuse('1002', `${missing} is required`);
  const {
    invoice_number: invoiceNumber = '',
    payment_amount: paymentAmount,
    callback_url: callbackUrl = '',
  } = fields;
  const amountMinor = parseAmount(paymentAmount);
  if (!amountMinor || fields['currency'] !== 'BDT') return refuse('1003', 'Invalid amount or currency');
  if (!URL.canParse(callbackUrl)) return refuse('1004', 'Invalid callback_url');
  if (invoices.find(invoiceNumber)) return refuse('1008', 'Duplicate invoice number');
  if (world.faults.take(TARGET, 'no_url', ['init']))
    return refuse('1005', 'Payment link could not be created');
  const { page } = invoices.open(fields, amountMinor);
  return {
    status_code: '200',
    status: 'success',
    message: 'Payment Link Created Successfully.',
    payment_amount: paymentAmount,
    invoice_number: invoiceNumber,
    payment_url: `${world.url()}${CHECKOUT}${page}`,
  };
}
