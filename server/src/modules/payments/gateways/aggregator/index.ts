import { Type } from 'typebox';
import type { Static } from 'typebox';
import { Value } from 'typebox/value';

import { formatMinor } from '../../../../platform/money.ts';
import type { OutboundClient } from '../../../../platform/outbound/outbound-client.ts';
import type { Gateway, PaymentToVerify, SessionRequest, SessionResult, Verification } from '../gateway.ts';
import { claimIn, judge, signatureOf, text } from './aggregator-wire.ts';
import type { AggregatorTransaction } from './aggregator-wire.ts';

/** `GATEWAY_AGGREGATOR_*`. */
export const aggregatorConfigSchema = Type.Object({
  base_url: Type.String({ format: 'uri' }),
  store_id: Type.String({ minLength: 1 }),
  store_passwd: Type.String({ minLength: 1 }),
});
export type AggregatorConfig = Static<typeof aggregatorConfigSchema>;

const INIT_TIMEOUT_MS = 8_000;
const VERIFY_TIMEOUT_MS = 5_000;

/** SSLCommerz v4: cards, internet banking and mobile wallets. */
export function createAggregator(config: AggregatorConfig, http: OutboundClient): Gateway {
  const call = (path: string, query: Record<string, string>): string =>
    `${config.base_url}${path}?${new URLSearchParams(query).toString()}`;
  const credentials = {
    store_id: config.store_id,
    store_passwd: config.store_passwd,
    v: '1',
    format: 'json',
  };
  const ask = async (url: string): Promise<unknown> => {
    const response = await http.send({ method: 'GET', url, timeoutMs: VERIFY_TIMEOUT_MS });
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    return JSON.parse(response.text);
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
        timeoutMs: INIT_TIMEOUT_MS,
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
      const valId = payment.evidence['val_id'];
      if (valId) {
        const answer = await ask(
          call('/validator/api/validationserverAPI.php', { val_id: valId, ...credentials }),
        );
        return judgeValidation(answer, payment);
      }
      const query = { tran_id: payment.gatewayReference, ...credentials };
      return judgeQuery(await ask(call('/validator/api/merchantTransIDvalidationAPI.php', query)), payment);
    },
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
  const answer = status === 200 ? parse(body) : undefined;
  const url = text(answer?.['GatewayPageURL']);
  if (text(answer?.['status']) === 'SUCCESS' && url) {
    return { kind: 'opened', url, session: { sessionkey: text(answer?.['sessionkey']) } };
  }
  const reason = text(answer?.['failedreason']) || text(answer?.['status']) || `HTTP ${status}`;
  return { kind: 'refused', reason: reason.slice(0, 255) };
}

const answerSchema = Type.Record(Type.String(), Type.Unknown());

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    return Value.Check(answerSchema, answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

function judgeValidation(answer: unknown, payment: PaymentToVerify): Verification {
  const refusal = connectionProblem(answer);
  return refusal ?? judge(answer as AggregatorTransaction, payment.gatewayReference);
}

/** Several attempts on one transaction id give several elements: a paid one decides, else the last. */
function judgeQuery(answer: unknown, payment: PaymentToVerify): Verification {
  const refusal = connectionProblem(answer);
  if (refusal) return refusal;
  const elements = (answer as { element?: unknown }).element;
  const judged = (Array.isArray(elements) ? elements : []).map((element) =>
    judge(element as AggregatorTransaction, payment.gatewayReference),
  );
  const none: Verification = { kind: 'processing', details: { no_of_trans_found: 0 } };
  return judged.find(({ kind }) => kind === 'confirmed') ?? judged.at(-1) ?? none;
}

/** `APIConnect` says whether the question itself was accepted; it is read before `status`. */
function connectionProblem(answer: unknown): Verification | undefined {
  if (!Value.Check(answerSchema, answer))
    return { kind: 'unknown', reason: 'the answer is not an object', details: {} };
  const connect = text(answer['APIConnect']);
  if (connect === 'DONE') return undefined;
  return { kind: 'unknown', reason: `APIConnect ${connect || 'missing'}`, details: { APIConnect: connect } };
}
