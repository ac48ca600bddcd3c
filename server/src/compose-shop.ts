import type { AppOptions } from './app-options.ts';
import { auditOf } from './compose-operations.ts';
import type { ListenerGuards } from './guard-listeners.ts';
import { findVariantsForSale, readMethodRules } from './modules/catalogue/index.ts';
import type { Catalogue } from './modules/catalogue/index.ts';
import { createCheckout, holdOrder } from './modules/checkout/index.ts';
import { createDiscounts } from './modules/discounts/index.ts';
import { createFulfillment, prepareHandOver } from './modules/fulfillment/index.ts';
import type { Identity } from './modules/identity/index.ts';
import type { Mailer } from './modules/mail/index.ts';
import { hasPaidOrder, listOrdersByIds, orderRoutes } from './modules/orders/index.ts';
import { createPayments } from './modules/payments/index.ts';
import type { Gateways } from './modules/payments/index.ts';
import { createRedemption } from './modules/redemption/index.ts';
import type { OutboundClient } from './platform/outbound/outbound-client.ts';
import type { Random } from './platform/random.ts';
import type { SecretBox } from './platform/secret-box.ts';

/** What the shop's modules stand on. */
export interface ShopGround {
  readonly random: Random;
  readonly box: SecretBox;
  readonly http: OutboundClient;
  readonly mailer: Mailer;
  readonly guards: ListenerGuards;
  readonly gateways: Gateways;
  readonly identity: Identity;
  readonly catalogue: Catalogue;
}

/** Orders, payments and everything that delivers: the modules that sell. */
export function composeShop({ config, db, clock, log }: AppOptions, ground: ShopGround) {
  const { random, box, gateways, http, mailer, guards, identity, catalogue } = ground;
  const { publicUrl, orderTtlSeconds } = config;
  const shop = { db, clock, random, log, box, gateways, orderTtlSeconds, recordAudit: auditOf };
  const letters = { box, mailDomain: mailer.domain };
  const payments = createPayments({
    ...shop,
    callbackUrlOf: (gateway) => `${publicUrl}/api/v1/payments/${gateway.segment}/callback`,
    resultPageUrl: (transactionId) => resultPageUrl(publicUrl, transactionId),
    findCustomer: (reader, userId) => identity.findUserContact(reader, userId),
    readMethodRules,
    holdOrder,
    prepareHandOver: (tx, orderId) => prepareHandOver(letters, tx, orderId),
  });
  const fulfillment = createFulfillment({ ...shop, ...letters, http, mailer });
  const checkout = createCheckout({
    ...shop,
    ...payments.initiateDeps,
    findVariantsForSale,
  });
  const { guessLimiter } = guards;
  const noteStockChange = (): void => catalogue.noteChange();
  const redemption = createRedemption({ ...shop, mailer, publicUrl, noteStockChange, guessLimiter });
  const discounts = createDiscounts({ ...shop, hasPaidOrder, listOrders: listOrdersByIds, guessLimiter });
  const orders = { clientEndpoints: orderRoutes(shop) };
  return { shop, orders, payments, fulfillment, checkout, redemption, discounts };
}

function resultPageUrl(publicUrl: string, transactionId: string | null): string {
  const query = transactionId ? `?transactionId=${encodeURIComponent(transactionId)}` : '';
  return `${publicUrl}/payment-result${query}`;
}
