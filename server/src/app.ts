import type { AppOptions } from './app-options.ts';
import { composeCatalogue } from './compose-catalogue.ts';
import { composeEvents } from './compose-events.ts';
import { composeIdentity } from './compose-identity.ts';
import { auditOf, composeOperations } from './compose-operations.ts';
import { createListenerGuards } from './guard-listeners.ts';
import { createListeners } from './listeners.ts';
import type { Listeners } from './listeners.ts';
import { findVariantsForSale } from './modules/catalogue/index.ts';
import type { Catalogue } from './modules/catalogue/index.ts';
import { createCheckout, holdOrder } from './modules/checkout/index.ts';
import { createDiscounts } from './modules/discounts/index.ts';
import { createFulfillment } from './modules/fulfillment/index.ts';
import type { Fulfillment } from './modules/fulfillment/index.ts';
import { assertAdminAccess } from './modules/identity/index.ts';
import type { Identity } from './modules/identity/index.ts';
import { createMailer } from './modules/mail/index.ts';
import { hasPaidOrder, listOrdersByIds, orderRoutes } from './modules/orders/index.ts';
import { createPayments, openGateways } from './modules/payments/index.ts';
import { createRedemption } from './modules/redemption/index.ts';
import type { Database } from './platform/db/database.ts';
import type { Endpoint } from './platform/http/endpoint.ts';
import type { JobHandler } from './platform/jobs/queue.ts';
import type { Sweep } from './platform/jobs/sweeps.ts';
import { createOutboundClient } from './platform/outbound/outbound-client.ts';
import { systemRandom } from './platform/random.ts';
import { createSecretBox } from './platform/secret-box.ts';
import type { SecretBox } from './platform/secret-box.ts';

export interface App extends Listeners {
  readonly endpoints: { readonly client: readonly Endpoint[]; readonly admin: readonly Endpoint[] };
  readonly jobHandlers: readonly JobHandler[];
  readonly sweeps: readonly Sweep[];
  readonly identity: Identity;
  readonly catalogue: Catalogue;
  readonly fulfillment: Fulfillment;
  readonly box: SecretBox;
  close(): Promise<void>;
}

/** The composition root: every dependency and every module, by hand, in order. */
export function buildApp(options: AppOptions): App {
  const { config, db, log, clock, keys, outside } = options;
  const random = systemRandom;
  const box = createSecretBox(keys.vault);
  const http = createOutboundClient({ connections: 32 });
  const mailer = createMailer({ smtpUrl: outside.smtpUrl, from: config.mailFrom });
  const guards = createListenerGuards(options);
  const gateways = openGateways(outside.gateways, { db, box, http, random });

  const identity = composeIdentity(options, { random, box, http, mailer });
  const catalogue = composeCatalogue(options, () => gateways.methods);

  const shop = { db, clock, random, log, box, gateways, orderTtlSeconds: config.orderTtlSeconds };
  const payments = createPayments({
    ...shop,
    callbackUrlOf: (gateway) => `${config.publicUrl}/api/v1/payments/${gateway.segment}/callback`,
    resultPageUrl: (transactionId) =>
      `${config.publicUrl}/payment-result${transactionId ? `?transactionId=${encodeURIComponent(transactionId)}` : ''}`,
    findCustomer: (userId) => findCustomer(identity, db, userId),
    holdOrder,
    recordAudit: auditOf,
  });
  const fulfillment = createFulfillment({
    ...shop,
    http,
    mailer,
    mailDomain: mailer.domain,
    recordAudit: auditOf,
  });
  const checkout = createCheckout({
    ...shop,
    ...payments.initiateDeps,
    findVariantsForSale,
    findUserEmail: async (reader, userId) => (await identity.findUserContact(reader, userId))?.email ?? null,
  });
  const redemption = createRedemption({
    ...shop,
    mailer,
    recordAudit: auditOf,
    publicUrl: config.publicUrl,
    noteStockChange: () => catalogue.noteChange(),
    guessLimiter: guards.guessLimiter,
  });
  const discounts = createDiscounts({
    ...shop,
    recordAudit: auditOf,
    hasPaidOrder,
    listOrders: listOrdersByIds,
    guessLimiter: guards.guessLimiter,
  });
  const events = composeEvents(options, { random, box });
  const operations = composeOperations({ ...shop, mailer, fulfillment });

  const endpoints = {
    client: [
      ...identity.clientEndpoints,
      ...catalogue.clientEndpoints,
      ...orderRoutes(shop),
      ...checkout.clientEndpoints,
      ...payments.clientEndpoints,
      ...redemption.clientEndpoints,
      ...discounts.clientEndpoints,
    ],
    admin: [
      ...identity.adminEndpoints,
      ...catalogue.adminEndpoints,
      ...payments.adminEndpoints,
      ...fulfillment.adminEndpoints,
      ...redemption.adminEndpoints,
      ...discounts.adminEndpoints,
      ...events.adminEndpoints,
      ...operations.adminEndpoints,
    ],
  };
  assertAdminAccess(endpoints.admin);
  const listeners = createListeners(options, { endpoints, authenticator: identity.authenticator, guards });
  catalogue.serveMedia(listeners.client);
  return {
    ...listeners,
    endpoints,
    jobHandlers: [
      ...payments.jobHandlers,
      ...fulfillment.jobHandlers,
      ...redemption.jobHandlers,
      ...discounts.jobHandlers,
    ],
    sweeps: [
      ...identity.sweeps,
      ...catalogue.sweeps,
      ...payments.sweeps,
      ...checkout.sweeps,
      ...fulfillment.sweeps,
      ...redemption.sweeps,
      ...discounts.sweeps,
      ...events.sweeps,
    ],
    identity,
    catalogue,
    fulfillment,
    box,
    async close() {
      await Promise.all([listeners.client.close(), listeners.admin?.close()]);
      mailer.close();
      await events.close();
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
