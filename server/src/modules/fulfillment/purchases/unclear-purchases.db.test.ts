import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { inTransaction } from '../../../platform/db/database.ts';
import { saveManualCodes } from '../../vouchers/index.ts';
import { openBuying } from '../test-buying.ts';
import type { Buying } from '../test-buying.ts';
import { factsOf } from '../test-purchase-facts.ts';

let shop: Buying;
let partnerId: number;
beforeAll(async () => {
  shop = await openBuying();
  partnerId = await shop.aPartner();
});
afterEach(() => shop.calm());
afterAll(() => shop.close());
const { statusOf, purchasesOf, statusesOf, alertsOf, lettersAbout, codesOf, begin } = factsOf(() => shop);

async function anOrder(changes: { quantity?: number; partners?: number[]; mode?: 'CODE' | 'TOPUP' } = {}) {
  const { quantity = 1, partners = [partnerId], mode = 'CODE' } = changes;
  const variantId = await shop.aVariant({ mode });
  for (const [index, partner] of partners.entries())
    await shop.aSource({ variantId, partnerId: partner, priority: index });
  return { variantId, ...(await shop.aPaidOrder({ variantId, quantity, mode })) };
}

/** What an operator's manual code does to the vault. */
async function typeCode(order: { variantId: number; itemIds: number[] }, code: string): Promise<void> {
  const typed = { code, pin: null, redemptionUrl: null, serialNumber: null, expiresAt: null, metadata: {} };
  await inTransaction(shop.db, (tx) =>
    saveManualCodes(tx, shop.deps.box, [
      {
        orderItemId: order.itemIds[0] ?? 0,
        variantId: order.variantId,
        quantity: 1,
        codes: [{ ...typed, partnerId: null }],
        field: 'codes',
        mayNameMissingOnly: true,
      },
    ]),
  );
}

describe('a success without a good code', () => {
  it('is asked about, then needs attention; nothing is bought elsewhere', async () => {
    const second = await shop.aPartner();
    await shop.fault({ fault: 'no_code' });
    const { orderId } = await anOrder({ partners: [partnerId, second] });
    await begin(orderId);
    expect(await statusesOf(orderId)).toEqual(['UNKNOWN']);
    await shop.advance(16);
    await shop.advance(50);
    expect(await statusesOf(orderId)).toEqual(['DISPUTED']);
    expect(await statusOf(orderId)).toBe('NEEDS_ATTENTION');
    expect(await alertsOf(orderId)).toEqual(['fulfillment_failed']);
  });

  it('with a code that was given before needs attention, and one code never has two items', async () => {
    const first = await anOrder();
    await begin(first.orderId);
    await shop.fault({ fault: 'repeat_code' });
    const second = await anOrder();
    await begin(second.orderId);
    expect(await statusesOf(second.orderId)).toEqual(['DISPUTED']);
    expect(await statusOf(second.orderId)).toBe('NEEDS_ATTENTION');
    expect([await codesOf(first.orderId), await codesOf(second.orderId)]).toEqual([1, 0]);
  });
});

describe('an answer that comes late', () => {
  async function lateOrder() {
    await shop.fault({ fault: 'unknown_result', call: 'purchase' });
    await shop.fault({ fault: 'error_500', call: 'query', times: 3 });
    const order = await anOrder();
    await begin(order.orderId);
    for (const seconds of [16, 60, 300]) await shop.advance(seconds);
    expect(await statusOf(order.orderId)).toBe('NEEDS_ATTENTION');
    return order;
  }

  it('keeps the code in the stock when an operator has served the customer, and tells', async () => {
    const order = await lateOrder();
    await typeCode(order, `TYPED-${order.orderId}`);
    await shop.advance(900);
    const [purchase] = await purchasesOf(order.orderId);
    expect(purchase?.status).toBe('LATE');
    const kept = await shop.one<{ status: string; source_type: string; variant_id: number }>(
      'SELECT status, source_type, variant_id FROM vouchers WHERE id = $1',
      [purchase?.voucher_id],
    );
    expect(kept).toEqual({ status: 'available', source_type: 'PARTNER', variant_id: order.variantId });
    expect(await alertsOf(order.orderId)).toContain('partner_result_late');
  });

  it('gives a code that was kept to the next order of the variant, and buys nothing for it', async () => {
    const order = await lateOrder();
    await typeCode(order, `TYPED-AGAIN-${order.orderId}`);
    await shop.advance(900);
    const next = await shop.aPaidOrder({ variantId: order.variantId });
    await begin(next.orderId);
    expect(await purchasesOf(next.orderId)).toEqual([]);
    expect(await statusOf(next.orderId)).toBe('SUCCEEDED');
  });

  it('is no news when it is the very code that the operator typed in', async () => {
    const order = await lateOrder();
    const { reference } = (await purchasesOf(order.orderId))[0] ?? { reference: '' };
    const purchases = await fetch(`${shop.sandboxUrl}/partner/purchases/${reference}`, {
      headers: { 'api-key': (await shopCredentials())['api_key'] ?? '' },
    });
    const { codes } = (await purchases.json()) as { codes: { code: string }[] };
    await typeCode(order, codes[0]?.code ?? '');
    await shop.advance(900);
    expect(await statusesOf(order.orderId)).toEqual(['LATE']);
    expect(await alertsOf(order.orderId)).not.toContain('partner_result_late');
  });

  it('of a purchase that was declared dead goes to the unit when nobody served it yet', async () => {
    const strict = await shop.aPartner({ config: { is_repeatable: false, not_found: ['NOT_FOUND', 500] } });
    await shop.fault({ fault: 'unknown_result', call: 'purchase' });
    // Three lies in a row: the partner says that it knows nothing of what it sold.
    await shop.fault({ fault: 'error_500', call: 'query', times: 3 });
    const { orderId } = await anOrder({ partners: [strict] });
    await begin(orderId);
    for (const seconds of [16, 60, 300]) await shop.advance(seconds);
    expect((await statusesOf(orderId))[0]).toBe('REJECTED');
    await shop.advance(3601);
    const statuses = await statusesOf(orderId);
    expect(statuses.filter((status) => status === 'OK')).toHaveLength(1);
    expect(statuses.filter((status) => status === 'LATE')).toHaveLength(statuses.length > 1 ? 1 : 0);
    expect(await codesOf(orderId)).toBe(1);
    expect(await statusOf(orderId)).toBe('SUCCEEDED');
  });

  async function shopCredentials(): Promise<Record<string, string>> {
    const response = await fetch(`${shop.sandboxUrl}/_control/credentials`);
    return ((await response.json()) as Record<string, Record<string, string>>)['partner'] ?? {};
  }
});

describe('an answer that was kept by a process that died before acting on it', () => {
  it('is acted on by the next, without another call', async () => {
    const mute = await shop.aPartner({ config: { is_repeatable: false, query: undefined } });
    const first = await anOrder({ partners: [mute] });
    await begin(first.orderId);
    const [bought] = await purchasesOf(first.orderId);
    const { orderId } = await anOrder({ partners: [mute] });
    await shop.fulfill(orderId);
    const [purchase] = await purchasesOf(orderId);
    // As the first process left it: sent, answered, kept; not settled. The answer is the other order's, renamed.
    const kept = await shop.one<{ response_sealed: Buffer; url: string }>(
      'SELECT * FROM partner_api_calls WHERE transaction_id = $1',
      [bought?.id],
    );
    const context = 'partner_api_calls.response';
    const text = shop.deps.box
      .open(kept.response_sealed, context)
      .replaceAll(bought?.reference ?? '', purchase?.reference ?? '');
    const changed = text.replace(/(\\"code\\":\\")[A-Z0-9-]+/, '$1KEPT-CODE-1');
    const past = new Date(shop.clock.now().getTime() - 60_000);
    await shop.db.query(
      `UPDATE partner_api_transactions SET status = 'SENT', first_sent_at = $2, last_sent_at = $2, next_step_at = $2 WHERE id = $1`,
      [purchase?.id, past],
    );
    await shop.db.query(
      `INSERT INTO partner_api_calls (transaction_id, method, url, http_status, response_sealed, took_ms, occurred_at)
       VALUES ($1, 'POST', $2, 200, $3, 5, $4)`,
      [purchase?.id, kept.url, shop.deps.box.seal(changed, context), past],
    );
    await shop.advance(1);
    expect(await statusesOf(orderId)).toEqual(['OK']);
    expect(await codesOf(orderId)).toBe(1);
    expect(await lettersAbout(orderId)).toHaveLength(1);
    expect((await lettersAbout(orderId))[0]?.text).toContain('KEPT-CODE-1');
  });
});

describe('a top-up', () => {
  it('is done when the account is credited: no code, the letter says so', async () => {
    const { orderId } = await anOrder({ mode: 'TOPUP', quantity: 2 });
    await begin(orderId);
    expect(await statusesOf(orderId)).toEqual(['OK', 'OK']);
    expect(await statusOf(orderId)).toBe('SUCCEEDED');
    expect(await codesOf(orderId)).toBe(0);
    expect((await lettersAbout(orderId))[0]?.text).toContain('Credited to');
  });

  it('is not done while the credit of one unit is unclear', async () => {
    await shop.fault({ fault: 'unknown_result', call: 'purchase' });
    const { orderId, itemIds } = await anOrder({ mode: 'TOPUP', quantity: 2 });
    await begin(orderId);
    expect((await statusesOf(orderId)).toSorted()).toEqual(['OK', 'UNKNOWN']);
    const { fulfillment_status: status } = await shop.one<{ fulfillment_status: string }>(
      'SELECT fulfillment_status FROM order_items WHERE id = $1',
      [itemIds[0]],
    );
    // PROCESSING would mean: it has everything.
    expect(status).toBe('PENDING');
    await shop.advance(16);
    expect(await statusOf(orderId)).toBe('SUCCEEDED');
  });
});

describe('stock that ran out', () => {
  it('is bought from a partner where the variant has a source', async () => {
    const variantId = await shop.aVariant({ engine: 'PRELOADED' });
    await shop.aSource({ variantId, partnerId });
    const { orderId } = await shop.aPaidOrder({ variantId, engine: 'PRELOADED' });
    await begin(orderId);
    expect(await statusesOf(orderId)).toEqual(['OK']);
    expect(await statusOf(orderId)).toBe('SUCCEEDED');
  });
});

describe('the database', () => {
  it('refuses a second open purchase of one unit, whoever writes it', async () => {
    await shop.fault({ fault: 'unknown_result', call: 'purchase' });
    const { orderId, itemIds } = await anOrder();
    await begin(orderId);
    expect(await statusesOf(orderId)).toEqual(['UNKNOWN']);
    const second = shop.db.query(
      `INSERT INTO partner_api_transactions (order_item_id, unit_no, partner_id, reference, correlation_id)
       VALUES ($1, 1, $2, $3, gen_random_uuid())`,
      [itemIds[0], partnerId, `SECOND-${orderId}`],
    );
    await expect(second).rejects.toMatchObject({ constraint: 'partner_api_transactions__one_per_unit' });
  });
});
