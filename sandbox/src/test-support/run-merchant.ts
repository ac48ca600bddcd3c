import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface ReceivedCallback {
  method: string;
  path: string;
  query: Record<string, string>;
  form: Record<string, string>;
  body: string;
  accept: string | undefined;
}

/** A shop that takes callbacks at any path and answers 200, or a redirect to browsers. */
export async function runMerchant() {
  const received: ReceivedCallback[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://merchant');
      const { accept } = request.headers;
      received.push({
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        form: Object.fromEntries(new URLSearchParams(body)),
        body,
        accept,
      });
      if (accept?.includes('text/html')) response.writeHead(303, { location: '/result' });
      response.end('OK');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}
