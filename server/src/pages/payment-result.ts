import type { FastifyInstance } from 'fastify';
import { html } from 'htm/preact';

import type { Database } from '../platform/db/database.ts';
import { findPaymentStatus, toPaymentStatusWire } from '../modules/payments/index.ts';
import { sendPage } from './page.ts';
import type { Page } from './page.ts';

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
      return sendPage(reply, row ? pageFor(toPaymentStatusWire(row)) : unknownPage());
    },
  );
}

function pageFor(status: ReturnType<typeof toPaymentStatusWire>): Page {
  const isOpen = status.orderStatus === 'PENDING';
  return {
    status: 200,
    language: 'en',
    title: status.orderStatusLabel,
    children: html`<div role="status">
      <p>${status.orderStatusMessage}</p>
      <p>Order ${status.orderNumber}. Your codes come by e-mail; you can close this page.</p>
    </div>`,
    ...(isOpen ? { refreshSeconds: 3 } : {}),
  };
}

function unknownPage(): Page {
  return {
    status: 404,
    language: 'en',
    title: 'We do not know this payment',
    children: html`<p>If you have paid, your codes come by e-mail all the same.</p>
      <p>Open your orders to see how they stand.</p>`,
  };
}
