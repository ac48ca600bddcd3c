import type { FastifyInstance } from 'fastify';
import { targetOf, TARGETS } from '../faults/fault-catalogue.ts';
import { findCheckout, finish, outcomeOf } from '../gateways/checkout.ts';
import type { Gateway } from '../gateways/gateway.ts';
import { AGREED_IPN, openIpnAddresses } from '../gateways/ipn-addresses.ts';
import type { Mailbox } from '../mail/mailbox.ts';
import type { SmsBox } from '../sms/sms-gateway.ts';
import type { World } from '../world.ts';
import { readFaultOrder } from './fault-order.ts';

export interface Controlled {
  gateways: readonly Gateway[];
  mailbox: Mailbox;
  smsBox: SmsBox;
  /** What our service must be configured with, by target. */
  credentials(): Record<string, Record<string, string>>;
}

const LEDGER_LIMIT = 1_000;

/** The control API of decisions, part 10: for tests and for people who rehearse. */
export function serveControl(app: FastifyInstance, world: World, controlled: Controlled): void {
  serveFaults(app, world);
  serveInboxes(app, controlled);
  servePay(app, world, controlled.gateways);
  serveIpn(app, world);

  app.get<{ Querystring: { target?: string; call?: string; limit?: string } }>(
    '/_control/ledger',
    async (request, reply) => {
      const { target: name, call, limit } = request.query;
      const target = name === undefined ? undefined : targetOf(name);
      if (name !== undefined && !target)
        return reply.code(400).send({ error: `unknown target "${name}"`, allowed: TARGETS });
      const items = await world.ledger.exchanges(
        (exchange) =>
          (target === undefined || exchange.target === target) &&
          (call === undefined || exchange.call === call),
        Number(limit) > 0 ? Number(limit) : LEDGER_LIMIT,
      );
      return { items };
    },
  );

  app.get('/_control/credentials', async () => controlled.credentials());
}

function serveFaults(app: FastifyInstance, world: World): void {
  const listed = () => ({ faults: world.faults.armed() });
  app.get('/_control/faults', async () => listed());
  app.post('/_control/faults', async (request, reply) => {
    const order = readFaultOrder(request.body);
    if ('error' in order) return reply.code(400).send(order);
    world.faults.arm(order);
    return listed();
  });
  app.delete('/_control/faults', async () => {
    world.faults.clear();
    return listed();
  });
}

function serveInboxes(app: FastifyInstance, { mailbox, smsBox }: Controlled): void {
  app.get<{ Querystring: { to?: string } }>('/_control/mail', async (request) => ({
    items: mailbox.list(request.query.to).map(({ id: _id, ...mail }) => mail),
  }));
  app.delete('/_control/mail', async () => {
    mailbox.clear();
    return { items: [] };
  });
  app.get<{ Querystring: { to?: string } }>('/_control/sms', async (request) => ({
    items: smsBox.list(request.query.to),
  }));
  app.delete('/_control/sms', async () => {
    smsBox.clear();
    return { items: [] };
  });
}

/** Answers once the callbacks were delivered, saying what was sent and how it was answered. */
function servePay(app: FastifyInstance, world: World, gateways: readonly Gateway[]): void {
  app.post<{ Body: { url?: unknown; outcome?: unknown } | null }>('/_control/pay', async (request, reply) => {
    const { url, outcome: wanted } = request.body ?? {};
    const outcome = outcomeOf(wanted);
    if (!outcome)
      return reply.code(400).send({
        error: `unknown outcome "${String(wanted)}"`,
        allowed: ['success', 'failure', 'cancel'],
      });
    const checkout = findCheckout(gateways, String(url));
    if (!checkout) return reply.code(404).send({ error: `no payment session behind "${String(url)}"` });
    const done = await finish(world, checkout, { outcome, browser: 'simulated' });
    return {
      gateway: checkout.gateway.name,
      outcome: done.outcome,
      callbacks: done.deliveries,
      ...(done.fault ? { fault: done.fault } : {}),
    };
  });
}

/** `{target, url}`: where a gateway that is told beforehand posts its server-to-server notice; '' for nowhere. */
function serveIpn(app: FastifyInstance, world: World): void {
  const addresses = openIpnAddresses(world.ledger);
  app.post<{ Body: { target?: string; url?: unknown } | null }>('/_control/ipn', async (request, reply) => {
    const { target = '', url } = request.body ?? {};
    const gateway = AGREED_IPN.find((name) => name === targetOf(target));
    if (!gateway)
      return reply.code(400).send({ error: `"${target}" has no agreed address`, allowed: AGREED_IPN });
    if (typeof url !== 'string' || (url !== '' && !URL.canParse(url))) {
      return reply.code(400).send({ error: '"url" must be an address, or empty' });
    }
    addresses.agree(gateway, url);
    return { target: gateway, url };
  });
}
