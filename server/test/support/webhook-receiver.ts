import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Webhook } from 'standardwebhooks';

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly id: string;
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

type Answering = (received: ReceivedWebhook, response: ServerResponse) => void;

export interface WebhookReceiver {
  readonly url: string;
  readonly received: ReceivedWebhook[];
  /** What it answers from now on: a status, or what to do with the response. */
  answer(how: number | Answering): void;
  close(): Promise<void>;
}

/** A consumer of our webhooks. It answers 200 until told otherwise. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let answering: Answering = (_received, response) => void response.end('ok');
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const one = { headers: request.headers, text, body: JSON.parse(text) as ReceivedWebhook['body'] };
      received.push(one);
      answering(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer(how) {
      answering =
        typeof how === 'number'
          ? (_received, response) => void response.writeHead(how).end(`said ${how}`)
          : how;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Whether the specification's own library accepts it with this secret. */
export function isSignedWith(secret: string, { headers, text }: ReceivedWebhook): boolean {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
