import { Type } from 'typebox';
import type { Static } from 'typebox';

import { formatMinor } from '../../../../platform/money.ts';
import { asReason, isWebAddress, parseObject, readAnswer, text } from '../gateway-answer.ts';
import type { Answer } from '../gateway-answer.ts';
import { commonConfig, timeLimitsIn, words } from '../gateway-config.ts';
import type { Gateway, GatewayParts, SessionRequest, SessionResult } from '../gateway.ts';
import type { RefundQuestion, RefundRequest, RefundResult } from '../refund.ts';
import { claimIn, judgeQuery, judgeRefund, judgeValidation, signatureOf } from './aggregator-wire.ts';

/** `GATEWAY_AGGREGATOR_*`. */
export const aggregatorConfigSchema = Type.Object({
  ...commonConfig,
  store_id: words('Store id'),
  store_passwd: words('Its API password'),
});
export type AggregatorConfig = Static<typeof aggregatorConfigSchema>;

const VALIDATION = '/validator/api/validationserverAPI.php';
/** Answers by which parameter it gets: transaction, refund, or state of a refund. */
const TRANSACTIONS = '/validator/api/merchantTransIDvalidationAPI.php';

/** SSLCommerz v4: cards, internet banking and mobile wallets. */
export function createAggregator(config: AggregatorConfig, { http }: Pick<GatewayParts, 'http'>): Gateway {
  const limits = timeLimitsIn(config);
  const credentials = {
    store_id: config.store_id,
    store_passwd: config.store_passwd,
    v: '1',
    format: 'json',
  };
  const ask = async (path: string, question: Record<string, string>): Promise<Answer> => {
    const query = new URLSearchParams({ ...question, ...credentials });
    const url = `${config.base_url}${path}?${query.toString()}`;
    return readAnswer(await http.send({ method: 'GET', url, timeoutMs: limits.verifyMs }));
  };
  const queryRefund = async ({
    gatewayRefundId,
  }: Pick<RefundQuestion, 'gatewayRefundId'>): Promise<RefundResult> => {
    if (gatewayRefundId) return judgeRefund(await ask(TRANSACTIONS, { refund_ref_id: gatewayRefundId }));
    const reason =
      'SSLCommerz is asked by its refund_ref_id only, and never told it: look in its merchant panel';
    return { kind: 'unknown', reason, neverSent: false, details: {} };
  };

  return {
    name: 'aggregator',
    method: 'gw_aggregator',
    transactionPrefix: 'AGG',
    retryProcessing: { times: 0, afterMs: 0 },

    async openSession(request) {
      const response = await http.send({
        method: 'POST',
        url: `${config.base_url}/gwprocess/v4/api.php`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: sessionForm(config, request).toString(),
        timeoutMs: limits.initMs,
      });
      return readSession(response.status, response.text);
    },

    readCallback(fields) {
      const reference = fields['tran_id'];
      if (!reference) return { kind: 'unreadable' };
      const valId = fields['val_id'];
      return {
        kind: 'read',
        names: { reference },
        claims: claimIn(fields),
        signature: signatureOf(fields, config.store_passwd),
        evidence: valId ? { val_id: valId } : {},
      };
    },

    /** By `val_id` when the callback brought one, else by our transaction id (interface part 4, callback rule 2). */
    async verify(payment) {
      const { val_id: valId } = payment.evidence;
      if (valId) return judgeValidation(await ask(VALIDATION, { val_id: valId }), payment);
      return judgeQuery(await ask(TRANSACTIONS, { tran_id: payment.gatewayReference }), payment);
    },

    async refund(request) {
      const begun = judgeRefund(await ask(TRANSACTIONS, refundFields(request)));
      if (begun.kind !== 'processing') return begun;
      // Begun for sure: a failing follow-up question must not make it look unsent.
      return queryRefund({ gatewayRefundId: begun.gatewayRefundId }).catch(() => begun);
    },

    queryRefund,
  };
}

function sessionForm(config: AggregatorConfig, request: SessionRequest): URLSearchParams {
  return new URLSearchParams({
    store_id: config.store_id,
    store_passwd: config.store_passwd,
    total_amount: formatMinor(request.amountMinor),
    currency: request.currency,
    tran_id: request.gatewayReference,
    product_category: 'voucher',
    product_name: request.description.slice(0, 255),
    product_profile: 'non-physical-goods',
    success_url: request.callbackUrl,
    fail_url: request.callbackUrl,
    cancel_url: request.callbackUrl,
    ipn_url: request.callbackUrl,
    shipping_method: 'NO',
    num_of_item: String(request.itemCount),
    cus_name: request.customer.name.slice(0, 50),
    cus_email: request.customer.email.slice(0, 50),
    cus_phone: request.customer.msisdn.slice(0, 20),
    cus_add1: 'Bangladesh',
    cus_city: 'Dhaka',
    cus_country: 'Bangladesh',
    cus_postcode: '1000',
    value_a: request.transactionId,
  });
}

function readSession(status: number, body: string): SessionResult {
  const answer = status === 200 ? parseObject(body) : undefined;
  const url = text(answer?.['GatewayPageURL']);
  if (text(answer?.['status']) === 'SUCCESS' && isWebAddress(url)) {
    return { kind: 'opened', url, session: { sessionkey: text(answer?.['sessionkey']) } };
  }
  const reason = asReason(text(answer?.['failedreason']), text(answer?.['status']), `HTTP ${status}`);
  return { kind: 'refused', reason };
}

function refundFields({
  refundReference,
  amountMinor,
  reason,
  payment,
}: RefundRequest): Record<string, string> {
  return {
    bank_tran_id: payment.gatewayTransactionId,
    refund_amount: formatMinor(amountMinor),
    refund_remarks: reason.slice(0, 255),
    refund_trans_id: refundReference,
    refe_id: refundReference,
  };
}
