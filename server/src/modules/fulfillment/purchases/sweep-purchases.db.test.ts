import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { openBuying } from '../test-buying.ts';
import type { Buying } from '../test-buying.ts';
import { factsOf } from '../test-purchase-facts.ts';
import { purchaseSweep } from './sweep-purchases.ts';

let shop: Buying;
beforeAll(async () => {
  shop = await openBuying();
});
afterEach(() => shop.calm());
afterAll(() => shop.close());
const { statusesOf } = factsOf(() => shop);

const forgetJobs = () =>
  shop.db.query(
    `SELECT graphile_worker.remove_job(key) FROM graphile_worker.jobs WHERE key LIKE 'purchase:%'`,
  );

/** A paid order whose purchases are begun, due, and known to nobody but the sweep. */
async function anOrderLeftBehind(partnerId: number, quantity: number): Promise<number> {
  const variantId = await shop.aVariant();
  await shop.aSource({ variantId, partnerId });
  const { orderId } = await shop.aPaidOrder({ variantId, quantity });
  await shop.fulfill(orderId);
  await forgetJobs();
  return orderId;
}

async function aBrokenPartner(): Promise<number> {
  const partnerId = await shop.aPartner();
  await shop.db.query(`UPDATE partners SET credentials_sealed = 'sealed by nobody' WHERE id = $1`, [
    partnerId,
  ]);
  return partnerId;
}

/** One turn of the sweep and all the jobs it gave out, many of which fail. */
async function aTurn(): Promise<void> {
  await purchaseSweep(shop.deps).run();
  await shop.drain().catch(() => undefined);
}

describe('purchases that are due', () => {
  it('have their turn although two hundred before them fail every time', async () => {
    const broken = await aBrokenPartner();
    for (const quantity of [100, 100]) await anOrderLeftBehind(broken, quantity);
    shop.clock.advance(1);
    const orderId = await anOrderLeftBehind(await shop.aPartner(), 1);
    await aTurn();
    expect(await statusesOf(orderId)).toEqual(['INTENT']);
    await aTurn();
    expect(await statusesOf(orderId)).toEqual(['OK']);
  });

  it('are taken again a minute later when the job they were given to never ran', async () => {
    const orderId = await anOrderLeftBehind(await shop.aPartner(), 1);
    await purchaseSweep(shop.deps).run();
    await forgetJobs();
    await aTurn();
    expect(await statusesOf(orderId)).toEqual(['INTENT']);
    shop.clock.advance(61);
    await aTurn();
    expect(await statusesOf(orderId)).toEqual(['OK']);
  });
});
