import { expect } from 'vitest';

import { call, control, fault, order, pay } from './shop.ts';
import type { Customer, OrderAnswer } from './shop.ts';
import type { TestService } from './test-service.ts';

export interface AuthorisedSession {
  readonly id: number;
  /** What bKash calls it. */
  readonly paymentID: string;
}

/** A session that the customer agreed to with a PIN: the money waits for our word, and no callback came. */
export async function authorise(
  service: TestService,
  orderId: number,
  url: string,
): Promise<AuthorisedSession> {
  await fault(service, { target: 'wallet_tokenized', fault: 'drop_callback' });
  await pay(service, url);
  const { rows } = await service.db.query<AuthorisedSession>(
    `SELECT id, gateway_session_id AS "paymentID" FROM payments WHERE order_id = $1 AND payment_gateway_url = $2`,
    [orderId, url],
  );
  if (!rows[0]) throw new Error('no session');
  return rows[0];
}

export async function placeOrder(
  service: TestService,
  customer: Customer,
  variantId: number,
): Promise<OrderAnswer> {
  return (await order(service, customer, { variantId, method: 'gw_wallet_tokenized' })).data;
}

/** One more session of the order, authorised too. */
export async function anotherSession(
  service: TestService,
  customer: Customer,
  orderId: number,
): Promise<AuthorisedSession> {
  const opened = await call<{ paymentGatewayUrl: string }>(service, {
    path: `/payments/initiate/${orderId}`,
    token: customer.token,
    body: { method: 'gw_wallet_tokenized' },
  });
  expect(opened.status).toBe(200);
  return authorise(service, orderId, opened.data.paymentGatewayUrl);
}

/** Its browser comes back, as the gateway sends it. */
export async function comeBack(
  service: TestService,
  { paymentID }: AuthorisedSession,
  status: 'success' | 'cancel' | 'failure' = 'success',
): Promise<void> {
  const fields = new URLSearchParams({ paymentID, status, signature: 'abcdefghij' });
  const answered = await fetch(
    `${service.url}/api/v1/payments/wallet_tokenized/callback?${fields.toString()}`,
  );
  expect(answered.status).toBe(200);
}

/** The sweep asks about them now, and about no others. */
export async function askAbout(service: TestService, ...sessions: AuthorisedSession[]): Promise<void> {
  await service.db.query(
    `UPDATE payments SET next_verify_at = CASE WHEN id = ANY ($1) THEN timestamptz '2000-01-01' END, verifying_until = NULL`,
    [sessions.map(({ id }) => id)],
  );
  await service.sweep('verify-due-payments');
  await service.drain();
}

/** Sessions whose money the gateway took, by its own book. */
export async function taken(service: TestService, ...sessions: AuthorisedSession[]): Promise<string[]> {
  const { items } = await control<{
    items: {
      url: string;
      request: { body: { paymentID?: string } };
      response: { body: { statusCode?: string } };
    }[];
  }>(service, '/ledger?target=wallet_tokenized&call=verify&limit=1000');
  const executed = items
    .filter(({ url, response }) => url.includes('/execute') && response.body.statusCode === '0000')
    .map(({ request }) => request.body.paymentID ?? '');
  return sessions.map(({ paymentID }) => paymentID).filter((paymentID) => executed.includes(paymentID));
}

export async function statesOf(service: TestService, orderId: number): Promise<unknown> {
  const { rows } = await service.db.query(
    `SELECT o.status, o.paid_at IS NOT NULL AS paid, array_agg(p.status ORDER BY p.id) AS payments
     FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.id = $1 GROUP BY o.id`,
    [orderId],
  );
  return rows[0];
}
