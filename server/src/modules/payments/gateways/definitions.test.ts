import { generateKeyPairSync } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { systemRandom } from '../../../platform/random.ts';
import { OutboundError } from '../../../platform/outbound/outbound-client.ts';
import type { OutboundClient } from '../../../platform/outbound/outbound-client.ts';
import { buildGateways } from './definitions.ts';
import type { GatewaySettings } from './definitions.ts';
import { gatewayNames } from './gateway.ts';
import type { GatewayParts } from './gateway.ts';
import { createGateways } from './registry.ts';

const down: OutboundClient = {
  send: () => Promise.reject(new OutboundError('down', { neverSent: true, cause: undefined })),
  close: async () => undefined,
};
const parts: GatewayParts = {
  http: down,
  random: systemRandom,
  tokens: { find: async () => 'token', renew: async () => 'token' },
};

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const base_url = 'https://gateway.example';
const settings: GatewaySettings = {
  aggregator: { base_url, store_id: 'store', store_passwd: 'secret' },
  wallet_tokenized: { base_url, username: 'user', password: 'secret', app_key: 'key', app_secret: 'secret' },
  multi_wallet: { base_url, merchant_id: 'merchant', password: 'secret' },
  dcb: { base_url, api_key: 'key', username: 'user' },
  wallet_direct: {
    base_url,
    merchant_id: 'merchant',
    merchant_number: '01700000000',
    merchant_private_key: keys.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    gateway_public_key: keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  },
};

describe('buildGateways', () => {
  it('builds the gateways that are configured and offers no method of the others', () => {
    const { aggregator = {}, dcb = {} } = settings;
    const gateways = createGateways(buildGateways({ aggregator, dcb }, parts));
    expect([...gateways.methods]).toEqual(['gw_aggregator', 'dcb']);
    expect(gateways.forMethod('gw_multi_wallet')).toBeUndefined();
    expect(() => gateways.named('multi_wallet')).toThrow('GATEWAY_MULTI_WALLET_*');
    expect(gateways.health()).toEqual([
      {
        name: 'aggregator',
        method: 'gw_aggregator',
        segment: 'aggregator',
        state: 'closed',
        calls: 0,
        failures: 0,
        refused: 0,
        underWay: 0,
      },
      {
        name: 'dcb',
        method: 'dcb',
        segment: 'dcb',
        state: 'closed',
        calls: 0,
        failures: 0,
        refused: 0,
        underWay: 0,
      },
    ]);
  });

  it('has its name as segment and its own method unless told otherwise', () => {
    const all = createGateways(buildGateways(settings, parts));
    expect(all.all.map(({ segment }) => segment)).toEqual([...gatewayNames]);
    const moved = { ...settings['dcb'], method: 'gw_wallet_direct', segment: 'operator-bill' };
    const { dcb: _dcb, wallet_direct: _direct, ...others } = settings;
    const gateways = createGateways(buildGateways({ ...others, dcb: moved }, parts));
    expect(gateways.forMethod('gw_wallet_direct')).toMatchObject({ name: 'dcb', segment: 'operator-bill' });
    expect(() => createGateways(buildGateways({ ...settings, dcb: moved }, parts))).toThrow(
      'have the same method',
    );
  });

  it.each([
    ['aggregator', 'store_id', undefined, 'GATEWAY_AGGREGATOR_STORE_ID is missing'],
    ['dcb', 'api_key', '', 'GATEWAY_DCB_API_KEY is missing'],
    ['multi_wallet', 'pasword', 'typo', 'GATEWAY_MULTI_WALLET_PASWORD is not known'],
    ['wallet_tokenized', 'base_url', 'https://gateway.example/', 'GATEWAY_WALLET_TOKENIZED_BASE_URL'],
    ['aggregator', 'verify_timeout_ms', '5s', 'GATEWAY_AGGREGATOR_VERIFY_TIMEOUT_MS'],
    ['wallet_direct', 'signature_digest', 'md5', 'GATEWAY_WALLET_DIRECT_SIGNATURE_DIGEST'],
    ['dcb', 'method', 'gw_other', 'GATEWAY_DCB_METHOD'],
  ])('refuses %s with %s %j, naming the variable', (name, key, value, message) => {
    const { [key]: _old, ...rest } = settings[name] ?? {};
    const wrong = { [name]: value === undefined ? rest : { ...rest, [key]: value } };
    expect(() => buildGateways(wrong, parts)).toThrow(message);
  });

  it('refuses a key that is none', () => {
    const wallet_direct = { ...settings['wallet_direct'], merchant_private_key: 'AAAA' };
    expect(() => buildGateways({ wallet_direct }, parts)).toThrow('private key of the merchant');
  });

  it('gives gateways whose failures are results: no session, no proof, no refund', async () => {
    const request = {
      transactionId: 'T',
      gatewayReference: 'R',
      amountMinor: 100,
      currency: 'BDT',
      description: 'one',
      customer: { name: 'n', email: 'e', msisdn: 'm' },
      itemCount: 1,
      callbackUrl: 'https://shop.example',
      at: new Date(0),
    };
    const session = { paymentID: 'P', aocTransID: 'A', paymentReferenceId: 'N' };
    const payment = { ...request, session, evidence: {}, claimCapture: async () => true, isRepeat: false };
    const refund = {
      refundReference: 'R',
      amountMinor: 100,
      reason: 'r',
      payment: { ...payment, gatewayTransactionId: 'G', openedAt: new Date(0) },
    };
    for (const { gateway } of buildGateways(settings, parts)) {
      expect(await gateway.openSession(request)).toEqual({ kind: 'refused', reason: 'down' });
      expect(await gateway.verify(payment)).toEqual({ kind: 'unknown', reason: 'down', details: {} });
      const refunded = await gateway.refund?.(refund);
      if (gateway.name === 'multi_wallet') continue;
      expect(refunded).toEqual({ kind: 'unknown', reason: 'down', neverSent: true, details: {} });
    }
  });
});
