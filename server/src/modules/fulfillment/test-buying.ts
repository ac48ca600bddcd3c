import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startSandbox } from '@voucher-commerce/sandbox';
import { Logger as JobLogger, runOnce } from 'graphile-worker';

import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import { aSecretBox, log, testClock } from '../../../test/support/test-identity.ts';
import type { TestClock } from '../../../test/support/test-identity.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { createOutboundClient } from '../../platform/outbound/outbound-client.ts';
import type { OutboundClient } from '../../platform/outbound/outbound-client.ts';
import { systemRandom } from '../../platform/random.ts';
import type { Letter } from '../mail/index.ts';
import { createFulfillment } from './index.ts';
import type { Fulfillment, FulfillmentDeps } from './index.ts';
import { fulfillOrder } from './fulfill-order.ts';
import { sealCredentials } from './partner-accounts/partner-directory.ts';
import { insertPartner } from './partner-accounts/partner-store.ts';
import { plainPartnerConfig } from './partners/generic/index.ts';

export interface BuyingOptions {
  /** Around the real client: where a test loses answers. */
  readonly around?: (http: OutboundClient) => OutboundClient;
  readonly lineLimits?: FulfillmentDeps['lineLimits'];
}

export interface Buying {
  readonly db: TestDatabase;
  readonly clock: TestClock;
  readonly sandboxUrl: string;
  readonly deps: FulfillmentDeps;
  readonly fulfillment: Fulfillment;
  /** Letters that the mail server took. */
  readonly letters: Letter[];
  aPartner(changes?: { kind?: string; config?: object }): Promise<number>;
  aVariant(options?: { engine?: string; mode?: string }): Promise<number>;
  aSource(source: SourceOptions): Promise<number>;
  aPaidOrder(...items: ItemOptions[]): Promise<{ orderId: number; itemIds: number[] }>;
  fulfill(orderId: number): Promise<void>;
  /** Runs every job that is ready. */
  drain(): Promise<void>;
  /** Lets time pass; what falls due is done. */
  advance(seconds: number): Promise<void>;
  fault(planned: { fault: string; times?: number; call?: string }): Promise<void>;
  /** Ends all faults, and lets no purchase of this test be asked about in the next. */
  calm(): Promise<void>;
  one<Row>(sql: string, values?: readonly unknown[]): Promise<Row>;
  close(): Promise<void>;
}

export interface SourceOptions {
  readonly variantId: number;
  readonly partnerId: number;
  readonly priority?: number;
  readonly product?: string;
  readonly options?: object;
  readonly requiredFields?: readonly object[];
}

export interface ItemOptions {
  readonly variantId: number;
  readonly quantity?: number;
  readonly mode?: 'CODE' | 'TOPUP';
  readonly engine?: 'PARTNER' | 'PRELOADED';
  readonly input?: Readonly<Record<string, string>>;
}

/** Fulfillment with its own database and sandbox, a clock that a test moves, and a mail server that takes everything. */
export async function openBuying(options: BuyingOptions = {}): Promise<Buying> {
  const dataDir = await mkdtemp(join(tmpdir(), 'buying-'));
  const db = await createTestDatabase({ poolSize: 12 });
  const sandbox = await startSandbox({ host: '127.0.0.1', port: 0, smtpPort: 0, dataDir });
  const client = createOutboundClient({ connections: 16 });
  const clock = testClock();
  const letters: Letter[] = [];
  const deps: FulfillmentDeps = {
    db,
    clock,
    log,
    random: systemRandom,
    box: aSecretBox(),
    http: options.around ? options.around(client) : client,
    mailDomain: 'test.example',
    mailer: {
      domain: 'test.example',
      async deliver(letter, beforeText) {
        if (!(await beforeText())) return { kind: 'not_sent', reply: 'the claim was lost' };
        letters.push(letter);
        return { kind: 'accepted', reply: '250 ok' };
      },
      close: () => undefined,
    },
    recordAudit: async () => undefined,
    lineLimits: options.lineLimits ?? neverOpen,
  };
  const fulfillment = createFulfillment(deps);
  const one = async <Row>(sql: string, values: readonly unknown[] = []): Promise<Row> => {
    const row = (await db.query<Row>(sql, values)).rows[0];
    if (!row) throw new Error(`No row: ${sql}`);
    return row;
  };
  const control = controlOf(sandbox.url);
  const drain = drainOf(db, fulfillment);
  return {
    db,
    clock,
    deps,
    fulfillment,
    letters,
    one,
    drain,
    sandboxUrl: sandbox.url,
    ...factories({ deps, one, control }),
    fulfill: (orderId) => fulfillOrder(deps, orderId),
    async advance(seconds) {
      clock.advance(seconds);
      for (const sweep of fulfillment.sweeps) await sweep.run();
      await drain();
    },
    fault: async (planned) => void (await control('/faults', { target: 'partner', times: 1, ...planned })),
    async calm() {
      await fetch(`${sandbox.url}/_control/faults`, { method: 'DELETE' });
      await db.query('UPDATE partner_api_transactions SET next_step_at = NULL');
    },
    async close() {
      await client.close();
      await sandbox.close();
      await db.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Tests break partners often; the breaker has tests of its own. */
const neverOpen = { atOnce: 8, breaker: { share: 0.99, ofCalls: 100_000, pauseMs: 30_000 } };

const silent = new JobLogger(() => () => undefined);

/** A job that fails would be tried again later, and the test see nothing: it fails the test instead. */
function drainOf(db: TestDatabase, { jobHandlers }: Fulfillment): () => Promise<void> {
  let failure: unknown;
  const taskList = Object.fromEntries(
    jobHandlers.map((handler) => [
      handler.name,
      (payload: unknown) =>
        handler.run(payload).catch((error: unknown) => {
          failure ??= error;
        }),
    ]),
  );
  return async () => {
    await runOnce({ pgPool: db.pool, taskList, noHandleSignals: true, logger: silent, concurrency: 4 });
    if (failure !== undefined) throw failure;
  };
}

type Control = (path: string, body?: object) => Promise<unknown>;

function controlOf(url: string): Control {
  return async (path, body) => {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const response = await fetch(
      `${url}/_control${path}`,
      body ? { ...post, body: JSON.stringify(body) } : {},
    );
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
}

function factories({ deps, one, control }: { deps: FulfillmentDeps; one: Buying['one']; control: Control }) {
  const { db } = deps;
  return {
    ...orderFactories(one),
    async aPartner({ kind = 'generic', config = {} }: { kind?: string; config?: object } = {}) {
      const known = (await control('/credentials')) as Record<string, Record<string, string>>;
      const settings = settingsOf(kind, known);
      const row = await inTransaction(db, (tx) =>
        insertPartner(tx, {
          name: `${kind} ${randomUUID()}`,
          kind,
          config: { timeout_seconds: 0.5, ...settings.config, ...config },
          credentialsSealed: sealCredentials(deps.box, settings.credentials),
          status: 'active',
          balanceThresholdMinor: null,
        }),
      );
      return row.id;
    },
    async aSource(source: SourceOptions) {
      const {
        variantId,
        partnerId,
        priority = 100,
        product = 'CARD-500',
        options = {},
        requiredFields = [],
      } = source;
      const row = await one<{ id: number }>(
        `INSERT INTO partner_sources (variant_id, partner_id, partner_product, options, cost_minor, priority, required_fields)
         VALUES ($1, $2, $3, $4, 9400, $5, $6) RETURNING id`,
        [variantId, partnerId, product, JSON.stringify(options), priority, JSON.stringify(requiredFields)],
      );
      return row.id;
    },
  };
}

function orderFactories(one: Buying['one']) {
  return {
    async aVariant({ engine = 'PARTNER', mode = 'CODE' }: { engine?: string; mode?: string } = {}) {
      const row = await one<{ id: number }>(
        `WITH brand AS (INSERT INTO brands (name, slug) VALUES ('Brand', $1) RETURNING id),
         category AS (INSERT INTO categories (name, slug) VALUES ('Category', $1) RETURNING id),
         type AS (INSERT INTO product_types (name, slug) VALUES ('Type', $1) RETURNING id),
         product AS (
           INSERT INTO products (brand_id, category_id, product_type_id, name, slug, status, mode)
           SELECT brand.id, category.id, type.id, 'Card', $1, 'active', $3 FROM brand, category, type RETURNING id)
         INSERT INTO product_variants (product_id, name, sku, price_minor, engine)
         SELECT product.id, '500', $1, 50000, $2 FROM product RETURNING id`,
        [randomUUID(), engine, mode],
      );
      return row.id;
    },
    async aPaidOrder(...items: ItemOptions[]) {
      const { id: orderId } = await one<{ id: number }>(
        `WITH customer AS (INSERT INTO users (msisdn, name, email, password_hash)
           VALUES ($1, 'Buyer', 'buyer@example.com', 'x') RETURNING id)
         INSERT INTO orders (order_number, user_id, status, subtotal_minor, total_minor, delivery_email, paid_at)
         SELECT $2, customer.id, 'PENDING', 50000, 50000, 'buyer@example.com', now() FROM customer RETURNING id`,
        [`+88017${Math.floor(Math.random() * 1e8)}`.padEnd(14, '0'), `VC-${randomUUID()}`],
      );
      const itemIds: number[] = [];
      for (const [position, item] of items.entries()) {
        const {
          variantId,
          quantity = 1,
          mode = 'CODE',
          engine = 'PARTNER',
          input = { email: 'buyer@example.com' },
        } = item;
        const row = await one<{ id: number }>(
          `INSERT INTO order_items (order_id, position, variant_id, quantity, unit_price_minor, product_name, variant_name,
             engine, mode, fulfillment_input)
           VALUES ($1, $2, $3, $4, 50000, 'Card', '500', $5, $6, $7) RETURNING id`,
          [orderId, position, variantId, quantity, engine, mode, JSON.stringify(input)],
        );
        itemIds.push(row.id);
      }
      return { orderId, itemIds };
    },
  };
}

function settingsOf(kind: string, known: Record<string, Record<string, string>>) {
  const { reloadly = {}, partner = {} } = known;
  if (kind === 'generic') {
    return {
      config: { ...plainPartnerConfig, base_url: partner['base_url'] },
      credentials: { api_key: partner['api_key'] ?? '' },
    };
  }
  const product = kind === 'reloadly-airtime' ? 'topups' : 'giftcards';
  return {
    config: {
      auth_base_url: reloadly['auth_base_url'],
      base_url: reloadly[`${product}_base_url`],
      audience: reloadly[`${product}_audience`],
    },
    credentials: { client_id: reloadly['client_id'] ?? '', client_secret: reloadly['client_secret'] ?? '' },
  };
}
