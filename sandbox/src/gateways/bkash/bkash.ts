import type { FastifyInstance } from 'fastify';
import { printAmount } from '../../amount.ts';
import { wire, wireBy } from '../../faults/wire.ts';
import { fieldsOf } from '../../request-fields.ts';
import type { World } from '../../world.ts';
import type { Gateway } from '../gateway.ts';
import { readCreateFields } from './create-fields.ts';
import { execute, query, search } from './execution.ts';
import { openPayments } from './payments.ts';
import type { Payment, Payments } from './payments.ts';
import { createRefunds } from './refunds.ts';
import { status } from './status-codes.ts';
import { createTokens } from './tokens.ts';

const TARGET = 'wallet_tokenized';
const V1 = '/v1.2.0-beta/tokenized/checkout';
const V2 = '/v2/tokenized-checkout/refund/payment';

/** bKash tokenized checkout without agreement: token, create, hosted page, execute, query, search, refund. */
export function createBkash(world: World): Gateway {
  const account = world.credentials.walletTokenized;
  const payments = openPayments(world.ledger);
  const paymentOf = (id: string): Payment => {
    const payment = payments.find(id);
    if (!payment) throw new Error(`no payment ${id}`);
    return payment;
  };

  return {
    name: TARGET,
    vendor: 'bKash',
    checkoutPath: '/',
    config: () => ({
      base_url: `${world.url()}/v1.2.0-beta`,
      username: account.username,
      password: account.password,
      app_key: account.appKey,
      app_secret: account.appSecret,
    }),
    serve: (app) => serve(app, world, payments),
    sessionAt(url) {
      const payment = payments.find(url.searchParams.get('paymentId') ?? '');
      return url.pathname === '/' && payment?.hash === url.searchParams.get('hash')
        ? payment?.paymentID
        : undefined;
    },
    view(id) {
      const { merchantInvoiceNumber, amountMinor, currency, outcome } = paymentOf(id);
      return {
        merchant: 'Demo merchant',
        reference: merchantInvoiceNumber,
        description: `Invoice ${merchantInvoiceNumber}`,
        amount: printAmount(amountMinor),
        currency,
        ...(outcome ? { outcome } : {}),
      };
    },
    // The PIN screen moves no money yet: that is for execute.
    settle: (id, outcome) => payments.save({ ...paymentOf(id), outcome }),
    callbacks(id) {
      const payment = paymentOf(id);
      const url = `${callbackUrl(payment, payment.outcome ?? 'failure')}&apiVersion=1.2.0-beta/`;
      return [{ via: 'browser', method: 'GET', url }];
    },
  };
}

function callbackUrl(payment: Payment, result: string): string {
  const join = payment.callbackURL.includes('?') ? '&' : '?';
  return `${payment.callbackURL}${join}paymentID=${payment.paymentID}&status=${result}&signature=${payment.signature}`;
}

function serve(app: FastifyInstance, world: World, payments: Payments): void {
  const tokens = createTokens(world);
  const refunds = createRefunds(world, payments);

  app.post(`${V1}/token/grant`, wire(TARGET, 'token'), async (request, reply) =>
    tokens.grant(request, reply, 'grant'),
  );
  app.post(`${V1}/token/refresh`, wire(TARGET, 'token'), async (request, reply) =>
    tokens.grant(request, reply, 'refresh'),
  );

  app.post(`${V1}/create`, wire(TARGET, 'init'), async (request, reply) => {
    if (!tokens.admit(request, reply)) return reply;
    return createPayment(world, payments, fieldsOf(request));
  });
  app.post(`${V1}/execute`, wire(TARGET, 'verify'), async (request, reply) => {
    if (!tokens.admit(request, reply)) return reply;
    return execute(world, payments, fieldsOf(request)['paymentID'] ?? '');
  });
  app.post(`${V1}/payment/status`, wire(TARGET, 'verify', 'query'), async (request, reply) => {
    if (!tokens.admit(request, reply)) return reply;
    return query(world, payments, fieldsOf(request)['paymentID'] ?? '');
  });
  app.post(`${V1}/general/searchTransaction`, wire(TARGET, 'query'), async (request, reply) => {
    if (!tokens.admit(request, reply)) return reply;
    return search(payments, fieldsOf(request)['trxID'] ?? '');
  });
  // One path refunds, or, without an amount, asks for the last refund.
  const refundOrAsk = wireBy(TARGET, (request) => [
    fieldsOf(request)['amount'] === undefined ? 'query' : 'refund',
  ]);
  app.post(`${V1}/payment/refund`, refundOrAsk, async (request, reply) => {
    if (!tokens.admit(request, reply)) return reply;
    return refunds.refundV1(fieldsOf(request));
  });
  app.post(`${V2}/transaction`, wire(TARGET, 'refund'), async (request, reply) => {
    if (!tokens.admit(request, reply)) return reply;
    const answer = refunds.refundV2(fieldsOf(request));
    return 'refused' in answer ? reply.code(400).send(answer.refused) : answer;
  });
  app.post(`${V2}/status`, wire(TARGET, 'query'), async (request, reply) => {
    if (!tokens.admit(request, reply)) return reply;
    const answer = refunds.statusV2(fieldsOf(request));
    return 'refused' in answer ? reply.code(400).send(answer.refused) : answer;
  });
}

function createPayment(world: World, payments: Payments, fields: Readonly<Record<string, string>>) {
  const order = readCreateFields(fields);
  if ('refused' in order) return status(order.refused);
  // The vendor's way of giving no page: business errors carry neither paymentID nor bkashURL.
  if (world.faults.take(TARGET, 'no_url', ['init']))
    return { statusCode: '503', statusMessage: 'System is undergoing maintenance' };
  const payment = payments.open(order);
  const { paymentID, hash, mode } = payment;
  return {
    ...status('0000'),
    paymentID,
    bkashURL: `${world.url()}/?paymentId=${paymentID}&hash=${hash}&mode=${mode}&apiVersion=v1.2.0-beta/`,
    callbackURL: order.callbackURL,
    successCallbackURL: callbackUrl(payment, 'success'),
    failureCallbackURL: callbackUrl(payment, 'failure'),
    cancelledCallbackURL: callbackUrl(payment, 'cancel'),
    amount: printAmount(order.amountMinor),
    intent: order.intent,
    currency: order.currency,
    paymentCreateTime: payment.paymentCreateTime,
    transactionStatus: 'Initiated',
    merchantInvoiceNumber: order.merchantInvoiceNumber,
  };
}
