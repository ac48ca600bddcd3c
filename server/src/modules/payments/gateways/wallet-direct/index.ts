import { Type } from 'typebox';
import type { Static } from 'typebox';

import { formatMinor } from '../../../../platform/money.ts';
import type { OutboundResponse } from '../../../../platform/outbound/outbound-client.ts';
import { asReason, isWebAddress, parseObject, readAnswer, text } from '../gateway-answer.ts';
import type { Answer } from '../gateway-answer.ts';
import { commonConfig, timeLimitsIn, words } from '../gateway-config.ts';
import type { Gateway, GatewayParts, SessionRequest, SessionResult } from '../gateway.ts';
import type { RefundRequest, RefundResult } from '../refund.ts';
import { createSealer } from './sealed-text.ts';
import type { Sealer } from './sealed-text.ts';
import { claimIn, dhakaTimestamp, judgeCancellation, judgePayment } from './wallet-direct-wire.ts';

/** `GATEWAY_WALLET_DIRECT_*`. */
export const walletDirectConfigSchema = Type.Object({
  ...commonConfig,
  merchant_id: words('Merchant id'),
  merchant_number: words('Mobile number of the merchant account'),
  merchant_private_key: words('Our RSA key, bare base64 PKCS#8; its public half is in the merchant portal'),
  gateway_public_key: words('RSA key of Nagad, bare base64'),
  signature_digest: Type.Optional(
    Type.String({
      pattern: '^sha(1|256)$',
      description: 'sha256, which works, or sha1, which their guide says',
    }),
  ),
  client_ip: Type.Optional(
    Type.String({ format: 'ipv4', description: 'Our public address, which Nagad must have on its list' }),
  ),
});
export type WalletDirectConfig = Static<typeof walletDirectConfigSchema>;

const TAKA = '050';

interface Line {
  readonly config: WalletDirectConfig;
  readonly sealer: Sealer;
  readonly post: (path: string, body: object, timeoutMs: number) => Promise<OutboundResponse>;
  readonly get: (path: string) => Promise<OutboundResponse>;
}

/** Nagad: two sealed calls open a payment, a plain question proves it. */
export function createWalletDirect(
  config: WalletDirectConfig,
  { http, random }: Pick<GatewayParts, 'http' | 'random'>,
): Gateway {
  const limits = timeLimitsIn(config);
  const headers = {
    'content-type': 'application/json',
    'x-km-api-version': 'v-0.2.0',
    'x-km-ip-v4': config.client_ip ?? '192.168.1.1',
    'x-km-client-type': 'PC_WEB',
  };
  const urlOf = (path: string): string => `${config.base_url}/api/dfs${path}`;
  const line: Line = {
    config,
    sealer: createSealer({
      ownPrivate: config.merchant_private_key,
      theirPublic: config.gateway_public_key,
      digest: config.signature_digest ?? 'sha256',
    }),
    post: (path, body, timeoutMs) =>
      http.send({ method: 'POST', url: urlOf(path), headers, body: JSON.stringify(body), timeoutMs }),
    get: (path) => http.send({ method: 'GET', url: urlOf(path), headers, timeoutMs: limits.verifyMs }),
  };
  const askPayment = async (session: Readonly<Record<string, string>>): Promise<Answer> =>
    readAnswer(await line.get(`/verify/payment/${encodeURIComponent(session['paymentReferenceId'] ?? '')}`));

  return {
    name: 'wallet_direct',
    method: 'gw_wallet_direct',
    transactionPrefix: 'WDR',
    retryProcessing: { times: 1, afterMs: 3_000 },

    openSession: (request) =>
      // The customer waits for both calls together.
      openSession(line, request, {
        challenge: random.bytes(20).toString('hex'),
        timeoutMs: limits.initMs / 2,
      }),

    readCallback(fields) {
      const reference = fields['order_id'];
      if (!reference) return { kind: 'unreadable' };
      return {
        kind: 'read',
        names: { reference },
        claims: claimIn(fields),
        signature: 'unsigned',
        evidence: {},
      };
    },

    async verify(payment) {
      const isOpen = payment.session['paymentReferenceId'] !== undefined;
      if (!isOpen) return { kind: 'refused', reason: 'no session was opened', details: {} };
      return judgePayment(await askPayment(payment.session), payment, config.merchant_id);
    },

    refund: (request) => cancelPurchase(line, request, limits.verifyMs),

    queryRefund: async (question) => judgeCancellation(await askPayment(question.payment.session), question),
  };
}

async function openSession(
  { config, sealer, post }: Line,
  request: SessionRequest,
  { challenge, timeoutMs }: { challenge: string; timeoutMs: number },
): Promise<SessionResult> {
  const { merchant_id: merchantId } = config;
  const { gatewayReference: orderId, at } = request;
  const dateTime = dhakaTimestamp(at);
  const initialised = await post(
    `/check-out/initialize/${merchantId}/${orderId}`,
    {
      accountNumber: config.merchant_number,
      dateTime,
      ...sealer.seal({ merchantId, datetime: dateTime, orderId, challenge }),
    },
    timeoutMs,
  );
  if (initialised.status !== 200) return refusal(initialised);
  const begun = sealer.unseal(readAnswer(initialised));
  const paymentReferenceId = text(begun['paymentReferenceId']);
  const amount = formatMinor(request.amountMinor);
  const order = { merchantId, orderId, currencyCode: TAKA, amount, challenge: text(begun['challenge']) };
  const completed = await post(
    `/check-out/complete/${encodeURIComponent(paymentReferenceId)}`,
    {
      paymentRefId: paymentReferenceId,
      ...sealer.seal(order),
      merchantCallbackURL: request.callbackUrl,
      additionalMerchantInfo: { transactionId: request.transactionId },
    },
    timeoutMs,
  );
  const answer = completed.status === 200 ? parseObject(completed.text) : undefined;
  const url = text(answer?.['callBackUrl']);
  if (!isWebAddress(url)) return refusal(completed);
  return { kind: 'opened', url, session: { paymentReferenceId } };
}

/** Errors are other statuses than 200 with a reason; their list is not published. */
function refusal({ status, text: body }: OutboundResponse): Extract<SessionResult, { kind: 'refused' }> {
  const answer = parseObject(body) ?? {};
  return {
    kind: 'refused',
    reason: asReason(text(answer['message']), text(answer['reason']), `HTTP ${status}`),
  };
}

/** Their refund: "purchase cancel", in part or whole, each `referenceNo` once. */
async function cancelPurchase(
  { config, sealer, post }: Line,
  { refundReference, amountMinor, reason, payment }: RefundRequest,
  timeoutMs: number,
): Promise<RefundResult> {
  const { sensitiveData, signature } = sealer.seal({
    merchantId: config.merchant_id,
    originalRequestDate: dhakaTimestamp(payment.openedAt).slice(0, 8),
    orderId: payment.gatewayReference,
    originalAmount: formatMinor(payment.amountMinor),
    cancelAmount: formatMinor(amountMinor),
    referenceNo: refundReference,
    // Sealed texts are short: 245 bytes hold all of this.
    referenceMessage: reason.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 20),
  });
  const path = `/purchase/cancel?orderId=${encodeURIComponent(payment.gatewayReference)}`;
  const response = await post(path, { sensitiveDataCancelRequest: sensitiveData, signature }, timeoutMs);
  // They refuse with 4xx; 5xx says nothing about what was done.
  if (response.status >= 400 && response.status < 500)
    return { ...refusal(response), details: { status: response.status } };
  const answer = sealer.unseal(readAnswer(response));
  const gatewayRefundId = text(answer['cancelIssuerRefNo']) || refundReference;
  return { kind: 'refunded', gatewayRefundId, details: { status: text(answer['status']), gatewayRefundId } };
}
