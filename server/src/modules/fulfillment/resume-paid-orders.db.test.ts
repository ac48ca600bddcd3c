import { afterAll, beforeAll, expect, it } from 'vitest';

import { resumeSweep } from './resume-paid-orders.ts';
import { openBuying } from './test-buying.ts';
import type { Buying } from './test-buying.ts';

let shop: Buying;
beforeAll(async () => {
  shop = await openBuying();
});
afterAll(() => shop.close());

/** The orders whose fulfillment waits in the queue. */
async function waiting(): Promise<number[]> {
  const { rows } = await shop.db.query<{ id: number }>(
    `SELECT (payload ->> 'orderId')::bigint AS id FROM graphile_worker._private_jobs ORDER BY 1`,
  );
  return rows.map(({ id }) => id);
}

const loseJobs = () => shop.db.query('DELETE FROM graphile_worker._private_jobs');

it('takes up the order after two hundred that fail every time, and those again when all have had their turn', async () => {
  const variantId = await shop.aVariant();
  const orders: number[] = [];
  for (let n = 0; n < 201; n += 1) orders.push((await shop.aPaidOrder({ variantId })).orderId);
  shop.clock.advance(120);
  const sweep = resumeSweep(shop.deps);
  const turns: number[][] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await sweep.run();
    turns.push(await waiting());
    await loseJobs();
  }
  expect(turns).toEqual([orders.slice(0, 200), orders.slice(200), orders.slice(0, 200)]);
});
