import type { FastifyInstance } from 'fastify';

import { composeIdentity } from './compose-identity.ts';
import { auditOf, composeOperations } from './compose-operations.ts';
import type { Config } from './config.ts';
import { createListenerGuards } from './guard-listeners.ts';
import type { ListenerGuards } from './guard-listeners.ts';
import type { Keys } from './keys.ts';
import { createCatalogue, findVariantsForSale } from './modules/catalogue/index.ts';
import type { Catalogue } from './modules/catalogue/index.ts';
import { createCheckout, takeUnitsAgain } from './modules/checkout/index.ts';
import { createFulfillment } from './modules/fulfillment/index.ts';
import { assertAdminAccess } from './modules/identity/index.ts';
import type { Identity } from './modules/identity/index.ts';
import { createMailer } from './modules/mail/index.ts';
import { orderRoutes } from './modules/orders/index.ts';
import { createPayments, openGateways } from './modules/payments/index.ts';
import type { GatewaySettings } from './modules/payments/index.ts';
import { findSellableVariantIds } from './modules/vouchers/index.ts';
import { servePaymentResult } from './pages/payment-result.ts';
import type { Database } from './platform/db/database.ts';
import { serveApi, serveDocsAssets } from './platform/http/api-docs.ts';
import type { Api } from './platform/http/api-docs.ts';
import type { Endpoint } from './platform/http/endpoint.ts';
import { serveHealth } from './platform/http/health.ts';
import { createIdempotencyStore } from './platform/http/idempotency.ts';
import { createHttpServer } from './platform/http/server.ts';
import type { JobHandler } from './platform/jobs/queue.ts';
import type { Sweep } from './platform/jobs/sweeps.ts';
import type { Logger } from './platform/log.ts';
import { createOutboundClient } from './platform/outbound/outbound-client.ts';
import { systemRandom } from './platform/random.ts';
import { createSecretBox } from './platform/secret-box.ts';
import type { SecretBox } from './platform/secret-box.ts';
import type { Clock } from './platform/time.ts';

export interface AppOptions {
  readonly config: Config;
  readonly db: Database;
  readonly log: Logger;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly version: string;
  /** Names of all migrations, for readiness. */
  readonly migrations: readonly string[];
  /** What stands outside: from the configuration, or the sandbox's. */
  readonly outside: {
    readonly gateways: GatewaySettings;
    readonly smtpUrl: string;
    readonly sms: { readonly url: string; readonly apiKey: string } | undefined;
  };
}

export interface App {
  /** Client API, and the admin API too unless it has a listener of its own. */
  readonly client: FastifyInstance;
  readonly admin: FastifyInstance | undefined;
  readonly endpoints: { readonly client: readonly Endpoint[]; readonly admin: readonly Endpoint[] };
  readonly jobHandlers: readonly JobHandler[];
  readonly sweeps: readonly Sweep[];
  readonly identity: Identity;
  readonly catalogue: Catalogue;
  readonly box: SecretBox;
  /** Readiness turns false; what is under way goes on. */
  drain(): void;
  close(): Promise<void>;
}

/** The composition root: every dependency and every module, by hand, in order. */
export function buildApp(options: AppOptions): App {
  const { config, db, log, clock, keys, outside } = options;
  const random = systemRandom;
  const box = createSecretBox(keys.vault);
  const http = createOutboundClient({ connections: 32 });
  const mailer = createMailer({ smtpUrl: outside.smtpUrl, from: config.mailFrom });
  const gateways = openGateways(outside.gateways, { db, box, http, random });

  const identity = composeIdentity(options, { random, box, http, mailer });
  const catalogue = createCatalogue({
    db,
    clock,
    stock: { listSellableVariants: () => findSellableVariantIds(db) },
    offeredMethods: () => gateways.methods,
  });

  const shop = { db, clock, random, log, box, gateways, orderTtlSeconds: config.orderTtlSeconds };
  const payments = createPayments({
    ...shop,
    callbackUrlOf: (gateway) => `${config.publicUrl}/api/v1/payments/${gateway.segment}/callback`,
    resultPageUrl: (transactionId) =>
      `${config.publicUrl}/payment-result${transactionId ? `?transactionId=${encodeURIComponent(transactionId)}` : ''}`,
    findCustomer: (userId) => findCustomer(identity, db, userId),
    takeUnitsAgain,
    recordAudit: auditOf,
  });
  const fulfillment = createFulfillment({ ...shop, mailer, mailDomain: mailer.domain });
  const checkout = createCheckout({
    ...shop,
    ...payments.initiateDeps,
    findVariantsForSale,
    findUserEmail: async (reader, userId) => (await identity.findUserContact(reader, userId))?.email ?? null,
  });
  const operations = composeOperations({ ...shop, mailer });

  const endpoints = {
    client: [
      ...identity.clientEndpoints,
      ...catalogue.clientEndpoints,
      ...orderRoutes(shop),
      ...checkout.clientEndpoints,
      ...payments.clientEndpoints,
    ],
    admin: [
      ...identity.adminEndpoints,
      ...catalogue.adminEndpoints,
      ...payments.adminEndpoints,
      ...operations.adminEndpoints,
    ],
  };
  assertAdminAccess(endpoints.admin);
  const guards = createListenerGuards(options);
  const listeners = createListeners(options, { endpoints, identity, guards });
  return {
    ...listeners,
    endpoints,
    jobHandlers: [...payments.jobHandlers, ...fulfillment.jobHandlers],
    sweeps: [...payments.sweeps, ...checkout.sweeps],
    identity,
    catalogue,
    box,
    async close() {
      await Promise.all([listeners.client.close(), listeners.admin?.close()]);
      mailer.close();
      await guards.close();
      await http.close();
    },
  };
}

/** What gateways are told about a customer; they insist on an e-mail address. */
async function findCustomer(identity: Identity, db: Database, userId: number) {
  const contact = await identity.findUserContact(db, userId);
  if (!contact) throw new Error(`There is no user ${userId}`);
  return {
    name: contact.name,
    msisdn: contact.msisdn,
    email: contact.email ?? 'no-address@vouchers.example',
  };
}

type Listeners = Pick<App, 'client' | 'admin' | 'drain'>;

function createListeners(
  options: AppOptions,
  parts: Pick<App, 'endpoints' | 'identity'> & { guards: ListenerGuards },
): Listeners {
  const { config, db, log, version, migrations } = options;
  let isDraining = false;
  const mount = {
    authenticator: parts.identity.authenticator,
    idempotency: createIdempotencyStore(db),
    version,
  };
  const createListener = (apis: readonly Api[]): FastifyInstance => {
    const server = createHttpServer({ log, trustProxy: config.trustProxy });
    parts.guards.guard(server);
    serveHealth(server, { db, migrations, isDraining: () => isDraining, metricsToken: config.metricsToken });
    serveDocsAssets(server);
    for (const api of apis) serveApi(server, api, mount);
    return server;
  };
  const clientApi: Api = {
    title: 'Voucher commerce: client API',
    description: 'For storefronts, mobile apps and partners. Every answer is `{success, message, data}`.',
    prefix: '/api/v1',
    endpoints: parts.endpoints.client,
    specPath: '/openapi/client.json',
    docsPath: '/docs',
  };
  const adminApi: Api = {
    title: 'Voucher commerce: operations API',
    description: 'For the operations console. Paths are also reached as `/admin/...`.',
    prefix: '/api/v1/admin',
    endpoints: parts.endpoints.admin,
    specPath: '/openapi/admin.json',
    docsPath: '/docs/admin',
  };
  const ownAdmin = config.adminPort !== undefined;
  const client = createListener(ownAdmin ? [clientApi] : [clientApi, adminApi]);
  servePaymentResult(client, { db });
  return {
    client,
    admin: ownAdmin ? createListener([adminApi]) : undefined,
    drain: () => {
      isDraining = true;
    },
  };
}
