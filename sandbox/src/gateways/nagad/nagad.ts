import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isIPv4 } from 'node:net';
import { wire } from '../../faults/wire.ts';
import type { World } from '../../world.ts';
import type { Gateway } from '../gateway.ts';
import { createCheckoutCalls } from './checkout-calls.ts';
import type { CompleteBody } from './checkout-calls.ts';
import { openOrders } from './orders.ts';
import type { Order, Orders } from './orders.ts';
import { cancelPurchase } from './purchase-cancel.ts';
import { Refusal } from './refusal.ts';
import { readKeys } from './sealed-text.ts';
import type { SealedText } from './sealed-text.ts';
import { verifyPayment } from './verification.ts';

const TARGET = 'wallet_direct';
const BASE = '/api/dfs';
const PAGE = '/check-out/';
const CLIENT_TYPES = ['PC_WEB', 'MOBILE_WEB', 'MOBILE_APP', 'WALLET_WEB_VIEW', 'BILL_KEY'];

const TOLD = {
  success: { status: 'Success', status_code: '00_0000_000', message: 'Successful Transaction' },
  failure: { status: 'Failed', status_code: '50_0026_851', message: 'Insufficient Balance' },
  cancel: { status: 'Aborted', status_code: '50_0026_850', message: 'Transaction Aborted by User' },
} as const;

/** Nagad: two encrypted and signed calls open a payment, a plain GET proves it. */
export function createNagad(world: World): Gateway {
  const account = world.credentials.walletDirect;
  const orders = openOrders(world.ledger);
  const orderOf = (reference: string): Order => {
    const order = orders.find(reference);
    if (!order) throw new Error(`no order ${reference}`);
    return order;
  };

  return {
    name: TARGET,
    vendor: 'Nagad',
    checkoutPath: `${PAGE}:paymentReferenceId`,
    config: () => ({
      base_url: world.url(),
      merchant_id: account.merchantId,
      merchant_number: account.merchantNumber,
      merchant_private_key: account.merchantKeys.privateKey,
      gateway_public_key: account.gatewayKeys.publicKey,
    }),
    serve: (app) => serve(app, world, orders),
    sessionAt(url) {
      if (!url.pathname.startsWith(PAGE)) return undefined;
      const order = orders.find(decodeURIComponent(url.pathname.slice(PAGE.length)));
      return order?.checkout ? order.paymentReferenceId : undefined;
    },
    view(reference) {
      const { orderId, checkout, outcome } = orderOf(reference);
      return {
        merchant: 'Demo merchant',
        reference: orderId,
        description: `Order ${orderId}`,
        amount: checkout?.amount ?? '',
        currency: 'BDT',
        ...(outcome ? { outcome } : {}),
      };
    },
    settle: (reference, outcome) => orders.settle(orderOf(reference), outcome),
    callbacks: (reference) => [{ via: 'browser', method: 'GET', url: callbackUrl(orderOf(reference)) }],
  };
}

/** "/cb" is called as "/cb/?…", and the reference keeps its "=" signs unescaped. */
function callbackUrl({
  checkout,
  merchantId,
  orderId,
  paymentReferenceId,
  outcome = 'failure',
  ...paid
}: Order): string {
  const { status, status_code: code, message } = TOLD[outcome];
  const registered = checkout?.callbackUrl ?? '';
  const start = registered.includes('?') ? `${registered}&` : `${registered.replace(/\/$/, '')}/?`;
  const what = `merchant=${merchantId}&order_id=${orderId}&payment_ref_id=${paymentReferenceId}`;
  const how = `status=${status}&status_code=${code}&message=${encodeURIComponent(message)}`;
  const when = `payment_dt=${paid.paidAt?.replaceAll(/\D/g, '')}&issuer_payment_ref=${paid.issuerPaymentRef}`;
  return [`${start}${what}`, how, ...(outcome === 'success' ? [when] : [])].join('&');
}

function serve(app: FastifyInstance, world: World, orders: Orders): void {
  const { gatewayKeys, merchantKeys } = world.credentials.walletDirect;
  const keys = readKeys(gatewayKeys.privateKey, merchantKeys.publicKey);
  const calls = createCheckoutCalls(world, orders, keys);

  void app.register(async (nagad) => {
    nagad.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
      const reason = error instanceof Refusal ? error.reason : 'INVALID_REQUEST';
      return reply.code(error.statusCode ?? 500).send({ reason, message: error.message });
    });

    nagad.post<{ Params: { merchantId: string; orderId: string } }>(
      `${BASE}/check-out/initialize/:merchantId/:orderId`,
      wire(TARGET, 'init'),
      async (request) => {
        checkHeaders(request);
        return calls.initialize(request.params, sealedIn(request.body));
      },
    );
    nagad.post<{ Params: { reference: string }; Body: Partial<CompleteBody> | null }>(
      `${BASE}/check-out/complete/:reference`,
      wire(TARGET, 'init'),
      async (request) => {
        checkHeaders(request);
        const { merchantCallbackURL = '', additionalMerchantInfo = null } = request.body ?? {};
        return calls.complete(request.params.reference, {
          ...sealedIn(request.body),
          merchantCallbackURL,
          additionalMerchantInfo,
        });
      },
    );
    nagad.get<{ Params: { reference: string } }>(
      `${BASE}/verify/payment/:reference`,
      wire(TARGET, 'verify', 'query'),
      async (request) => verifyPayment(world, orders, request.params.reference),
    );
    nagad.post<{ Querystring: { orderId?: string; paymentRefId?: string } }>(
      `${BASE}/purchase/cancel`,
      wire(TARGET, 'refund'),
      async (request) => {
        const { orderId = '', paymentRefId = '' } = request.query;
        const order = orders.find(paymentRefId) ?? orders.withOrderId(orderId);
        return cancelPurchase(world, orders, {
          order,
          body: sealedIn(request.body, 'sensitiveDataCancelRequest'),
          keys,
        });
      },
    );
  });
}

function sealedIn(body: unknown, name = 'sensitiveData'): SealedText {
  const fields = (body ?? {}) as Record<string, unknown>;
  const { [name]: sensitiveData, signature } = fields;
  if (typeof sensitiveData !== 'string' || typeof signature !== 'string') {
    throw new Refusal(400, 'INVALID_REQUEST', `${name} and signature are required`);
  }
  return { sensitiveData, signature };
}

/** Verify calls come without the last two from some clients, so only opening calls are held to all three. */
function checkHeaders({ headers }: FastifyRequest): void {
  if (headers['x-km-api-version'] !== 'v-0.2.0')
    throw new Refusal(400, 'INVALID_HEADER', 'X-KM-Api-Version must be v-0.2.0');
  if (!isIPv4(String(headers['x-km-ip-v4'])))
    throw new Refusal(400, 'INVALID_HEADER', 'X-KM-IP-V4 must be an IPv4 address');
  if (!CLIENT_TYPES.includes(String(headers['x-km-client-type']))) {
    throw new Refusal(400, 'INVALID_HEADER', 'X-KM-Client-Type is not known');
  }
}
