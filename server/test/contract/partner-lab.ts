import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startSandbox } from '@voucher-commerce/sandbox';

import { buildPartner } from '../../src/modules/fulfillment/partners/definitions.ts';
import { plainPartnerConfig } from '../../src/modules/fulfillment/partners/generic/index.ts';
import type {
  Partner,
  PartnerTokens,
  PurchaseOrder,
} from '../../src/modules/fulfillment/partners/partner.ts';
import { createOutboundClient } from '../../src/platform/outbound/outbound-client.ts';
import type { OutboundRequest } from '../../src/platform/outbound/outbound-client.ts';

export const partnerKinds = ['reloadly-gift-cards', 'reloadly-airtime', 'generic'] as const;
export type PartnerKind = (typeof partnerKinds)[number];

export interface PartnerLab {
  partner(kind: PartnerKind, changes?: Readonly<Record<string, unknown>>): Partner;
  /** An order that the sandbox's partner of this kind can serve. */
  order(kind: PartnerKind, changes?: Partial<PurchaseOrder>): PurchaseOrder;
  fault(planned: { fault: string; times?: number; call?: string }): Promise<void>;
  clearFaults(): Promise<void>;
  /** Purchases that the partner has executed under this reference. */
  executions(reference: string): Promise<number>;
  /** What was sent, newest last. */
  readonly sent: OutboundRequest[];
  readonly tokens: ReturnType<typeof memoryTokens>;
  close(): Promise<void>;
}

/** Long enough for the sandbox's own 20 ms, short enough for a test that waits for it. */
const TIMEOUT_SECONDS = 0.6;
let references = 0;

export const aReference = (): string => `VC1-1-1-TEST${String((references += 1)).padStart(6, '0')}`;

/** The three adapters against a sandbox of their own: no database, no queue, no clock. */
export async function openPartnerLab(): Promise<PartnerLab> {
  const dataDir = await mkdtemp(join(tmpdir(), 'partner-lab-'));
  const sandbox = await startSandbox({ host: '127.0.0.1', port: 0, smtpPort: 0, dataDir });
  const client = createOutboundClient({ connections: 16 });
  const sent: OutboundRequest[] = [];
  const http = {
    ...client,
    send: (call: OutboundRequest) => {
      sent.push(call);
      return client.send(call);
    },
  };
  const control = async (path: string, init: { method?: string; body?: unknown } = {}): Promise<unknown> => {
    const response = await fetch(`${sandbox.url}/_control${path}`, {
      method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
      ...(init.body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(init.body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const known = (await control('/credentials')) as Record<string, Record<string, string>>;
  const tokens = memoryTokens();
  return {
    sent,
    tokens,
    partner(kind, changes = {}) {
      const { config, credentials } = settingsOf(kind, known);
      const parts = { http, tokenHttp: http, tokens };
      return buildPartner({ kind, config: { ...config, ...changes }, credentials }, parts);
    },
    order: (kind, changes = {}) => ({
      reference: aReference(),
      costMinor: 10_000,
      ...ordered[kind],
      ...changes,
    }),
    fault: async (planned) => {
      await control('/faults', { body: { target: 'partner', times: 1, ...planned } });
    },
    clearFaults: async () => {
      await control('/faults', { method: 'DELETE' });
    },
    async executions(reference) {
      const partner = ['reloadly-gift-cards', 'reloadly-airtime', 'generic'] as const;
      const found = await Promise.all(
        partner.map(async (kind) => {
          const { config, credentials } = settingsOf(kind, known);
          const lookUp = buildPartner(
            { kind, config, credentials },
            { http: client, tokenHttp: client, tokens },
          );
          const result = await lookUp.query?.({ ...ordered[kind], reference, costMinor: null });
          return result && result.kind !== 'not_found' && result.kind !== 'refused' ? 1 : 0;
        }),
      );
      return found.reduce<number>((sum, one) => sum + one, 0);
    },
    async close() {
      await client.close();
      await sandbox.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const ordered: Readonly<Record<PartnerKind, Omit<PurchaseOrder, 'reference' | 'costMinor'>>> = {
  'reloadly-gift-cards': {
    product: '12',
    options: { unit_price: '5.00' },
    mode: 'CODE',
    input: { email: 'buyer@example.com' },
  },
  'reloadly-airtime': {
    product: 'auto',
    options: { amount: '50', use_local_amount: true },
    mode: 'TOPUP',
    input: { account_id: '+8801712345678' },
  },
  generic: {
    product: 'CARD-500',
    options: {},
    mode: 'CODE',
    input: { email: 'buyer@example.com' },
  },
};

function settingsOf(kind: PartnerKind, known: Record<string, Record<string, string>>) {
  const { reloadly = {}, partner = {} } = known;
  if (kind === 'generic') {
    return {
      config: { ...plainPartnerConfig, base_url: partner['base_url'], timeout_seconds: TIMEOUT_SECONDS },
      credentials: { api_key: partner['api_key'] },
    };
  }
  const product = kind === 'reloadly-airtime' ? 'topups' : 'giftcards';
  return {
    config: {
      auth_base_url: reloadly['auth_base_url'],
      base_url: reloadly[`${product}_base_url`],
      audience: reloadly[`${product}_audience`],
      timeout_seconds: TIMEOUT_SECONDS,
    },
    credentials: { client_id: reloadly['client_id'], client_secret: reloadly['client_secret'] },
  };
}

/** Tokens of one process. */
function memoryTokens(): PartnerTokens & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    find: async (audience) => kept.get(audience),
    keep: async (audience, { token }) => void kept.set(audience, token),
  };
}
