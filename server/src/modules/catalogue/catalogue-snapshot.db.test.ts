import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import type { Reader, Statement } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { createCatalogueSnapshot } from './catalogue-snapshot.ts';
import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import { findVariantsForSale, findVariantToStock } from './index.ts';

let db: TestDatabase;
let snapshot: CatalogueSnapshot;
let now = new Date('2026-01-01T00:00:00Z');
let asked: string[] = [];
let sellable = new Set<number>();
/** Runs just before a statement is sent: what somebody else does meanwhile. */
let meanwhile: (() => Promise<void>) | undefined;

beforeAll(async () => {
  db = await createTestDatabase();
  await db.query(`INSERT INTO brands (name, slug) VALUES ('Play', 'play')`);
  await db.query(`INSERT INTO categories (name, slug) VALUES ('Games', 'games')`);
  await db.query(`INSERT INTO product_types (name, slug) VALUES ('Card', 'card')`);
  await db.query(`INSERT INTO products (brand_id, category_id, product_type_id, name, slug, status, fulfillment_config)
    VALUES (1, 1, 1, 'Card', 'card', 'active', '{"fields": [{"name": "uid"}]}'), (1, 1, 1, 'Draft', 'draft', 'draft', '{}')`);
  await db.query(`INSERT INTO product_variants (product_id, name, sku, price_minor, max_quantity, is_active) VALUES
    (1, 'One', 'ONE', 1050, 3, true), (1, 'Off', '1', 100, 10, false), (2, 'Of a draft', 'DRAFT', 100, 10, true)`);
});
afterAll(() => db.drop());

beforeEach(() => {
  asked = [];
  sellable = new Set([1]);
  meanwhile = undefined;
  const reader: Reader = {
    async query(query: Statement | string, values) {
      asked.push(typeof query === 'string' ? query : query.name);
      const act = meanwhile;
      meanwhile = undefined;
      await act?.();
      return db.query(query, values);
    },
  };
  const stock = { listSellableVariants: async () => sellable };
  snapshot = createCatalogueSnapshot({ db: reader, stock, clock: { now: () => now } });
});

const later = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};
const brandName = async (): Promise<string | undefined> => (await snapshot.current()).rows.brands[0]?.name;
const rename = async (name: string): Promise<void> => {
  await db.query('UPDATE brands SET name = $1 WHERE id = 1', [name]);
};

describe('the catalogue in memory', () => {
  it('asks the database once a second, however many ask it', async () => {
    const shelves = await Promise.all(Array.from({ length: 50 }, () => snapshot.current()));
    later(999);
    shelves.push(await snapshot.current());
    expect(new Set(shelves).size).toBe(1);
    expect(asked).toEqual(['catalogue_find_version', 'catalogue_read']);
  });

  it('keeps what it has while nothing changes, and reads again within a second of a change', async () => {
    const first = await snapshot.current();
    later(1_000);
    expect(await snapshot.current()).toBe(first);
    await rename('Renamed');
    later(1_000);
    expect(await brandName()).toBe('Renamed');
    expect(asked.filter((name) => name === 'catalogue_read')).toHaveLength(2);
  });

  it('shows a change at once after it is told of one', async () => {
    await snapshot.current();
    await rename('At once');
    snapshot.invalidate();
    expect(await brandName()).toBe('At once');
  });

  it('looks again when a change is announced while it is looking', async () => {
    await rename('Before');
    await snapshot.current();
    later(1_000);
    meanwhile = async () => {
      // The look under way may have asked already: only a second look surely sees this.
      await rename('During');
      snapshot.invalidate();
    };
    expect(await brandName()).toBe('During');
    expect(asked.filter((name) => name === 'catalogue_find_version')).toHaveLength(3);
  });

  it('never keeps rows under a version that was not committed with them', async () => {
    await inTransaction(db, async (tx) => {
      await tx.query(`UPDATE brands SET name = 'Committed' WHERE id = 1`);
      expect(await brandName()).not.toBe('Committed');
    });
    later(1_000);
    expect(await brandName()).toBe('Committed');
  });

  it('follows the stock without reading the catalogue again', async () => {
    const before = await snapshot.current();
    const inStock = async (): Promise<boolean | undefined> => {
      const shelf = await snapshot.current();
      const card = shelf.findProduct(1);
      return card && shelf.show(card, 'en', 'price').variants[0]?.in_stock;
    };
    expect(await inStock()).toBe(true);
    sellable = new Set();
    later(1_000);
    expect(await inStock()).toBe(false);
    expect(await snapshot.current()).not.toBe(before);
    expect(asked.filter((name) => name === 'catalogue_read')).toHaveLength(1);
  });

  it('fails the reader when the database fails, and recovers with it', async () => {
    meanwhile = () => Promise.reject(new Error('connection lost'));
    await expect(snapshot.current()).rejects.toThrow('connection lost');
    expect((await snapshot.current()).products).toHaveLength(1);
  });
});

describe('findVariantsForSale', () => {
  it('reads price, limits and configuration from the database, and says what cannot be sold', async () => {
    const found = await findVariantsForSale(db, [1, 2, 3, 99]);
    const byId = new Map(found.map((variant) => [variant.variantId, variant]));
    expect(byId.get(1)).toEqual({
      variantId: 1,
      productId: 1,
      brandId: 1,
      productName: 'Card',
      variantName: 'One',
      priceMinor: 1050,
      currency: 'BDT',
      engine: 'PRELOADED',
      mode: 'CODE',
      maxQuantity: 3,
      isSellable: true,
      fulfillment: {
        mode: 'CODE',
        identifier: { key: 'uid', label: 'User ID', labelBn: 'ইউজার আইডি', required: true },
        fields: [{ name: 'uid', label: 'User ID', labelBn: 'ইউজার আইডি', type: 'text', required: true }],
      },
    });
    expect([byId.get(2)?.isSellable, byId.get(3)?.isSellable, byId.size]).toEqual([false, false, 3]);
  });

  it('sells nothing of a brand that is switched off', async () => {
    await db.query('UPDATE brands SET is_active = false WHERE id = 1');
    expect((await findVariantsForSale(db, [1]))[0]?.isSellable).toBe(false);
    await db.query('UPDATE brands SET is_active = true WHERE id = 1');
  });
});

describe('findVariantToStock', () => {
  it('takes a SKU or an id, the SKU first', async () => {
    const one = { variantId: 1, brandId: 1, sku: 'ONE', title: 'Card, One', engine: 'PRELOADED' };
    expect(await findVariantToStock(db, 'ONE')).toEqual(one);
    expect((await findVariantToStock(db, '1'))?.sku).toBe('1');
    expect((await findVariantToStock(db, '3'))?.sku).toBe('DRAFT');
    expect(await findVariantToStock(db, 'nothing')).toBeUndefined();
  });
});
