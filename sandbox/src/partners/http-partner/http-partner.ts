import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseAmount, printAmount } from '../../amount.ts';
import { wire } from '../../faults/wire.ts';
import type { World } from '../../world.ts';
import type { Partner } from '../partner.ts';
import { openPurchases, totalCost } from './purchases.ts';
import type { Purchase, PurchaseOrder, Purchases } from './purchases.ts';

const BASE = '/partner';
const CURRENCY = 'BDT';
const QUANTITY_LIMIT = 100;
const CODE_LIFE_MS = 365 * 24 * 3_600_000;
const DEFAULT_UNIT_COST = '100.00';

/**
 * A plain partner as many aggregators have it, behind an `api-key` header:
 * `POST /partner/purchases` {reference, sku, quantity?, type?, unit_cost?, recipient?},
 * `GET /partner/purchases/:reference`, `GET /partner/balance`.
 */
export function createHttpPartner(world: World): Partner {
  return {
    name: 'partner',
    config: () => ({ base_url: `${world.url()}${BASE}`, api_key: world.credentials.partner.apiKey }),
    serve: (app) => serve(app, world, openPurchases(world)),
  };
}

function serve(app: FastifyInstance, world: World, purchases: Purchases): void {
  const stranger = { error: { code: 'UNAUTHORIZED', message: 'The api key is not valid' } };
  const isOurs = (request: FastifyRequest) => request.headers['api-key'] === world.credentials.partner.apiKey;

  app.post(`${BASE}/purchases`, wire('partner', 'purchase'), async (request, reply) => {
    if (!isOurs(request)) return reply.code(401).send(stranger);
    const order = readOrder(request.body);
    if (!order)
      return reply
        .code(400)
        .send({ error: { code: 'INVALID_REQUEST', message: 'reference, sku or quantity is not valid' } });
    const purchase = purchases.buy(order);
    return reply.code(purchase.status === 'FAILED' ? 422 : 200).send(describe(purchase));
  });

  app.get<{ Params: { reference: string } }>(
    `${BASE}/purchases/:reference`,
    wire('partner', 'query'),
    async (request, reply) => {
      if (!isOurs(request)) return reply.code(401).send(stranger);
      const purchase = purchases.find(request.params.reference);
      if (purchase) return describe(purchase);
      return reply
        .code(404)
        .send({ error: { code: 'NOT_FOUND', message: 'There is no purchase with this reference' } });
    },
  );

  app.get(`${BASE}/balance`, wire('partner', 'catalogue'), async (request, reply) => {
    if (!isOurs(request)) return reply.code(401).send(stranger);
    return { balance: printAmount(purchases.account.shownMinor()), currency: CURRENCY };
  });
}

function readOrder(body: unknown): PurchaseOrder | undefined {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const {
    reference,
    sku,
    quantity = 1,
    type = 'code',
    unit_cost: unitCost = DEFAULT_UNIT_COST,
    recipient = null,
  } = fields;
  const valid =
    typeof reference === 'string' &&
    /^[\w.-]{1,100}$/.test(reference) &&
    typeof sku === 'string' &&
    sku !== '' &&
    typeof quantity === 'number' &&
    Number.isInteger(quantity) &&
    quantity >= 1 &&
    quantity <= QUANTITY_LIMIT &&
    (type === 'code' || type === 'topup') &&
    typeof unitCost === 'string' &&
    parseAmount(unitCost) !== undefined;
  return valid ? { reference, sku, quantity, type, unitCost, recipient } : undefined;
}

function describe(purchase: Purchase) {
  const expiresAt = new Date(Date.parse(purchase.createdAt) + CODE_LIFE_MS).toISOString();
  return {
    reference: purchase.reference,
    transaction_id: purchase.transactionId,
    status: purchase.status,
    sku: purchase.sku,
    quantity: purchase.quantity,
    cost: { amount: totalCost(purchase), currency: CURRENCY },
    codes:
      purchase.status === 'SUCCESSFUL'
        ? purchase.codes.map(({ code, pin, serialNumber }) => ({
            code,
            pin,
            serial_number: serialNumber,
            redemption_url: null,
            expires_at: expiresAt,
          }))
        : [],
    created_at: purchase.createdAt,
    ...(purchase.failure ? { error: purchase.failure } : {}),
  };
}
