import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

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

async function anOrder(changes: { quantity?: number; partners?: number[] } = {}) {
  const { quantity = 1, partners = [partnerId] } = changes;
  const variantId = await shop.aVariant();
  for (const [index, partner] of partners.entries())
    await shop.aSource({ variantId, partnerId: partner, priority: index });
  return { variantId, ...(await shop.aPaidOrder({ variantId, quantity })) };
}

const { statusOf, purchasesOf, statusesOf, alertsOf, lettersAbout, begin } = factsOf(() => shop);

describe('an order of codes that a partner sells', () => {
  it('buys each unit under a reference of its own, and sends all codes in one letter', async () => {
    const { orderId, itemIds } = await anOrder({ quantity: 3 });
    await begin(orderId);
    expect(await statusOf(orderId)).toBe('SUCCEEDED');
    const purchases = await purchasesOf(orderId);
    expect(purchases.map(({ status }) => status)).toEqual(['OK', 'OK', 'OK']);
    expect(new Set(purchases.map(({ reference }) => reference)).size).toBe(3);
    const { rows } = await shop.db.query<{ source_type: string; partner_id: number; cost_minor: number }>(
      'SELECT source_type, partner_id, cost_minor FROM vouchers WHERE order_item_id = $1',
      [itemIds[0]],
    );
    const row = { source_type: 'PARTNER', partner_id: partnerId, cost_minor: 9400 };
    expect(rows).toEqual([row, row, row]);
    const [letter, ...more] = await lettersAbout(orderId);
    expect(more).toEqual([]);
    expect(letter?.text.match(/Code: /g)).toHaveLength(3);
  });

  it('buys nothing again when its job runs again', async () => {
    const { orderId } = await anOrder({ quantity: 2 });
    await begin(orderId);
    await begin(orderId);
    expect(await statusesOf(orderId)).toEqual(['OK', 'OK']);
    expect(await lettersAbout(orderId)).toHaveLength(1);
  });

  it('writes the intent before the partner hears of it', async () => {
    const { orderId } = await anOrder();
    await shop.fulfill(orderId);
    expect(await statusesOf(orderId)).toEqual(['INTENT']);
    await shop.drain();
    expect(await statusesOf(orderId)).toEqual(['OK']);
  });

  it('keeps what was asked and answered: sealed whole, and readable without codes or credentials', async () => {
    const { orderId } = await anOrder();
    await begin(orderId);
    const [purchase] = await purchasesOf(orderId);
    const call = await shop.one<{
      url: string;
      request_body: string;
      response_sealed: Buffer;
      http_status: number;
    }>('SELECT * FROM partner_api_calls WHERE transaction_id = $1', [purchase?.id]);
    const raw = shop.deps.box.open(call.response_sealed, 'partner_api_calls.response');
    const code = /\\"code\\":\\"([A-Z0-9-]+)\\"/.exec(raw)?.[1] ?? 'none';
    expect(code).toMatch(/^[A-Z0-9]{4}-/);
    const readable = JSON.stringify([call.url, call.request_body, purchase]);
    expect(readable).toContain(purchase?.reference);
    expect(readable).not.toContain(code);
    const { text } = await shop.one<{ text: string }>(
      'SELECT partners::text AS text FROM partners WHERE id = $1',
      [partnerId],
    );
    expect(text).not.toContain('"api_key"');
  });
});

describe('a definite no', () => {
  it('goes on to the next source, and only then', async () => {
    const second = await shop.aPartner();
    await shop.fault({ fault: 'declined' });
    const { orderId } = await anOrder({ partners: [partnerId, second] });
    await begin(orderId);
    const purchases = await purchasesOf(orderId);
    expect(purchases.map(({ status, partner_id }) => [status, partner_id])).toEqual([
      ['REJECTED', partnerId],
      ['OK', second],
    ]);
    expect(await statusOf(orderId)).toBe('SUCCEEDED');
  });

  it('of all sources needs attention: one alert, the reasons told', async () => {
    await shop.fault({ fault: 'declined' });
    const { orderId, itemIds } = await anOrder();
    await begin(orderId);
    expect(await statusOf(orderId)).toBe('NEEDS_ATTENTION');
    expect(await alertsOf(orderId)).toEqual(['fulfillment_failed']);
    const attempt = await shop.one<{
      status: string;
      error_message: string;
      partner_api_transaction_id: number;
    }>('SELECT * FROM fulfillment_attempts WHERE order_item_id = $1', [itemIds[0]]);
    expect(attempt.status).toBe('PARTNER_FAILED');
    expect(attempt.error_message).toContain('DECLINED');
    expect(attempt.partner_api_transaction_id).toBe((await purchasesOf(orderId))[0]?.id);
  });

  it('of this moment is asked again after a while', async () => {
    await shop.fault({ fault: 'rate_limited' });
    const { orderId } = await anOrder();
    await begin(orderId);
    expect(await statusesOf(orderId)).toEqual(['REJECTED', 'INTENT']);
    await shop.advance(6);
    expect(await statusesOf(orderId)).toEqual(['REJECTED', 'OK']);
    expect(await statusOf(orderId)).toBe('SUCCEEDED');
  });

  it('is what a source is that needs what the order does not tell: nobody is called', async () => {
    const variantId = await shop.aVariant();
    const requiredFields = [{ name: 'zone', label: 'Zone', type: 'text', required: true }];
    await shop.aSource({ variantId, partnerId, requiredFields });
    const { orderId } = await shop.aPaidOrder({ variantId });
    await begin(orderId);
    expect(await purchasesOf(orderId)).toEqual([]);
    expect(await statusOf(orderId)).toBe('NEEDS_ATTENTION');
  });

  it('for one item of two sends no letter, and tells that a part is there', async () => {
    const variantId = await shop.aVariant();
    await shop.aSource({ variantId, partnerId });
    const { orderId } = await shop.aPaidOrder({ variantId }, { variantId: await shop.aVariant() });
    await begin(orderId);
    expect(await statusOf(orderId)).toBe('NEEDS_ATTENTION');
    expect(await alertsOf(orderId)).toEqual(['fulfillment_partial']);
    expect(await statusesOf(orderId)).toEqual(['OK']);
    expect(await lettersAbout(orderId)).toEqual([]);
  });
});

describe('an answer that never came', () => {
  it('is asked about after 15 seconds, and nothing is bought meanwhile', async () => {
    const second = await shop.aPartner();
    await shop.fault({ fault: 'unknown_result', call: 'purchase' });
    const { orderId } = await anOrder({ partners: [partnerId, second] });
    await begin(orderId);
    expect(await statusesOf(orderId)).toEqual(['UNKNOWN']);
    await shop.advance(14);
    expect(await statusesOf(orderId)).toEqual(['UNKNOWN']);
    await shop.advance(1.5);
    expect(await statusesOf(orderId)).toEqual(['OK']);
    expect(await statusOf(orderId)).toBe('SUCCEEDED');
  });

  it('is sent again under the same reference when the partner never heard of it and takes it once', async () => {
    await shop.fault({ fault: 'error_500', call: 'purchase' });
    const { orderId } = await anOrder();
    await begin(orderId);
    await shop.advance(16);
    const purchases = await purchasesOf(orderId);
    expect(purchases.map(({ status }) => status)).toEqual(['OK']);
    expect(await statusOf(orderId)).toBe('SUCCEEDED');
  });

  it('of a partner that takes a reference once only is a no two minutes after, and then another is asked', async () => {
    const strict = await shop.aPartner({ config: { is_repeatable: false } });
    await shop.fault({ fault: 'error_500', call: 'purchase' });
    const { orderId } = await anOrder({ partners: [strict, partnerId] });
    await begin(orderId);
    await shop.advance(16);
    await shop.advance(60);
    expect(await statusesOf(orderId)).toEqual(['UNKNOWN']);
    await shop.advance(300);
    expect(await statusesOf(orderId)).toEqual(['REJECTED', 'OK']);
    expect(await statusOf(orderId)).toBe('SUCCEEDED');
  });

  it('needs attention at once when the partner can be neither asked nor sent it again', async () => {
    const mute = await shop.aPartner({ config: { is_repeatable: false, query: undefined } });
    await shop.fault({ fault: 'unknown_result', call: 'purchase' });
    const { orderId } = await anOrder({ partners: [mute, partnerId] });
    await begin(orderId);
    expect(await statusesOf(orderId)).toEqual(['UNKNOWN']);
    expect(await statusOf(orderId)).toBe('NEEDS_ATTENTION');
    expect(await alertsOf(orderId)).toEqual(['fulfillment_failed']);
  });

  it('needs attention after five minutes without an answer, and finishes the order when it comes later', async () => {
    await shop.fault({ fault: 'unknown_result', call: 'purchase' });
    await shop.fault({ fault: 'error_500', call: 'query', times: 3 });
    const { orderId } = await anOrder();
    await begin(orderId);
    await shop.advance(16);
    await shop.advance(60);
    expect(await statusOf(orderId)).toBe('PENDING');
    await shop.advance(300);
    expect(await statusOf(orderId)).toBe('NEEDS_ATTENTION');
    await shop.advance(900);
    expect(await statusesOf(orderId)).toEqual(['OK']);
    expect(await statusOf(orderId)).toBe('SUCCEEDED');
    expect(await alertsOf(orderId)).toEqual([]);
    expect(await lettersAbout(orderId)).toHaveLength(1);
  });

  it('of a process that died during the call is asked about once its lease is over', async () => {
    const { orderId } = await anOrder();
    await shop.fulfill(orderId);
    const [purchase] = await purchasesOf(orderId);
    await shop.db.query(
      `UPDATE partner_api_transactions SET status = 'SENT', first_sent_at = $2, last_sent_at = $2, next_step_at = $3
       WHERE id = $1`,
      [purchase?.id, shop.clock.now(), new Date(shop.clock.now().getTime() + 10_000)],
    );
    await shop.drain();
    expect(await statusesOf(orderId)).toEqual(['SENT']);
    await shop.advance(11);
    expect(await statusesOf(orderId)).toEqual(['UNKNOWN']);
    await shop.advance(20);
    expect(await statusesOf(orderId)).toEqual(['OK']);
  });
});
