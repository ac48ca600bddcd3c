import type { FastifyInstance } from 'fastify';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';

import type { Database } from '../platform/db/database.ts';
import { findPaymentStatus, toPaymentStatusWire } from '../modules/payments/index.ts';

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const STYLE =
  'font-family:system-ui,sans-serif;max-width:36rem;margin:12vh auto 0;padding:0 1rem;line-height:1.5;color-scheme:light dark';

/**
 * Where a browser lands after the gateway's page. It says how the order stands and nothing else: no code is ever here,
 * so knowing the transaction id (which carries 10 random characters) is enough to read it.
 */
export function servePaymentResult(app: FastifyInstance, deps: { db: Database }): void {
  app.get<{ Querystring: { transactionId?: string } }>(
    '/payment-result',
    { schema: { hide: true } },
    async (request, reply) => {
      const { transactionId } = request.query;
      const row = transactionId
        ? await findPaymentStatus(deps.db, transactionId.slice(0, 100), null)
        : undefined;
      const page = row ? pageFor(toPaymentStatusWire(row)) : unknownPage();
      return reply
        .code(row ? 200 : 404)
        .headers({
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'content-security-policy': POLICY,
          'referrer-policy': 'no-referrer',
        })
        .send(`<!doctype html>${render(page)}`);
    },
  );
}

interface Shown {
  readonly title: string;
  readonly message: string;
  readonly note: string;
  readonly refreshSeconds?: number;
}

function pageFor(status: ReturnType<typeof toPaymentStatusWire>): VNode {
  const isOpen = status.orderStatus === 'PENDING';
  return layout({
    title: status.orderStatusLabel,
    message: status.orderStatusMessage,
    note: `Order ${status.orderNumber}. Your codes come by e-mail; you can close this page.`,
    ...(isOpen ? { refreshSeconds: 3 } : {}),
  });
}

function unknownPage(): VNode {
  return layout({
    title: 'We do not know this payment',
    message: 'If you have paid, your codes come by e-mail all the same.',
    note: 'Open your orders to see how they stand.',
  });
}

function layout(shown: Shown): VNode {
  const { title, message, note, refreshSeconds } = shown;
  const refresh = refreshSeconds ? html`<meta http-equiv="refresh" content=${refreshSeconds} />` : null;
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title}</title>
      ${refresh}
    </head>
    <body style=${STYLE}>
      <main role="status">
        <h1>${title}</h1>
        <p>${message}</p>
        <p>${note}</p>
      </main>
    </body>
  </html>`;
}
