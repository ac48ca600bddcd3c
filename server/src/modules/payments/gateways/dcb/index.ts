import { Type } from 'typebox';
import type { Static } from 'typebox';

import { formatMinor } from '../../../../platform/money.ts';
import { asReason, parseObject, readAnswer, text } from '../gateway-answer.ts';
import { address, commonConfig, timeLimitsIn, words } from '../gateway-config.ts';
import type { Gateway, GatewayParts, SessionRequest, SessionResult } from '../gateway.ts';
import { insideOf, judgeCharge, judgeRefund, judgeRefundStatus } from './dcb-wire.ts';

/** `GATEWAY_DCB_*`. */
export const dcbConfigSchema = Type.Object({
  ...commonConfig,
  api_key: words('API key'),
  username: words('API user'),
  page_url: Type.Optional(address('The consent page, when not <base url>/api/aoc')),
  operator: Type.Optional(words('Operator code; ROBI')),
  on_behalf_of: Type.Optional(words('Payee on the bill; Voucher shop')),
  purchase_category_code: Type.Optional(words('Assigned category; Game')),
  contact: Type.Optional(words("Support contact; the customer's e-mail address when unset")),
});
export type DcbConfig = Static<typeof dcbConfigSchema>;

/** Boost Connect AOC: the mobile operator puts the amount on the customer's bill. */
export function createDcb(config: DcbConfig, { http }: Pick<GatewayParts, 'http'>): Gateway {
  const limits = timeLimitsIn(config);
  const credentials = { apiKey: config.api_key, username: config.username };
  const send = (path: string, fields: Record<string, unknown>, timeoutMs: number) =>
    http.send({
      method: 'POST',
      url: `${config.base_url}${path}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...credentials, ...fields }),
      timeoutMs,
    });

  return {
    name: 'dcb',
    method: 'dcb',
    transactionPrefix: 'DCB',
    retryProcessing: { times: 1, afterMs: 3_000 },

    async openSession(request) {
      const response = await send('/api/getAOCToken', sessionFields(config, request), limits.initMs);
      return readSession(config, response.status, response.text);
    },

    /** It carries its own id and nothing else: no status, no signature. */
    readCallback(fields) {
      const sessionId = fields['aocTransID'] ?? fields['data.aocTransID'];
      if (!sessionId) return { kind: 'unreadable' };
      return { kind: 'read', names: { sessionId }, claims: 'unclear', signature: 'unsigned', evidence: {} };
    },

    async verify({ session: { aocTransID } }) {
      if (!aocTransID) return { kind: 'refused', reason: 'no session was opened', details: {} };
      return judgeCharge(
        readAnswer(await send('/api/chargeStatus', { aocTransID }, limits.verifyMs)),
        aocTransID,
      );
    },

    async refund({ refundReference, amountMinor, payment }) {
      const { aocTransID } = payment.session;
      const fields = { spTransID: refundReference, aocTransID, amount: formatMinor(amountMinor) };
      return judgeRefund(readAnswer(await send('/api/refund', fields, limits.verifyMs)), refundReference);
    },

    async queryRefund({ refundReference }) {
      const fields = { spTransID: refundReference };
      return judgeRefundStatus(
        readAnswer(await send('/api/refundStatus', fields, limits.verifyMs)),
        refundReference,
      );
    },
  };
}

function sessionFields(config: DcbConfig, request: SessionRequest): Record<string, unknown> {
  return {
    spTransID: request.gatewayReference,
    referenceCode: request.gatewayReference,
    description: request.description,
    currency: request.currency,
    amount: formatMinor(request.amountMinor),
    taxAmount: '0',
    onBehalfOf: config.on_behalf_of ?? 'Voucher shop',
    purchaseCategoryCode: config.purchase_category_code ?? 'Game',
    channel: 'WEB',
    operator: config.operator ?? 'ROBI',
    callbackURL: request.callbackUrl,
    contactInfo: config.contact ?? request.customer.email,
    isSubscription: false,
  };
}

/** The customer types the number on the consent page: it is not sent. */
function readSession(config: DcbConfig, status: number, body: string): SessionResult {
  const answer = insideOf((status === 200 && parseObject(body)) || {});
  const token = text(answer['aocToken']);
  const aocTransID = text(answer['aocTransID']);
  if (text(answer['errorCode']) === '00' && token && aocTransID) {
    const page = config.page_url ?? `${config.base_url}/api/aoc`;
    const url = `${page}?aocToken=${encodeURIComponent(token)}`;
    return { kind: 'opened', url, session: { aocTransID }, sessionId: aocTransID };
  }
  const reason = asReason(text(answer['errorMessage']), text(answer['errorCode']), `HTTP ${status}`);
  return { kind: 'refused', reason };
}
