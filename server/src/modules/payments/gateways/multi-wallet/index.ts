import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toPlainAmount } from '../../../../platform/money.ts';
import { asReason, isWebAddress, parseObject, readAnswer, text } from '../gateway-answer.ts';
import { commonConfig, timeLimitsIn, words } from '../gateway-config.ts';
import type { Gateway, GatewayParts, SessionRequest, SessionResult } from '../gateway.ts';
import { claimIn, judgeStatus } from './multi-wallet-wire.ts';

/** `GATEWAY_MULTI_WALLET_*`. */
export const multiWalletConfigSchema = Type.Object({
  ...commonConfig,
  merchant_id: words('Merchant id'),
  password: words('Its API password'),
});
export type MultiWalletConfig = Static<typeof multiWalletConfigSchema>;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** PayStation: several wallets and cards. It publishes no refund call. */
export function createMultiWallet(config: MultiWalletConfig, { http }: Pick<GatewayParts, 'http'>): Gateway {
  const limits = timeLimitsIn(config);

  return {
    name: 'multi_wallet',
    method: 'gw_multi_wallet',
    transactionPrefix: 'MWL',
    // Interface part 4, callback rule 4.
    retryProcessing: { times: 1, afterMs: 3_000 },

    async openSession(request) {
      const response = await http.send({
        method: 'POST',
        url: `${config.base_url}/initiate-payment`,
        headers: FORM,
        body: sessionForm(config, request).toString(),
        timeoutMs: limits.initMs,
      });
      return readSession(response.status, response.text);
    },

    readCallback(fields) {
      const reference = fields['invoice_number'];
      if (!reference) return { kind: 'unreadable' };
      return {
        kind: 'read',
        names: { reference },
        claims: claimIn(fields),
        signature: 'unsigned',
        evidence: {},
      };
    },

    async verify({ gatewayReference }) {
      const response = await http.send({
        method: 'POST',
        url: `${config.base_url}/transaction-status`,
        headers: { ...FORM, merchantId: config.merchant_id },
        body: new URLSearchParams({ invoice_number: gatewayReference }).toString(),
        timeoutMs: limits.verifyMs,
      });
      return judgeStatus(readAnswer(response), gatewayReference);
    },
  };
}

function sessionForm(config: MultiWalletConfig, request: SessionRequest): URLSearchParams {
  return new URLSearchParams({
    merchantId: config.merchant_id,
    password: config.password,
    invoice_number: request.gatewayReference,
    currency: request.currency,
    // Documented as a whole number; decimals are written only where there are some.
    payment_amount: toPlainAmount(request.amountMinor),
    pay_with_charge: '0',
    reference: request.transactionId,
    cust_name: request.customer.name,
    cust_phone: request.customer.msisdn,
    cust_email: request.customer.email,
    callback_url: request.callbackUrl,
    checkout_items: request.description,
  });
}

/** Refusals are HTTP 200 with a code and no address. */
function readSession(status: number, body: string): SessionResult {
  const answer = status === 200 ? parseObject(body) : undefined;
  const url = text(answer?.['payment_url']);
  if (text(answer?.['status_code']) === '200' && isWebAddress(url))
    return { kind: 'opened', url, session: {} };
  const reason = asReason(text(answer?.['message']), text(answer?.['status_code']), `HTTP ${status}`);
  return { kind: 'refused', reason };
}
