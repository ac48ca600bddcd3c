import { Type } from 'typebox';
import type { TSchema } from 'typebox';

import { eventCatalogue, eventTypes } from './event-catalogue.ts';
import type { EventType } from './event-catalogue.ts';
import type { EventBody } from './event-body.ts';

const headers = Type.Object({
  'webhook-id': Type.String({ description: 'The event’s id: the same each time it is sent' }),
  'webhook-timestamp': Type.String({ description: 'When this request was sent, in seconds since 1970' }),
  'webhook-signature': Type.String({
    description:
      '`v1,` and base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; two of them, with a space ' +
      'between, for 24 hours after the secret was rotated',
  }),
});

const description =
  `Facts for other systems, sent to webhook endpoints (\`POST /api/v1/admin/webhooks\`) after the Standard
Webhooks specification, and, where NATS is set up, to the subjects \`voucher.events.<type>\` of the JetStream stream
VOUCHER_EVENTS with the event's id as \`Nats-Msg-Id\`. At least once: drop an id that you have seen. In order for one order,
campaign or other thing. Kinds and fields are added without notice; none is taken away. No event holds a voucher code, pin,
password, one-time password or token.`.replaceAll('\n', ' ');

/** JSON Schema of a whole body of this kind. Consumers accept fields that they do not know. */
export function eventSchema(type: EventType): TSchema {
  return Type.Object({
    id: Type.String({ format: 'uuid' }),
    type: Type.Literal(type),
    timestamp: Type.String({ format: 'date-time', description: 'When the fact became true' }),
    data: Type.Object(eventCatalogue[type].data.properties),
  });
}

export function eventExample(type: EventType): EventBody {
  return {
    id: '0b9c4d3e-5a57-4a0e-9d3c-2f6b1c8e7a10',
    type,
    timestamp: '2026-11-21T06:30:00.000Z',
    data: eventCatalogue[type].example,
  };
}

/** Every kind of event as an AsyncAPI 3 document, out of the catalogue that types what is recorded. */
export function describeEvents(version: string): string {
  const messages = Object.fromEntries(
    eventTypes.map((type) => [
      type,
      {
        name: type,
        summary: eventCatalogue[type].meaning,
        contentType: 'application/json',
        headers: { $ref: '#/components/schemas/webhook-headers' },
        payload: eventSchema(type),
        examples: [{ name: type, payload: eventExample(type) }],
      },
    ]),
  );
  const inChannel = eventTypes.map((type) => [type, { $ref: `#/components/messages/${type}` }] as const);
  const document = {
    asyncapi: '3.0.0',
    info: { title: 'Voucher commerce: events', version, description },
    defaultContentType: 'application/json',
    channels: {
      webhooks: {
        address: null,
        title: 'Webhook endpoints',
        description: 'An HTTP POST to each endpoint that asks for the kind. Answer 2xx within 15 seconds.',
        messages: Object.fromEntries(inChannel),
      },
    },
    operations: {
      deliver: { action: 'send', channel: { $ref: '#/channels/webhooks' }, summary: 'A fact became true' },
    },
    components: { messages, schemas: { 'webhook-headers': headers } },
  };
  return JSON.stringify(document, null, 2);
}
