import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { brokenCheckoutPage, checkoutPage, handOverPage, noCallbackPage } from '../pages/checkout-page.ts';
import type { World } from '../world.ts';
import { dispatchCallbacks } from './callbacks.ts';
import type { Dispatch } from './callbacks.ts';
import type { CheckoutView, Gateway, Outcome } from './gateway.ts';

export interface OpenCheckout {
  gateway: Gateway;
  session: string;
}

const OUTCOMES = ['success', 'failure', 'cancel'] as const satisfies readonly Outcome[];

export function outcomeOf(value: unknown): Outcome | undefined {
  return OUTCOMES.find((outcome) => outcome === value);
}

/** The checkout session behind an address; the host does not matter. */
export function findCheckout(gateways: readonly Gateway[], address: string): OpenCheckout | undefined {
  if (!URL.canParse(address, 'http://sandbox')) return undefined;
  const url = new URL(address, 'http://sandbox');
  for (const gateway of gateways) {
    const session = gateway.sessionAt(url);
    if (session !== undefined) return { gateway, session };
  }
  return undefined;
}

/** Ends the session, unless it has ended before, and makes its callbacks (again). */
export async function finish(
  world: World,
  { gateway, session }: OpenCheckout,
  act: { outcome: Outcome; browser: 'simulated' | 'person' },
): Promise<Dispatch & { outcome: Outcome }> {
  const outcome = gateway.view(session).outcome ?? act.outcome;
  if (gateway.view(session).outcome === undefined) gateway.settle(session, outcome);
  const callbacks = gateway.callbacks(session);
  return {
    outcome,
    ...(await dispatchCallbacks(world, gateway.name, { callbacks, browser: act.browser })),
  };
}

/** Serves every gateway's hosted checkout page; `home` answers at `/` when it is none. */
export function serveCheckouts(
  app: FastifyInstance,
  world: World,
  { gateways, home }: { gateways: readonly Gateway[]; home: () => string },
): void {
  const paths = new Set(['/', ...gateways.map((gateway) => gateway.checkoutPath)]);
  for (const path of paths) {
    app.get(path, async (request, reply) => {
      const checkout = findCheckout(gateways, request.url);
      if (checkout) return showPage(reply, checkout);
      if (path === '/') return reply.type('text/html').send(home());
      return reply.code(404).type('text/html').send(brokenCheckoutPage());
    });
    app.post(path, async (request, reply) => answerClick(world, gateways, { request, reply }));
  }
}

function showPage(reply: FastifyReply, { gateway, session }: OpenCheckout) {
  const view: CheckoutView = gateway.view(session);
  return reply.type('text/html').send(checkoutPage({ vendor: gateway.vendor, view }));
}

async function answerClick(
  world: World,
  gateways: readonly Gateway[],
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
) {
  const checkout = findCheckout(gateways, request.url);
  const outcome = outcomeOf((request.body as { outcome?: unknown } | null)?.outcome);
  if (!checkout || !outcome) return reply.code(404).type('text/html').send(brokenCheckoutPage());
  const { forBrowser, fault } = await finish(world, checkout, { outcome, browser: 'person' });
  const [callback] = forBrowser;
  if (!callback) return reply.type('text/html').send(noCallbackPage(fault));
  if (callback.method === 'GET') return reply.redirect(callback.url, 302);
  return reply.type('text/html').send(handOverPage({ action: callback.url, fields: callback.form ?? {} }));
}
