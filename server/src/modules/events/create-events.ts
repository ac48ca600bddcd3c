import type { RecordAudit } from '../../platform/audit.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { Logger } from '../../platform/log.ts';
import { PrivateAddressError, resolvePublicly } from '../../platform/outbound/address-guard.ts';
import type { Resolve } from '../../platform/outbound/address-guard.ts';
import { createOutboundClient } from '../../platform/outbound/outbound-client.ts';
import type { Random } from '../../platform/random.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Clock } from '../../platform/time.ts';
import { deliveryRoutes } from './deliveries/delivery-routes.ts';
import { createDispatcher } from './deliveries/dispatcher.ts';
import type { Dispatcher } from './deliveries/dispatcher.ts';
import { forgetDeliveriesSweep } from './deliveries/forget-deliveries.ts';
import type { AlertDisabled } from './deliveries/settle-attempt.ts';
import { endpointRoutes } from './endpoints/endpoint-routes.ts';
import { createNatsFollower } from './stream/nats-follower.ts';
import { publishEvents } from './stream/publish-events.ts';
import type { PublishDeps } from './stream/publish-events.ts';

export interface EventsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly box: SecretBox;
  readonly recordAudit: RecordAudit;
  /** Webhooks to private addresses and plain HTTP: for development only. */
  readonly allowPrivate: boolean;
  /** A NATS server with JetStream that gets every event too. */
  readonly natsUrl: string | undefined;
  /** Alerts are another module's: it records events itself. */
  readonly alertDisabled: AlertDisabled;
  readonly resolveDisabled: (tx: Tx, endpointId: number) => Promise<void>;
  /** Stands in for the system's name server. */
  readonly resolve?: Resolve;
}

export interface Events {
  readonly adminEndpoints: Endpoint[];
  readonly sweeps: Sweep[];
  /** Nothing that is due is under way any more. */
  readonly whenIdle: () => Promise<void>;
  /** Waits for what is being sent. */
  readonly close: () => Promise<void>;
}

/** Facts to the outside: the published log, webhooks, and a stream for who wants one (interface part 6, decisions part 9). */
export function createEvents(given: EventsDeps): Events {
  const { allowPrivate, resolve, natsUrl } = given;
  const http = createOutboundClient({
    connections: 64,
    publicOnly: !allowPrivate,
    ...(resolve ? { resolve } : {}),
  });
  const problemWithAddress = async (url: string): Promise<string | undefined> =>
    allowPrivate ? undefined : whyNotPublic(url, resolve);
  const deps = { ...given, http, problemWithAddress };
  const dispatcher = createDispatcher(deps);
  const nats = natsUrl ? createNatsFollower({ ...given, url: natsUrl }) : undefined;
  return {
    adminEndpoints: [...endpointRoutes(deps), ...deliveryRoutes(deps)],
    sweeps: [publishSweep(deps, dispatcher), forgetDeliveriesSweep(deps), ...(nats ? [nats.sweep] : [])],
    whenIdle: dispatcher.whenIdle,
    async close() {
      await dispatcher.stop();
      await nats?.close();
      await http.close();
    },
  };
}

/** Gives new facts their place in the log, makes their deliveries and starts sending what is due. */
function publishSweep(deps: PublishDeps, dispatcher: Pick<Dispatcher, 'dispatch'>): Sweep {
  return {
    name: 'publish_events',
    everySeconds: 1,
    run: async () => {
      await publishEvents(deps);
      await dispatcher.dispatch();
    },
  };
}

async function whyNotPublic(url: string, resolve: Resolve | undefined): Promise<string | undefined> {
  try {
    await resolvePublicly(new URL(url).hostname, resolve);
    return undefined;
  } catch (error) {
    return error instanceof PrivateAddressError
      ? 'url must lead to a public address'
      : 'url has a host name that cannot be resolved';
  }
}
