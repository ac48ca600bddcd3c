import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { startSandbox } from '@voucher-commerce/sandbox';

import { buildGateways } from '../../src/modules/payments/gateways/definitions.ts';
import type { GatewaySettings } from '../../src/modules/payments/gateways/definitions.ts';
import type {
  CallbackFields,
  CallbackReading,
  Gateway,
  GatewayName,
  PaymentToVerify,
  SessionRequest,
  TokenCache,
} from '../../src/modules/payments/gateways/gateway.ts';
import type { RefundRequest } from '../../src/modules/payments/gateways/refund.ts';
import { createOutboundClient } from '../../src/platform/outbound/outbound-client.ts';
import { systemRandom } from '../../src/platform/random.ts';

export interface Lab {
  readonly settings: GatewaySettings;
  gateway(name: GatewayName): Gateway;
  /** A second set, with breakers of its own, from changed settings. */
  build(settings: GatewaySettings): Gateway[];
  fault(order: { target: GatewayName; fault: string; times?: number; call?: string }): Promise<void>;
  clearFaults(): Promise<void>;
  /** What a person does on the checkout page. @returns the fields of the callback it led to. */
  pay(url: string, outcome: 'success' | 'failure' | 'cancel'): Promise<CallbackFields>;
  aSession(gateway: Gateway, changes?: Partial<SessionRequest>): Promise<OpenedSession>;
  ledger(target: GatewayName, call: string): Promise<number>;
  close(): Promise<void>;
}

export interface OpenedSession {
  readonly url: string;
  readonly payment: PaymentToVerify;
}

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
export const aReference = (): string => systemRandom.text(ALPHABET, 20);

/** All five gateways, as they are configured, against an in-process sandbox that does what is asked of it. */
export async function openLab(): Promise<Lab> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-lab-'));
  const options = { host: '127.0.0.1', port: 0, smtpPort: 0, dataDir, tokenCallsPerHour: 1000 };
  const sandbox = await startSandbox(options);
  const shop = await startShop();
  const http = createOutboundClient({ connections: 32 });
  const control = async (path: string, body?: unknown, method?: string): Promise<unknown> => {
    const response = await fetch(`${sandbox.url}/_control${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const settings = withShortLimits((await control('/credentials')) as GatewaySettings);
  const build = (given: GatewaySettings): Gateway[] =>
    buildGateways(given, { http, random: systemRandom, tokens: tokensInMemory() }).map(
      ({ gateway }) => gateway,
    );
  const gateways = build(settings);

  return {
    settings,
    build,
    gateway(name) {
      const found = gateways.find((gateway) => gateway.name === name);
      if (!found) throw new Error(`no gateway ${name}`);
      return found;
    },
    fault: async (order) => void (await control('/faults', { times: 1, ...order })),
    clearFaults: async () => void (await control('/faults', undefined, 'DELETE')),
    async pay(url, outcome) {
      shop.callbacks.length = 0;
      await control('/pay', { url, outcome });
      const fields = shop.callbacks.at(-1);
      if (!fields) throw new Error('no callback came');
      return fields;
    },
    async aSession(gateway, changes = {}) {
      const request = { ...aRequest(`${shop.url}/callback`), ...changes };
      const opened = await gateway.openSession(request);
      if (opened.kind !== 'opened') throw new Error(`no session: ${opened.reason}`);
      const { gatewayReference, amountMinor, currency } = request;
      const asked = { evidence: {}, claimCapture: async () => true, isRepeat: false };
      return {
        url: opened.url,
        payment: { gatewayReference, amountMinor, currency, session: opened.session, ...asked },
      };
    },
    async ledger(target, call) {
      const { items } = (await control(`/ledger?target=${target}&call=${call}`)) as { items: unknown[] };
      return items.length;
    },
    async close() {
      await Promise.all([http.close(), sandbox.close(), shop.close()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function aRequest(callbackUrl: string): SessionRequest {
  const gatewayReference = aReference();
  return {
    transactionId: `TST-1-${Date.now()}-${gatewayReference.slice(0, 10)}`,
    gatewayReference,
    amountMinor: 50_050,
    currency: 'BDT',
    description: 'Order VC-261121-AAAA',
    customer: { name: 'Rahim & Sons <shop>', email: 'rahim@example.com', msisdn: '+8801700000001' },
    itemCount: 1,
    callbackUrl,
    at: new Date(),
  };
}

/** What the core does with a callback: its evidence goes into the question. */
export function withEvidence(payment: PaymentToVerify, reading: CallbackReading): PaymentToVerify {
  return reading.kind === 'read' ? { ...payment, evidence: reading.evidence } : payment;
}

export function aRefund(
  payment: PaymentToVerify,
  gatewayTransactionId: string,
  amountMinor: number,
): RefundRequest {
  const { gatewayReference, session } = payment;
  return {
    refundReference: aReference(),
    amountMinor,
    reason: 'Customer changed their mind & asked for "everything" back',
    payment: {
      gatewayReference,
      session,
      gatewayTransactionId,
      amountMinor: payment.amountMinor,
      openedAt: new Date(),
    },
  };
}

/** So that a call that hangs costs a test no more than this. */
function withShortLimits(settings: GatewaySettings): GatewaySettings {
  const limits = { init_timeout_ms: '2000', verify_timeout_ms: '1000' };
  const names = ['aggregator', 'wallet_tokenized', 'multi_wallet', 'dcb', 'wallet_direct'];
  return Object.fromEntries(
    names.map((name) => {
      const more = name === 'wallet_tokenized' ? { execute_timeout_ms: '1000' } : {};
      return [name, { ...settings[name], ...limits, ...more }];
    }),
  );
}

/** The shared tokens as one process alone would have them. */
export function tokensInMemory(): TokenCache {
  const tokens = new Map<string, string>();
  return {
    find: async (key) => tokens.get(key),
    async renew(key, { refused, ask }) {
      const current = tokens.get(key);
      if (current !== undefined && current !== refused) return current;
      const { token } = await ask();
      tokens.set(key, token);
      return token;
    },
  };
}

interface Shop {
  readonly url: string;
  readonly callbacks: CallbackFields[];
  close(): Promise<void>;
}

/** Takes callbacks as our service does: query and form together. */
async function startShop(): Promise<Shop> {
  const callbacks: CallbackFields[] = [];
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://shop');
      callbacks.push(Object.fromEntries([...searchParams, ...new URLSearchParams(body)]));
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    callbacks,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
