import { randomUUID } from 'node:crypto';

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aBrokenOrder } from '../support/broken-orders.ts';
import type { BrokenOrder } from '../support/broken-orders.ts';
import { expectInvariants } from '../support/invariants.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, control, mailsTo, readOrder } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operators: Operator[];
let customer: Customer;
let partnerId: number;
const QUANTITIES = [2, 1];

beforeAll(async () => {
  service = await startTestService();
  operators = [
    await anOperator(service),
    await anOperator(service, ['operations']),
    await anOperator(service),
  ];
  const { partner } = await control<{ partner: Record<string, string> }>(service, '/credentials');
  await service.app.fulfillment.ensurePartners({ generic: partner });
  const { rows } = await service.db.query<{ id: number }>('SELECT id FROM partners');
  partnerId = rows[0]?.id ?? 0;
});
afterAll(() => service.close());

/** An order that lacks three codes, and a partner that would sell them. */
async function aRetriableOrder(): Promise<BrokenOrder> {
  const broken = await aBrokenOrder(service, customer, QUANTITIES);
  await service.db.query(
    `INSERT INTO partner_sources (variant_id, partner_id, partner_product, cost_minor)
     SELECT variant_id, $2, 'sku-' || id, 1000 FROM order_items WHERE order_id = $1`,
    [broken.id, partnerId],
  );
  return broken;
}

/** What an operator may do at any moment; codes come from a small set, so that operators choose the same ones. */
const act = fc.record({
  kind: fc.constantFrom('first', 'second', 'both', 'retry', 'bulk', 'resend', 'attention'),
  operator: fc.nat(2),
  order: fc.nat(1),
  codes: fc.uniqueArray(fc.nat(7), { minLength: 3, maxLength: 3 }),
});
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

function requestOf({ kind, codes }: Act, { id, itemIds }: BrokenOrder, pool: readonly string[]) {
  const [one, two, three] = codes.map((index) => ({ code: pool[index] ?? '' }));
  const path = (what: string): string => `/orders/${id}/fulfillment/${what}`;
  const items = [
    { orderItemId: itemIds[0], codes: [one, two] },
    { orderItemId: itemIds[1], codes: [three] },
  ];
  switch (kind) {
    case 'first':
      return { path: path('manual-code'), body: items[0] };
    case 'second':
      return { path: path('manual-code'), body: items[1] };
    case 'both':
      return { path: path('manual-codes'), body: { items } };
    case 'retry':
      return { path: path('partner-retry'), body: { orderItemId: itemIds[0] } };
    case 'bulk':
      return { path: '/fulfillment/bulk-retry', body: { orderIds: [id] } };
    case 'resend':
      return { path: path('resend-email'), body: {} };
    case 'attention':
      return { path: `/orders/${id}/status`, method: 'PATCH', body: { status: 'NEEDS_ATTENTION' } };
  }
}

describe('operators on the same orders at once', () => {
  it('never give an item more codes than units, nor one code to two items, and nobody waits for ever', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 10 }), async (acts) => {
        customer = await aCustomer(service);
        const orders = [await aRetriableOrder(), await aRetriableOrder()];
        const pool = Array.from({ length: 8 }, () => `RACE-${randomUUID()}`);
        const answers = await Promise.all(
          acts.map((one) => {
            const operator = operators[one.operator];
            const order = orders[one.order];
            if (!operator || !order) throw new Error('no such operator or order');
            return operate(service, operator, requestOf(one, order, pool));
          }),
        );
        expect(answers.filter(({ status }) => ![200, 400, 409].includes(status))).toEqual([]);
        for (const order of orders) await expectWhole(order);
        await expectInvariants(service.db);
      }),
      { numRuns: 8 },
    );
  }, 120_000);
});

/** What was stored belongs to one unit each; what the customer was told is what is stored. */
async function expectWhole(order: BrokenOrder): Promise<void> {
  const { rows } = await service.db.query<{
    id: number;
    quantity: number;
    fulfilled: boolean;
    codes: number;
    claims: number;
  }>(
    `SELECT item.id, item.quantity, item.fulfilled,
            (SELECT count(*)::int FROM vouchers WHERE order_item_id = item.id) AS codes,
            (SELECT count(*)::int FROM recovery_claims WHERE order_id = item.order_id) AS claims
     FROM order_items AS item WHERE item.order_id = $1`,
    [order.id],
  );
  for (const item of rows) {
    expect(item.codes).toBeLessThanOrEqual(item.quantity);
    if (item.fulfilled) expect(item.codes).toBe(item.quantity);
    expect(item.claims).toBe(0);
  }
  const { rows: shared } = await service.db.query(
    'SELECT code_digest FROM vouchers WHERE order_item_id IS NOT NULL GROUP BY code_digest HAVING count(DISTINCT order_item_id) > 1',
  );
  expect(shared).toEqual([]);
  const read = (await readOrder(service, customer, order.id)).data;
  if (rows.every(({ fulfilled }) => fulfilled)) expect(read.status).toBe('SUCCEEDED');
  const letters = (await mailsTo(service, customer.email)).filter(({ subject }) =>
    subject.includes(order.number),
  );
  for (const code of read.voucher_codes) {
    if (read.status === 'SUCCEEDED') expect(letters.at(-1)?.text).toContain(code);
  }
}
