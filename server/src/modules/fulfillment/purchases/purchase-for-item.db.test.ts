import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { openBuying } from '../test-buying.ts';
import type { Buying } from '../test-buying.ts';
import { factsOf } from '../test-purchase-facts.ts';

let shop: Buying;
let partnerId: number;
let adminId: number;
beforeAll(async () => {
  shop = await openBuying();
  partnerId = await shop.aPartner();
  const admin = await shop.one<{ id: number }>(
    `INSERT INTO admins (name, email, password_hash) VALUES ('Operator', 'operator@example.com', 'x') RETURNING id`,
  );
  adminId = admin.id;
});
afterEach(() => shop.calm());
afterAll(() => shop.close());
const { statusOf, purchasesOf, statusesOf, lettersAbout, codesOf, begin } = factsOf(() => shop);

/** An order that nobody sold anything for. */
async function aFailedOrder(changes: { quantity?: number; mode?: 'CODE' | 'TOPUP' } = {}) {
  const { quantity = 1, mode = 'CODE' } = changes;
  const variantId = await shop.aVariant({ mode });
  const order = await shop.aPaidOrder({ variantId, quantity, mode });
  await begin(order.orderId);
  expect(await statusOf(order.orderId)).toBe('NEEDS_ATTENTION');
  return { variantId, orderId: order.orderId, itemId: order.itemIds[0] ?? 0 };
}

const retry = (order: { orderId: number; itemId: number }, partnerSourceId?: number) =>
  shop.fulfillment.purchaseForItem({
    orderId: order.orderId,
    orderItemId: order.itemId,
    adminId,
    correlationId: randomUUID(),
    partnerSourceId,
  });

describe('an operator who has an item bought', () => {
  it('gets what it lacks; letter and status are left to the operator’s request', async () => {
    const order = await aFailedOrder({ quantity: 2 });
    await shop.aSource({ variantId: order.variantId, partnerId });
    const outcome = await retry(order);
    expect(outcome).toMatchObject({
      kind: 'complete',
      transactionIds: [expect.any(Number), expect.any(Number)],
    });
    expect('voucherIds' in outcome && outcome.voucherIds).toHaveLength(2);
    expect(await statusOf(order.orderId)).toBe('NEEDS_ATTENTION');
    expect(await lettersAbout(order.orderId)).toEqual([]);
    expect((await purchasesOf(order.orderId)).map(({ admin_id }) => admin_id)).toEqual([adminId, adminId]);
    const { fulfillment_status: status } = await shop.one<{ fulfillment_status: string }>(
      'SELECT fulfillment_status FROM order_items WHERE id = $1',
      [order.itemId],
    );
    expect(status).toBe('PROCESSING');
  });

  it('buys nothing for an item that has everything', async () => {
    const order = await aFailedOrder();
    await shop.aSource({ variantId: order.variantId, partnerId });
    await retry(order);
    expect(await retry(order)).toMatchObject({ kind: 'complete', transactionIds: [] });
    expect(await codesOf(order.orderId)).toBe(1);
  });

  it('is told why nobody delivered, after all sources were asked once', async () => {
    const order = await aFailedOrder();
    await shop.aSource({ variantId: order.variantId, partnerId, priority: 1 });
    await shop.aSource({ variantId: order.variantId, partnerId: await shop.aPartner(), priority: 2 });
    await shop.fault({ fault: 'out_of_stock', times: 2 });
    const outcome = await retry(order);
    expect(outcome.kind).toBe('partner_failed');
    expect('errorMessage' in outcome && outcome.errorMessage).toContain('OUT_OF_STOCK');
    expect(await statusesOf(order.orderId)).toEqual(['REJECTED', 'REJECTED']);
  });

  it('can force a source, an inactive one too, and no other is asked', async () => {
    const order = await aFailedOrder();
    await shop.aSource({ variantId: order.variantId, partnerId, priority: 1 });
    const other = await shop.aPartner();
    const forced = await shop.aSource({ variantId: order.variantId, partnerId: other, priority: 2 });
    await shop.db.query('UPDATE partner_sources SET is_active = false WHERE id = $1', [forced]);
    await shop.fault({ fault: 'declined' });
    expect((await retry(order, forced)).kind).toBe('partner_failed');
    expect((await purchasesOf(order.orderId)).map(({ partner_id }) => partner_id)).toEqual([other]);
    expect((await retry(order, forced)).kind).toBe('complete');
  });

  it('is told when there is nobody to buy from; nothing is written', async () => {
    const order = await aFailedOrder();
    const elsewhere = await shop.aSource({ variantId: await shop.aVariant(), partnerId });
    expect((await retry(order)).kind).toBe('no_source');
    expect((await retry(order, elsewhere)).kind).toBe('no_source');
    expect(await purchasesOf(order.orderId)).toEqual([]);
  });

  it('cannot buy while an earlier purchase is unclear: it is asked about first', async () => {
    const order = await aFailedOrder();
    await shop.aSource({ variantId: order.variantId, partnerId });
    await shop.fault({ fault: 'unknown_result', call: 'purchase' });
    const first = await retry(order);
    expect(first.kind).toBe('partner_failed');
    expect('errorMessage' in first && first.errorMessage).toContain('unclear');
    expect((await retry(order)).kind).toBe('purchase_open');
    expect(await statusesOf(order.orderId)).toEqual(['UNKNOWN']);
    // The answer finishes the order by itself.
    await shop.advance(16);
    expect(await statusesOf(order.orderId)).toEqual(['OK']);
    expect(await statusOf(order.orderId)).toBe('SUCCEEDED');
    expect(await lettersAbout(order.orderId)).toHaveLength(1);
  });

  it('twice at once buys each unit once', async () => {
    const order = await aFailedOrder({ quantity: 3 });
    await shop.aSource({ variantId: order.variantId, partnerId });
    const outcomes = await Promise.all([retry(order), retry(order), retry(order)]);
    expect(outcomes.filter(({ kind }) => kind === 'complete').length).toBeGreaterThanOrEqual(1);
    expect(await statusesOf(order.orderId)).toEqual(['OK', 'OK', 'OK']);
    expect(await codesOf(order.orderId)).toBe(3);
  });

  it('has a top-up credited, unit by unit', async () => {
    const order = await aFailedOrder({ quantity: 2, mode: 'TOPUP' });
    await shop.aSource({ variantId: order.variantId, partnerId });
    expect(await retry(order)).toMatchObject({ kind: 'complete', voucherIds: [] });
    expect(await statusesOf(order.orderId)).toEqual(['OK', 'OK']);
    expect(await retry(order)).toMatchObject({ kind: 'complete', transactionIds: [] });
  });
});

describe('a partner that is switched off', () => {
  it('is not called, by nobody', async () => {
    const off = await shop.aPartner();
    await shop.db.query(`UPDATE partners SET status = 'disabled' WHERE id = $1`, [off]);
    const order = await aFailedOrder();
    const source = await shop.aSource({ variantId: order.variantId, partnerId: off });
    expect((await retry(order)).kind).toBe('no_source');
    expect((await retry(order, source)).kind).toBe('no_source');
  });

  it('between the intent and the call is not called either', async () => {
    const off = await shop.aPartner();
    const variantId = await shop.aVariant();
    await shop.aSource({ variantId, partnerId: off });
    const { orderId } = await shop.aPaidOrder({ variantId });
    await shop.fulfill(orderId);
    await shop.db.query(`UPDATE partners SET status = 'maintenance' WHERE id = $1`, [off]);
    await shop.drain();
    const [purchase] = await purchasesOf(orderId);
    expect([purchase?.status, purchase?.first_sent_at]).toEqual(['REJECTED', null]);
    expect(await statusOf(orderId)).toBe('NEEDS_ATTENTION');
  });

  it('is called again when its maintenance is over', async () => {
    const off = await shop.aPartner();
    await shop.db.query(
      `UPDATE partners SET status = 'maintenance', maintenance_until = now() - interval '1 second' WHERE id = $1`,
      [off],
    );
    const order = await aFailedOrder();
    await shop.aSource({ variantId: order.variantId, partnerId: off });
    expect((await retry(order)).kind).toBe('complete');
  });
});
