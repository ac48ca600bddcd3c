import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { openPartnerShop } from '../support/partner-shop.ts';
import type { Listed, PartnerShop } from '../support/partner-shop.ts';
import { aCustomer, call, control, fault, mailsTo } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

/** Operations A112 to A115: every purchase can be seen, asked about and settled. */
let service: TestService;
let shop: PartnerShop;
beforeAll(async () => {
  service = await startTestService();
  shop = await openPartnerShop(service);
});
afterEach(() => control(service, '/faults', undefined, 'DELETE'));
afterAll(() => service.close());

interface Transaction {
  readonly id: number;
  readonly status: string;
  readonly reference: string;
  readonly voucher_code: string | null;
  readonly resolved_by: number | null;
  readonly calls?: {
    http_status: number | null;
    response_text: string | null;
    request_body: string | null;
  }[];
}

describe('partner transactions', () => {
  async function anUnclearPurchase() {
    const { variantId } = await shop.aSoldVariant();
    await fault(service, { target: 'partner', fault: 'unknown_result', call: 'purchase' });
    const placed = await shop.aPaidOrder(variantId);
    const { data } = await shop.admin<Listed<Transaction>>(
      'GET',
      `/partner-transactions?order_id=${placed.orderId}`,
    );
    const [transaction] = data.items;
    if (!transaction) throw new Error('nothing was bought');
    expect(transaction.status).toBe('UNKNOWN');
    return { ...placed, id: transaction.id, reference: transaction.reference };
  }

  it('are found by status, order and reference, and show no code', async () => {
    const { variantId } = await shop.aSoldVariant();
    const { orderId, read } = await shop.aPaidOrder(variantId);
    const code = (await read()).voucher_codes[0] ?? 'none';
    const { data } = await shop.admin<Listed<Transaction>>(
      'GET',
      `/partner-transactions?order_id=${orderId}&status=OK`,
    );
    expect(data.items).toHaveLength(1);
    const {
      id,
      reference,
      voucher_code: masked,
    } = data.items[0] ?? { id: 0, reference: '', voucher_code: '' };
    expect(masked).toBe(`****${code.slice(-4)}`);
    const found = await shop.admin<Listed<Transaction>>('GET', `/partner-transactions?search=${reference}`);
    expect(found.data.items.map((one) => one.id)).toEqual([id]);
    const detail = await shop.admin<Transaction>('GET', `/partner-transactions/${id}`);
    expect(detail.data.calls).toMatchObject([{ http_status: 200, response_text: null }]);
    expect(JSON.stringify(detail.data)).not.toContain(code);
    expect(JSON.stringify(detail.data)).not.toContain(shop.known['partner']?.['api_key']);
    const revealed = await shop.admin<Transaction>('GET', `/partner-transactions/${id}?reveal=true`);
    expect(revealed.data.voucher_code).toBe(code);
    expect(revealed.data.calls?.[0]?.response_text).toContain(code);
    const { count } = await service.db.query(
      `SELECT 1 FROM audit_logs WHERE action = 'partner-transactions:reveal'`,
    );
    expect(count).toBe(1);
  });

  it('that are unclear are asked about when an operator wants it, and the order goes out', async () => {
    const { id, customer, read } = await anUnclearPurchase();
    const asked = await shop.admin<Transaction>('POST', `/partner-transactions/${id}/requery`);
    expect([asked.status, asked.data.status]).toEqual([200, 'OK']);
    await service.drain();
    expect((await read()).status).toBe('SUCCEEDED');
    expect(await mailsTo(service, customer.email)).toHaveLength(1);
  });

  it('are settled by hand with evidence: what was delivered goes out', async () => {
    const { id, read } = await anUnclearPurchase();
    const short = await shop.admin('POST', `/partner-transactions/${id}/resolve`, {
      outcome: 'delivered',
      evidence: 'x',
    });
    expect(short.status).toBe(400);
    const evidence = 'The partner’s support sent the code by e-mail, ticket 4711';
    const without = await shop.admin('POST', `/partner-transactions/${id}/resolve`, {
      outcome: 'delivered',
      evidence,
    });
    expect(without.errors?.map(({ field }) => field)).toEqual(['code']);
    const settled = await shop.admin<Transaction>('POST', `/partner-transactions/${id}/resolve`, {
      outcome: 'delivered',
      evidence,
      code: `BY-HAND-${id}`,
    });
    expect(settled.data).toMatchObject({
      status: 'OK',
      resolved_by: expect.any(Number),
      resolution_notes: evidence,
    });
    await service.drain();
    expect((await read()).voucher_codes).toEqual([`BY-HAND-${id}`]);
    const again = await shop.admin('POST', `/partner-transactions/${id}/resolve`, {
      outcome: 'not_executed',
      evidence,
    });
    expect(again.status).toBe(409);
  });

  it('settled as never executed free the unit, and where nobody else sells it operators are told', async () => {
    const { id, orderId } = await anUnclearPurchase();
    const evidence = 'The partner’s panel shows no purchase under this reference';
    const settled = await shop.admin<Transaction>('POST', `/partner-transactions/${id}/resolve`, {
      outcome: 'not_executed',
      evidence,
    });
    expect(settled.data.status).toBe('REJECTED');
    const { rows } = await service.db.query<{ status: string }>('SELECT status FROM orders WHERE id = $1', [
      orderId,
    ]);
    expect(rows).toEqual([{ status: 'NEEDS_ATTENTION' }]);
  });

  it('are for who may read partners, and settled by who may recover orders', async () => {
    const stranger = await call(service, { path: '/admin/partner-transactions' });
    expect(stranger.status).toBe(401);
    const customer = await aCustomer(service);
    const client = await call(service, { path: '/admin/partners', token: customer.token });
    expect(client.status).toBe(401);
  });
});
