import type { FastifyInstance, FastifyRequest } from 'fastify';
import { wire } from '../../faults/wire.ts';
import type { Access } from './access.ts';
import { describeCards, describeOrder } from './gift-cards.ts';
import type { GiftCards } from './gift-cards.ts';
import { describeInstruction, describeProduct, findProduct, listProducts } from './products.ts';
import { isFailure, sendFailure, sendNotFound } from './reloadly-error.ts';
import { pageOf } from './wire-shapes.ts';

type PageQuery = { page?: string; size?: string; customIdentifier?: string };

/** giftcards-sandbox.reloadly.com */
export function serveGiftCards(app: FastifyInstance, access: Access, giftCards: GiftCards): void {
  app.post<{ Body: Record<string, unknown> | null }>(
    '/orders',
    wire('partner', 'purchase'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['giftcards'])) return reply;
      const order = await giftCards.order(request.body ?? {});
      return isFailure(order) ? sendFailure(request, reply, order) : describeOrder(order);
    },
  );
  app.get<{ Params: { id: string } }>(
    '/orders/transactions/:id/cards',
    wire('partner', 'query'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['giftcards'])) return reply;
      const order = giftCards.find(request.params.id);
      if (order?.status !== 'SUCCESSFUL') return sendNotFound(request, reply);
      return describeCards(order, acceptsVersion2(request) ? 2 : 1);
    },
  );
  app.get<{ Querystring: PageQuery }>(
    '/reports/transactions',
    wire('partner', 'query'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['giftcards'])) return reply;
      const { customIdentifier } = request.query;
      const found =
        customIdentifier === undefined ? giftCards.all() : giftCards.withCustomIdentifier(customIdentifier);
      return pageOf(found.map(describeOrder), request.query);
    },
  );
  app.get<{ Params: { id: string } }>(
    '/reports/transactions/:id',
    wire('partner', 'query'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['giftcards'])) return reply;
      const order = giftCards.find(request.params.id);
      return order ? describeOrder(order) : sendNotFound(request, reply);
    },
  );
  serveProducts(app, access);
}

function acceptsVersion2(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('giftcards-v2') ?? false;
}

function serveProducts(app: FastifyInstance, access: Access): void {
  app.get<{ Querystring: PageQuery }>('/products', wire('partner', 'catalogue'), async (request, reply) => {
    if (!access.admit(request, reply, ['giftcards'])) return reply;
    return pageOf(listProducts().map(describeProduct), request.query);
  });
  app.get<{ Params: { id: string } }>(
    '/products/:id',
    wire('partner', 'catalogue'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['giftcards'])) return reply;
      const product = findProduct(Number(request.params.id));
      return product ? describeProduct(product) : sendNotFound(request, reply);
    },
  );
  app.get<{ Params: { iso: string } }>(
    '/countries/:iso/products',
    wire('partner', 'catalogue'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['giftcards'])) return reply;
      return listProducts(request.params.iso).map(describeProduct);
    },
  );
  app.get('/redeem-instructions', wire('partner', 'catalogue'), async (request, reply) => {
    if (!access.admit(request, reply, ['giftcards'])) return reply;
    return listProducts().map((product) => ({ ...product.brand, ...describeInstruction(product) }));
  });
  app.get<{ Querystring: PageQuery }>('/discounts', wire('partner', 'catalogue'), async (request, reply) => {
    if (!access.admit(request, reply, ['giftcards'])) return reply;
    const discounts = listProducts().map(({ productId, productName }) => ({
      product: { productId, productName },
      discountPercentage: 0,
    }));
    return pageOf(discounts, request.query);
  });
}
