import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { seedDemoCatalogue, seedDemoPartners } from '../../src/demo/index.ts';
import type { PartnerVariables } from '../../src/modules/fulfillment/index.ts';
import { aCustomer, control, mailsTo, order, pay, readOrder } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

/** The demo sells from partners too: whoever starts it can buy a card, a recharge and a top-up. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const { reloadly, partner } = await control<Record<string, Record<string, string>>>(
    service,
    '/credentials',
  );
  await service.app.fulfillment.ensurePartners({ reloadly, generic: partner } as PartnerVariables);
  await seedDemoCatalogue({ db: service.db, box: service.app.box });
});
afterAll(() => service.close());

const count = async (sql: string): Promise<number> =>
  (await service.db.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`)).rows[0]?.n ?? -1;

async function variantOf(sku: string): Promise<number> {
  const { rows } = await service.db.query<{ id: number }>('SELECT id FROM product_variants WHERE sku = $1', [
    sku,
  ]);
  return rows[0]?.id ?? 0;
}

describe('the demo’s partners', () => {
  it('sell every PARTNER variant, once, however often the demo starts', async () => {
    const added = await Promise.all([
      seedDemoPartners({ db: service.db }),
      seedDemoPartners({ db: service.db }),
    ]);
    const sources = await count('partner_sources');
    expect(added[0] + added[1]).toBe(sources);
    expect(await seedDemoPartners({ db: service.db })).toBe(0);
    const unsold = `product_variants v WHERE engine = 'PARTNER'
      AND NOT EXISTS (SELECT 1 FROM partner_sources WHERE variant_id = v.id)`;
    expect(await count(unsold)).toBe(0);
    expect(sources).toBeGreaterThan(60);
  });

  it.each([
    ['ORC-UK-5', { email: 'card@example.com' }, 'Reloadly gift cards', 1],
    ['PDM-R-100', { account_id: '+8801712345678' }, 'Reloadly airtime', 0],
    ['BLZ-D-115', { player_id: '123456789' }, 'Generic partner', 0],
  ])('deliver %s', async (sku, input, partner, codes) => {
    const customer = await aCustomer(service);
    const items = [{ variant_id: await variantOf(sku), quantity: 1, fulfillment_input: input }];
    const to = `${sku.toLowerCase()}@example.com`;
    const placed = await order(service, customer, { variantId: 0, items, recipient_email: to });
    expect([placed.status, placed.message]).toEqual([201, expect.any(String)]);
    await pay(service, placed.data);
    await service.drain();
    const { data } = await readOrder(service, customer, placed.data.id);
    expect([data.status, data.voucher_codes.length]).toEqual(['SUCCEEDED', codes]);
    expect(await mailsTo(service, data.dispatched_email ?? 'nobody')).toHaveLength(1);
    const { rows } = await service.db.query<{ name: string }>(
      `SELECT partners.name FROM partner_api_transactions purchase JOIN partners ON partners.id = partner_id
       JOIN order_items item ON item.id = order_item_id WHERE item.order_id = $1`,
      [placed.data.id],
    );
    expect(rows.map(({ name }) => name)).toEqual([partner]);
  });
});
