import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { createSecretBox } from '../../../platform/secret-box.ts';
import { recallBatch } from '../batches/recall-batch.ts';
import { importVouchers } from '../import/import-vouchers.ts';
import { saveManualCodes } from '../manual/save-manual-codes.ts';
import { reserveUnits } from '../reserve-units.ts';
import { assignReservedVouchers, listHeldUnitNumbers, releaseReservedVouchers } from '../voucher-store.ts';
import { listMovements } from './stock-store.ts';

const box = createSecretBox({
  sealing: [{ id: 'k1', key: Buffer.alloc(32, 1) }],
  digesting: Buffer.alloc(32, 2),
});
const clock = { now: () => new Date() };
const VARIANTS = [1, 2];
/** Orders 1 to 6 with one item of three units each; odd ones of the first variant. */
const ITEMS = [1, 2, 3, 4, 5, 6];
const QUANTITY = 3;
let db: TestDatabase;
let next = 0;
const freshCode = (): string => `CODE-${(next += 1)}`;

beforeAll(async () => {
  db = await createTestDatabase();
  await db.query(`INSERT INTO brands (name, slug) VALUES ('Play', 'play')`);
  await db.query(`INSERT INTO categories (name, slug) VALUES ('Games', 'games')`);
  await db.query(`INSERT INTO product_types (name, slug) VALUES ('Card', 'card')`);
  await db.query(
    `INSERT INTO products (brand_id, category_id, product_type_id, name, slug) VALUES (1, 1, 1, 'Card', 'card')`,
  );
  await db.query(
    `INSERT INTO product_variants (product_id, name, sku, price_minor) VALUES (1, 'One', 'ONE', 100), (1, 'Two', 'TWO', 200)`,
  );
  await db.query(
    `INSERT INTO users (msisdn, name, password_hash) VALUES ('+8801700000000', 'Somebody', 'x')`,
  );
  await db.query(
    `INSERT INTO orders (order_number, user_id, subtotal_minor, total_minor) SELECT 'VC-' || n, 1, 300, 300 FROM generate_series(1, 6) AS n`,
  );
  await db.query(
    `INSERT INTO order_items (order_id, position, variant_id, quantity, unit_price_minor, product_name, variant_name, engine, mode)
     SELECT id, 0, 2 - id % 2, 3, 100, 'Card', 'One', 'PRELOADED', 'CODE' FROM orders ORDER BY id`,
  );
});
afterAll(() => db.drop());

const variantOf = (itemId: number): number => 2 - (itemId % 2);

/** Everything that ever moves units. Some of it is refused, and some rolls back at the very end. */
const acts = {
  load: async (n: number) => {
    const rows = Array.from({ length: 1 + (n % 4) }, (_, index) => ({ line: index + 1, code: freshCode() }));
    await importVouchers({ db, box, clock }, { variantId: VARIANTS[n % 2] ?? 1, brandId: 1, rows });
  },
  reserve: async (n: number) => {
    const orderItemId = itemOf(n);
    await transact(n, async (tx) => {
      const held = new Set((await listHeldUnitNumbers(tx, [orderItemId])).map((unit) => unit.unit_no));
      const unitNumbers = [1, 2, 3].filter((unitNo) => !held.has(unitNo));
      const wanted = [{ orderItemId, variantId: variantOf(orderItemId), unitNumbers }];
      await reserveUnits(tx, wanted, { until: new Date(Date.now() + 60_000), attempt: 1 });
    });
  },
  release: (n: number) => transact(n, (tx) => releaseReservedVouchers(tx, itemOf(n))),
  assign: (n: number) => transact(n, (tx) => assignReservedVouchers(tx, [itemOf(n)])),
  void: (n: number) =>
    transact(n, (tx) =>
      tx.query(
        `UPDATE vouchers SET status = 'voided' WHERE id % 5 = $1 AND status = 'available' AND variant_id = $2`,
        [n % 5, 1 + (n % 2)],
      ),
    ),
  recall: async (n: number) => {
    const { rows } = await db.query<{ id: number }>(
      'SELECT id FROM voucher_batches ORDER BY id OFFSET $1 LIMIT 1',
      [n],
    );
    if (!rows[0]) return;
    const deps = {
      db,
      noteStockChange: () => undefined,
      recordAudit: async () => undefined,
      lockOrder: async () => undefined,
    };
    const actor = { adminId: 1, sessionId: '', ip: '', userAgent: null, requestId: '' };
    await recallBatch(deps, { id: rows[0].id, reason: 'bad', actor }).catch(expectRefusal);
  },
  typeIn: async (n: number) => {
    const orderItemId = itemOf(n);
    const typed = {
      pin: null,
      redemptionUrl: null,
      serialNumber: null,
      expiresAt: null,
      metadata: {},
      partnerId: null,
    };
    const codes = Array.from({ length: QUANTITY - (n % 2) }, () => ({ code: freshCode(), ...typed }));
    const item = {
      orderItemId,
      variantId: variantOf(orderItemId),
      quantity: QUANTITY,
      codes,
      field: 'codes',
      mayNameMissingOnly: true,
    };
    await transact(n, (tx) => saveManualCodes(tx, box, [item]));
  },
  forget: (n: number) =>
    transact(n, (tx) => tx.query(`DELETE FROM vouchers WHERE id % 7 = $1 AND status = 'voided'`, [n % 7])),
};

const itemOf = (n: number): number => ITEMS[n % ITEMS.length] ?? 1;

function expectRefusal(error: unknown): void {
  if (!(error instanceof AppError || (error instanceof Error && error.message === 'roll back'))) throw error;
}

/** Every fifth transaction fails at the very end. */
async function transact(n: number, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  await inTransaction(db, async (tx) => {
    await work(tx);
    if (n % 5 === 4) throw new Error('roll back');
  }).catch(expectRefusal);
}

describe('the ledger of movements', () => {
  it('sums to the stock after any history, for every variant and state', async () => {
    const act = fc.record({
      kind: fc.constantFrom(...(Object.keys(acts) as (keyof typeof acts)[])),
      n: fc.nat(100),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (history) => {
        for (const { kind, n } of history) await acts[kind](n);
        for (const variantId of VARIANTS) {
          const { byMovements, byVouchers } = await listMovements(db, variantId, { limit: 1, offset: 0 });
          expect(byMovements).toEqual(byVouchers);
        }
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  it('never gave an item more codes than units, nor a code to two items', async () => {
    const { rows } = await db.query(
      `SELECT order_item_id FROM vouchers WHERE order_item_id IS NOT NULL GROUP BY order_item_id HAVING count(*) > $1
       UNION ALL
       SELECT min(order_item_id) FROM vouchers WHERE order_item_id IS NOT NULL GROUP BY code_digest HAVING count(*) > 1`,
      [QUANTITY],
    );
    expect(rows).toEqual([]);
    const { rows: counts } = await db.query<{ n: number }>('SELECT count(*)::int AS n FROM stock_movements');
    expect(counts[0]?.n).toBeGreaterThan(50);
  });
});
