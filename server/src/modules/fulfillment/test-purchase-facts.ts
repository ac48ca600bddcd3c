import type { Letter } from '../mail/index.ts';
import type { PurchaseRow } from './purchases/purchase-store.ts';
import type { Buying } from './test-buying.ts';

/** What tests look at: always the database and what left it, never what a function says of itself. */
export interface PurchaseFacts {
  readonly statusOf: (orderId: number) => Promise<string>;
  readonly purchasesOf: (orderId: number) => Promise<PurchaseRow[]>;
  readonly statusesOf: (orderId: number) => Promise<string[]>;
  /** Types of the order's open alerts, oldest first. */
  readonly alertsOf: (orderId: number) => Promise<string[]>;
  readonly lettersAbout: (orderId: number) => Promise<Letter[]>;
  /** Vouchers of the order's items. */
  readonly codesOf: (orderId: number) => Promise<number>;
  /** Fulfills and runs what follows at once. */
  readonly begin: (orderId: number) => Promise<void>;
}

export function factsOf(shop: () => Buying): PurchaseFacts {
  const list = async <Row>(sql: string, orderId: number): Promise<Row[]> =>
    (await shop().db.query<Row>(sql, [orderId])).rows;
  const purchasesOf = (orderId: number): Promise<PurchaseRow[]> =>
    list(
      `SELECT purchase.* FROM partner_api_transactions purchase JOIN order_items item ON item.id = order_item_id
       WHERE order_id = $1 ORDER BY purchase.id`,
      orderId,
    );
  return {
    purchasesOf,
    statusesOf: async (orderId) => (await purchasesOf(orderId)).map(({ status }) => status),
    statusOf: async (orderId) =>
      (await list<{ status: string }>('SELECT status FROM orders WHERE id = $1', orderId))[0]?.status ??
      'none',
    alertsOf: async (orderId) =>
      (
        await list<{ type: string }>(
          `SELECT type FROM admin_alerts WHERE order_id = $1 AND status = 'open' ORDER BY id`,
          orderId,
        )
      ).map(({ type }) => type),
    async lettersAbout(orderId) {
      const [order] = await list<{ order_number: string }>(
        'SELECT order_number FROM orders WHERE id = $1',
        orderId,
      );
      return shop().letters.filter((letter) => letter.subject.includes(order?.order_number ?? 'nothing'));
    },
    codesOf: async (orderId) =>
      (
        await list(
          `SELECT 1 FROM vouchers JOIN order_items item ON item.id = order_item_id WHERE item.order_id = $1`,
          orderId,
        )
      ).length,
    async begin(orderId) {
      await shop().fulfill(orderId);
      await shop().drain();
    },
  };
}
