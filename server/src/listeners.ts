import type { FastifyInstance } from 'fastify';

import type { AppOptions } from './app-options.ts';
import type { ListenerGuards } from './guard-listeners.ts';
import { describeEvents } from './modules/events/index.ts';
import { serveEmailVerification, servePasswordReset } from './pages/mail-link-pages.ts';
import { servePaymentResult } from './pages/payment-result.ts';
import { serveApi, serveDescription, serveDocsAssets } from './platform/http/api-docs.ts';
import type { Api } from './platform/http/api-docs.ts';
import type { Endpoint } from './platform/http/endpoint.ts';
import { serveHealth } from './platform/http/health.ts';
import { createIdempotencyStore } from './platform/http/idempotency.ts';
import type { Authenticator } from './platform/http/mount.ts';
import { createHttpServer } from './platform/http/server.ts';

export interface Listeners {
  /** Client API, and the admin API too unless it has a listener of its own. */
  readonly client: FastifyInstance;
  readonly admin: FastifyInstance | undefined;
  /** Readiness turns false; what is under way goes on. */
  drain(): void;
}

export interface ListenerParts {
  readonly endpoints: { readonly client: readonly Endpoint[]; readonly admin: readonly Endpoint[] };
  readonly authenticator: Authenticator;
  readonly guards: ListenerGuards;
}

/** Puts the endpoints on one listener, or on two when the admin API has a port of its own. */
export function createListeners(options: AppOptions, parts: ListenerParts): Listeners {
  const { config, db, log, version, migrations } = options;
  let isDraining = false;
  const mount = {
    authenticator: parts.authenticator,
    idempotency: createIdempotencyStore(db),
    version,
  };
  const createListener = (apis: readonly Api[]): FastifyInstance => {
    const server = createHttpServer({ log, trustProxy: config.trustProxy });
    parts.guards.guard(server);
    serveHealth(server, { db, migrations, isDraining: () => isDraining, metricsToken: config.metricsToken });
    serveDocsAssets(server);
    for (const api of apis) serveApi(server, api, mount);
    serveDescription(server, '/openapi/events.json', describeEvents(version));
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
  const admin = ownAdmin ? createListener([adminApi]) : undefined;
  servePaymentResult(client, { db });
  serveEmailVerification(client);
  servePasswordReset(admin ?? client);
  return {
    client,
    admin,
    drain: () => {
      isDraining = true;
    },
  };
}
