import type { AppOptions } from './app-options.ts';
import { composeCatalogue } from './compose-catalogue.ts';
import { composeEvents } from './compose-events.ts';
import { composeIdentity } from './compose-identity.ts';
import { composeOperations } from './compose-operations.ts';
import { composeShop } from './compose-shop.ts';
import { createListenerGuards } from './guard-listeners.ts';
import { createListeners } from './listeners.ts';
import type { Listeners } from './listeners.ts';
import type { Catalogue } from './modules/catalogue/index.ts';
import type { Fulfillment } from './modules/fulfillment/index.ts';
import { assertAdminAccess } from './modules/identity/index.ts';
import type { Identity } from './modules/identity/index.ts';
import { createMailer } from './modules/mail/index.ts';
import { openGateways } from './modules/payments/index.ts';
import { serveRedeemPages } from './pages/redeem/serve-redeem-pages.ts';
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
  const { config, db, keys, outside } = options;
  const random = systemRandom;
  const box = createSecretBox(keys.vault);
  const http = createOutboundClient({ connections: 32 });
  const mailer = createMailer({ smtpUrl: outside.smtpUrl, from: config.mailFrom });
  const guards = createListenerGuards(options);
  const gateways = openGateways(outside.gateways, { db, box, http, random });

  const identity = composeIdentity(options, { random, box, http, mailer });
  const catalogue = composeCatalogue(options, () => gateways.methods);
  const ground = { random, box, http, mailer, guards, gateways, identity, catalogue };
  const { shop, ...selling } = composeShop(options, ground);
  const { fulfillment } = selling;
  const events = composeEvents(options, { random, box });
  const operations = composeOperations({ ...shop, mailer, fulfillment, catalogue });

  const parts = gather([identity, catalogue, ...Object.values(selling), events, operations]);
  assertAdminAccess(parts.endpoints.admin);
  const { endpoints } = parts;
  const listeners = createListeners(options, { endpoints, authenticator: identity.authenticator, guards });
  catalogue.serveMedia(listeners.client);
  serveRedeemPages(listeners.client, selling.redemption.counter);
  return {
    ...listeners,
    ...parts,
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

/** What a module may bring along. */
interface ModuleParts {
  readonly clientEndpoints?: readonly Endpoint[];
  readonly adminEndpoints?: readonly Endpoint[];
  readonly jobHandlers?: readonly JobHandler[];
  readonly sweeps?: readonly Sweep[];
}

function gather(modules: readonly ModuleParts[]): Pick<App, 'endpoints' | 'jobHandlers' | 'sweeps'> {
  return {
    endpoints: {
      client: modules.flatMap((one) => one.clientEndpoints ?? []),
      admin: modules.flatMap((one) => one.adminEndpoints ?? []),
    },
    jobHandlers: modules.flatMap((one) => one.jobHandlers ?? []),
    sweeps: modules.flatMap((one) => one.sweeps ?? []),
  };
}
