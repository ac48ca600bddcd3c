import { Type } from 'typebox';
import type { Static } from 'typebox';

import { formatMinor } from '../../../../platform/money.ts';
import { OutboundError } from '../../../../platform/outbound/outbound-client.ts';
import type { OutboundResponse } from '../../../../platform/outbound/outbound-client.ts';
import { asReason, isWebAddress, parseObject, readAnswer, text } from '../gateway-answer.ts';
import type { Answer } from '../gateway-answer.ts';
import { commonConfig, milliseconds, timeLimitsIn, words } from '../gateway-config.ts';
import type {
  Gateway,
  GatewayParts,
  PaymentToVerify,
  SessionRequest,
  SessionResult,
  Verification,
} from '../gateway.ts';
import type { RefundRequest, RefundResult } from '../refund.ts';
import { createTokenLine } from './token-line.ts';
import {
  OK,
  claimIn,
  findRefund,
  judgePayment,
  judgeRefund,
  problemIn,
  waitsForExecute,
} from './wallet-tokenized-wire.ts';

/** `GATEWAY_WALLET_TOKENIZED_*`. */
export const walletTokenizedConfigSchema = Type.Object({
  ...commonConfig,
  username: words('API user; the base URL ends in the version, /v1.2.0-beta'),
  password: words('Its password'),
  app_key: words('Application key'),
  app_secret: words('Application secret'),
  execute_timeout_ms: milliseconds('How long execute and refund may take; 29000'),
});
export type WalletTokenizedConfig = Static<typeof walletTokenizedConfigSchema>;

/** Their own client waits this long: the money may move until then. */
const EXECUTE_TIMEOUT_MS = 29_000;

/** bKash tokenized checkout without agreement. The money moves at execute, not on the customer's screen. */
export function createWalletTokenized(
  config: WalletTokenizedConfig,
  parts: Pick<GatewayParts, 'http' | 'tokens'>,
): Gateway {
  const limits = timeLimitsIn(config);
  const executeMs = Number(config.execute_timeout_ms ?? EXECUTE_TIMEOUT_MS);
  const line = createTokenLine(config, parts);
  const checkout = `${config.base_url}/tokenized/checkout`;
  const refunds = `${new URL(config.base_url).origin}/v2/tokenized-checkout/refund/payment`;

  const query = async ({ session: { paymentID } }: PaymentToVerify): Promise<Answer> =>
    readAnswer(await line.post(`${checkout}/payment/status`, { paymentID }, limits.verifyMs));
  const execute = (payment: PaymentToVerify): Promise<Verification> =>
    judgeExecution(payment, () =>
      line.post(`${checkout}/execute`, { paymentID: payment.session['paymentID'] }, executeMs),
    );
  /** Whatever an execute that did not end clearly did, the query tells. */
  const executeThenAsk = async (payment: PaymentToVerify): Promise<Verification> => {
    const executed = await execute(payment);
    return executed.kind === 'unknown' ? judgePayment(await query(payment), payment) : executed;
  };

  return {
    name: 'wallet_tokenized',
    method: 'gw_wallet_tokenized',
    transactionPrefix: 'WTK',
    // Interface part 4, callback rule 3.
    retryProcessing: { times: 1, afterMs: 1_000 },

    async openSession(request) {
      const response = await line.post(`${checkout}/create`, sessionFields(request), limits.initMs);
      return readSession(response);
    },

    readCallback(fields) {
      const sessionId = fields['paymentID'];
      if (!sessionId) return { kind: 'unreadable' };
      const claims = claimIn(fields);
      // There is no documented way to check their `signature`.
      return { kind: 'read', names: { sessionId }, claims, signature: 'unsigned', evidence: { claims } };
    },

    /**
     * Executes when the callback claims success (interface part 4, callback rule 3), else asks, and executes what the
     * customer has agreed to, so that a lost callback loses no order. Never without the order's one capture.
     */
    async verify(payment) {
      if (!payment.session['paymentID'])
        return { kind: 'refused', reason: 'no session was opened', details: {} };
      const claimsSuccess = payment.evidence['claims'] === 'success' && !payment.isRepeat;
      if (claimsSuccess && (await payment.claimCapture())) return executeThenAsk(payment);
      const answer = await query(payment);
      return waitsForExecute(answer) && (await payment.claimCapture())
        ? executeThenAsk(payment)
        : judgePayment(answer, payment);
    },

    async refund(request) {
      return readRefund(await line.post(`${refunds}/transaction`, refundFields(request), executeMs));
    },

    async queryRefund(question) {
      const { paymentID } = question.payment.session;
      const body = { paymentId: paymentID, trxId: question.payment.gatewayTransactionId };
      return findRefund(readAnswer(await line.post(`${refunds}/status`, body, limits.verifyMs)), question);
    },
  };
}

/** Unknown unless the answer says what became of it: a time-out is followed by a query, never by a second execute. */
async function judgeExecution(
  payment: PaymentToVerify,
  execute: () => Promise<OutboundResponse>,
): Promise<Verification> {
  try {
    return judgePayment(readAnswer(await execute()), payment);
  } catch (error) {
    // Never sent: the line is down, and a query would be no better off.
    if (error instanceof OutboundError && error.neverSent) throw error;
    return { kind: 'unknown', reason: (error as Error).message, details: {} };
  }
}

function sessionFields(request: SessionRequest): Record<string, string> {
  return {
    mode: '0011',
    payerReference: plain(request.customer.msisdn),
    callbackURL: request.callbackUrl,
    amount: formatMinor(request.amountMinor),
    currency: request.currency,
    intent: 'sale',
    merchantInvoiceNumber: request.gatewayReference,
  };
}

/** They refuse texts with `<`, `>` or `&`. */
const plain = (wording: string): string => wording.replaceAll(/[<>&]/g, ' ').slice(0, 255);

function readSession({ status, text: body }: OutboundResponse): SessionResult {
  const answer = (status === 200 && parseObject(body)) || {};
  const url = text(answer['bkashURL']);
  const paymentID = text(answer['paymentID']);
  if (text(answer['statusCode']) === OK && paymentID && isWebAddress(url)) {
    return { kind: 'opened', url, session: { paymentID }, sessionId: paymentID };
  }
  return { kind: 'refused', reason: status === 200 ? problemIn(answer) : asReason(`HTTP ${status}`) };
}

function refundFields({
  amountMinor,
  reason,
  refundReference,
  payment,
}: RefundRequest): Record<string, string> {
  return {
    paymentId: payment.session['paymentID'] ?? '',
    trxId: payment.gatewayTransactionId,
    refundAmount: formatMinor(amountMinor),
    sku: refundReference,
    reason: plain(reason),
  };
}

/** Refusals are HTTP 400 in an envelope of their own. */
function readRefund(response: OutboundResponse): RefundResult {
  const refusal = response.status === 400 ? parseObject(response.text) : undefined;
  if (!refusal) return judgeRefund(readAnswer(response));
  return {
    kind: 'refused',
    reason: problemIn(refusal),
    details: { externalCode: text(refusal['externalCode']) },
  };
}
