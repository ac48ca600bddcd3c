import type { FastifyInstance } from 'fastify';
import type { GatewayName } from '../faults/fault-catalogue.ts';
import type { World } from '../world.ts';

/** What a person does on the hosted checkout page. */
export type Outcome = 'success' | 'failure' | 'cancel';

/** What the checkout page shows. */
export interface CheckoutView {
  merchant: string;
  reference: string;
  description: string;
  amount: string;
  currency: string;
  /** What the person did, once they did it; a session ends once. */
  outcome?: Outcome;
}

/** One message to the merchant: from our server, or carried by the person's browser. */
export interface Callback {
  via: 'server' | 'browser';
  method: 'GET' | 'POST';
  url: string;
  form?: Readonly<Record<string, string>>;
  json?: object;
}

/**
 * One gateway: its vendor's endpoints, and what lies behind its checkout page. The page itself,
 * clicks, callbacks and their faults are the same for all (`checkout.ts`), so a sixth gateway
 * is one folder and one line in `gateways.ts`.
 */
export interface Gateway {
  name: GatewayName;
  /** For people: the vendor that is imitated. */
  vendor: string;
  /** Where the vendor hosts its checkout page, as a Fastify route. */
  checkoutPath: string;
  /** The config our service needs to talk to it, secrets included. */
  config(): Record<string, string>;
  /** Registers the vendor's endpoints. */
  serve(app: FastifyInstance): void;
  /** The session behind an address of the checkout page. */
  sessionAt(url: URL): string | undefined;
  view(session: string): CheckoutView;
  /** Ends the session; only called while it has no outcome. */
  settle(session: string, outcome: Outcome): void;
  /** What the merchant is told about a session that has ended. */
  callbacks(session: string): Callback[];
}

export type GatewayFactory = (world: World) => Gateway;
