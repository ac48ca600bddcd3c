import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { voucherContexts, voucherDigest } from '../../vouchers/index.ts';
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
const { statusOf, statusesOf, lettersAbout, alertsOf } = factsOf(() => shop);

/** A code of the stock that is held for the first unit of an item, as it is since the order was created. */
async function holdUnit(variantId: number, itemId: number): Promise<number> {
  const code = `HELD-${randomUUID()}`;
  const { box } = shop.deps;
  const row = await shop.one<{ id: number }>(
    `INSERT INTO vouchers (variant_id, brand_id, source_type, status, order_item_id, unit_no, reserved_until, code_sealed,
       code_digest)
     SELECT $1, product.brand_id, 'PRELOADED', 'reserved', $2, 1, now() + interval '30 minutes', $3, $4
     FROM product_variants variant JOIN products product ON product.id = variant.product_id WHERE variant.id = $1
     RETURNING id`,
    [variantId, itemId, box.seal(code, voucherContexts.code), voucherDigest(box, code)],
  );
  return row.id;
}

/** An operator took the order over before the service had begun it: a preloaded item and one that partners sell. */
async function anOrderTakenOver() {
  const stocked = await shop.aVariant({ engine: 'PRELOADED' });
  const sold = await shop.aVariant();
  await shop.aSource({ variantId: sold, partnerId });
  const { orderId, itemIds } = await shop.aPaidOrder(
    { variantId: stocked, engine: 'PRELOADED' },
    { variantId: sold },
  );
  const [stockedItem = 0, soldItem = 0] = itemIds;
  const voucherId = await holdUnit(stocked, stockedItem);
  await shop.db.query(`UPDATE orders SET status = 'NEEDS_ATTENTION' WHERE id = $1`, [orderId]);
  return { orderId, stocked, stockedItem, soldItem, voucherId };
}

const retry = (orderId: number, orderItemId: number) =>
  shop.fulfillment.purchaseForItem({ orderId, orderItemId, adminId, correlationId: randomUUID() });

const voucherOf = (id: number) =>
  shop.one<{ status: string; order_item_id: number | null }>(
    'SELECT status, order_item_id FROM vouchers WHERE id = $1',
    [id],
  );

describe('a unit that the stock only holds for an item', () => {
  it('is not delivered: a late answer for another item does not complete the order without it', async () => {
    const { orderId, stockedItem, soldItem, voucherId } = await anOrderTakenOver();
    await shop.fault({ fault: 'unknown_result', call: 'purchase' });
    expect((await retry(orderId, soldItem)).kind).toBe('partner_failed');
    await shop.advance(16);
    expect(await statusesOf(orderId)).toEqual(['OK']);
    const { fulfillment_status: standing } = await shop.one<{ fulfillment_status: string }>(
      'SELECT fulfillment_status FROM order_items WHERE id = $1',
      [stockedItem],
    );
    expect(standing).toBe('PENDING');
    expect(await lettersAbout(orderId)).toEqual([]);
    expect(await statusOf(orderId)).toBe('NEEDS_ATTENTION');
    expect(await voucherOf(voucherId)).toEqual({ status: 'reserved', order_item_id: stockedItem });
  });

  it('is no code the item has: it is bought, and what was held goes back into the stock', async () => {
    const { orderId, stocked, stockedItem, voucherId } = await anOrderTakenOver();
    await shop.aSource({ variantId: stocked, partnerId });
    const outcome = await retry(orderId, stockedItem);
    expect(outcome.kind).toBe('complete');
    expect('voucherIds' in outcome && outcome.voucherIds).toHaveLength(1);
    expect('voucherIds' in outcome && outcome.voucherIds).not.toContain(voucherId);
    expect(await voucherOf(voucherId)).toEqual({ status: 'available', order_item_id: null });
    expect(await alertsOf(orderId)).toEqual([]);
  });
});
