import type { FastifyInstance } from 'fastify';
import { wire } from '../faults/wire.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { randomLetters } from '../random-text.ts';
import type { World } from '../world.ts';

export interface Sms {
  to: string;
  text: string;
  /** ISO 8601. */
  receivedAt: string;
}

export interface SmsBox {
  add(id: string, sms: Sms): void;
  /** Oldest first; numbers are compared by their digits, so a plus lost in a query does no harm. */
  list(to?: string): Sms[];
  clear(): void;
}

export function openSmsBox(ledger: Ledger): SmsBox {
  const table = ledger.table<Sms>('sms');
  const digits = (number: string) => number.replaceAll(/\D/g, '');
  const sentTo = table.indexBy((sms) => digits(sms.to));
  return {
    add: (id, sms) => table.put(id, sms),
    list: (to) => (to === undefined ? table.rows() : sentTo(digits(to))),
    clear: () => table.clear(),
  };
}

/** `POST /sms/send` {to, text, from?} with a bearer key answers {id, status: "accepted"}. */
export function serveSms(app: FastifyInstance, world: World, box: SmsBox): void {
  app.post<{ Body: { to?: unknown; text?: unknown } | null }>(
    '/sms/send',
    wire('sms', 'delivery'),
    async (request, reply) => {
      if (request.headers.authorization !== `Bearer ${world.credentials.sms.apiKey}`) {
        return reply.code(401).send({ error: 'invalid api key' });
      }
      const { to, text } = request.body ?? {};
      if (typeof to !== 'string' || !/^\+?\d{8,15}$/.test(to) || typeof text !== 'string' || text === '') {
        return reply.code(400).send({ error: '"to" must be a phone number and "text" must not be empty' });
      }
      if (world.faults.take('sms', 'reject', ['delivery'])) {
        return reply.code(422).send({ error: 'the operator refused the message' });
      }
      const id = randomLetters(20);
      box.add(id, { to, text, receivedAt: new Date().toISOString() });
      return { id, status: 'accepted' };
    },
  );
}
