import { expect } from 'vitest';

import { aCustomer, aVariant, anAdminToken, call, control, order, pay, readOrder } from './shop.ts';
import type { Answered, Customer, OrderAnswer } from './shop.ts';
import type { TestService } from './test-service.ts';

export interface Partner {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly has_credentials: boolean;
  readonly config: Record<string, unknown>;
}

export interface Listed<Item> {
  readonly items: Item[];
  readonly pagination: { total: number };
}

export interface PaidOrder {
  readonly customer: Customer;
  readonly orderId: number;
  readonly read: () => Promise<OrderAnswer>;
}

/** A shop whose operator buys from the sandbox's generic partner. */
export interface PartnerShop {
  /** What the sandbox wants of each of its callers. */
  readonly known: Record<string, Record<string, string>>;
  readonly plainConfig: () => Record<string, unknown>;
  /** Calls the admin API as its operator. */
  readonly admin: <Data>(method: string, path: string, body?: unknown) => Promise<Answered<Data>>;
  readonly aPartner: (changes?: Record<string, unknown>) => Promise<Partner>;
  /** A PARTNER variant with one source. */
  readonly aSoldVariant: () => Promise<{ variantId: number; partnerId: number; sourceId: number }>;
  /** Ordered, paid, and everything done that was due. */
  readonly aPaidOrder: (variantId: number) => Promise<PaidOrder>;
}

export async function openPartnerShop(service: TestService): Promise<PartnerShop> {
  const token = await anAdminToken(service);
  const known = await control<PartnerShop['known']>(service, '/credentials');
  const admin: PartnerShop['admin'] = (method, path, body) =>
    call(service, { path: `/admin${path}`, method, token, ...(body === undefined ? {} : { body }) });
  const plainConfig = () => ({ ...description, base_url: known['partner']?.['base_url'] });
  let partners = 0;
  async function aPartner(changes: Record<string, unknown> = {}): Promise<Partner> {
    partners += 1;
    const made = await admin<Partner>('POST', '/partners', {
      name: `Partner ${partners}`,
      kind: 'generic',
      config: plainConfig(),
      credentials: { api_key: known['partner']?.['api_key'] },
      ...changes,
    });
    expect([made.status, made.message]).toEqual([201, 'OK']);
    return made.data;
  }
  return {
    known,
    admin,
    plainConfig,
    aPartner,
    async aSoldVariant() {
      const { id: partnerId } = await aPartner();
      const { variantId } = await aVariant(service, { engine: 'PARTNER' });
      const source = await admin<{ id: number }>('POST', '/partner-sources', {
        variant_id: variantId,
        partner_id: partnerId,
        partner_product: 'CARD-500',
        cost: 470.5,
      });
      expect(source.status).toBe(201);
      return { variantId, partnerId, sourceId: source.data.id };
    },
    async aPaidOrder(variantId) {
      const customer = await aCustomer(service);
      const { data } = await order(service, customer, { variantId });
      await pay(service, data);
      await service.drain();
      return {
        customer,
        orderId: data.id,
        read: async () => (await readOrder(service, customer, data.id)).data,
      };
    },
  };
}

const description = {
  timeout_seconds: 0.5,
  auth: { type: 'header', name: 'api-key' },
  purchase: { path: '/purchases', body: { reference: '{reference}', sku: '{product}', type: '{type}' } },
  query: { path: '/purchases/{reference}' },
  balance: { path: '/balance', amount: 'balance', currency: 'currency' },
  answer: {
    status: 'status',
    transaction_id: 'transaction_id',
    codes: 'codes',
    code: 'code',
    error_code: 'error.code',
  },
  statuses: { SUCCESSFUL: 'done', PROCESSING: 'processing', FAILED: 'refused' },
  not_found: ['NOT_FOUND'],
};
