import type { FastifyInstance } from 'fastify';
import { readFaultOrder } from '../control/fault-order.ts';
import { serveCheckouts } from '../gateways/checkout.ts';
import type { Gateway } from '../gateways/gateway.ts';
import type { Mailbox } from '../mail/mailbox.ts';
import type { SmsBox } from '../sms/sms-gateway.ts';
import type { World } from '../world.ts';
import { homePage } from './home-page.ts';
import { inboxPage, mailNotFoundPage, mailPage, smsPage } from './inbox-pages.ts';

interface Shown {
  gateways: readonly Gateway[];
  mailbox: Mailbox;
  smsBox: SmsBox;
}

/** Every page for people; none of them lets a browser reach outside. */
export function servePages(app: FastifyInstance, world: World, { gateways, mailbox, smsBox }: Shown): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    const type = reply.getHeader('content-type');
    if (typeof type === 'string' && type.startsWith('text/html')) {
      void reply.type('text/html; charset=utf-8').headers({
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; frame-src 'self'",
        'cache-control': 'no-store',
      });
    }
    return payload;
  });
  const vendors = gateways.map((gateway) => gateway.vendor);
  const home = (refusal?: string) => homePage({ vendors, armed: world.faults.armed(), refusal });
  serveCheckouts(app, world, { gateways, home: () => home() });
  app.post('/faults', async (request, reply) => {
    const order = readFaultOrder(request.body);
    if ('error' in order) return reply.code(400).type('text/html').send(home(order.error));
    world.faults.arm(order);
    return reply.redirect('/', 303);
  });
  app.get('/inbox', async (_request, reply) => reply.type('text/html').send(inboxPage(mailbox.list())));
  app.get<{ Params: { id: string } }>('/inbox/:id', async (request, reply) => {
    const mail = mailbox.find(request.params.id);
    return reply
      .code(mail ? 200 : 404)
      .type('text/html')
      .send(mail ? mailPage(mail) : mailNotFoundPage());
  });
  app.get('/sms', async (_request, reply) => reply.type('text/html').send(smsPage(smsBox.list())));
}
