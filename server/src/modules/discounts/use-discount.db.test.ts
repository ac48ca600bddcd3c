import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../test/support/test-database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { DiscountChangedError } from './errors.ts';
import { quoteDiscount } from './quote-discount.ts';
import type { DiscountQuote } from './quote-discount.ts';
import { consumeDiscount, holdDiscountUse, releaseDiscountUse, settleDiscountUse } from './use-discount.ts';

let db: TestDatabase;
let userId: number;
let count = 0;
const noOrders = async (): Promise<boolean> => false;

beforeAll(async () => {
  db = await createTestDatabase();
  userId = await aUser();
});
afterAll(() => db.drop());

async function idOf(sql: string, values: readonly unknown[] = []): Promise<number> {
  const { rows } = await db.query<{ id: number }>(sql, values);
  if (!rows[0]) throw new Error('no row');
  return rows[0].id;
}

const aUser = (): Promise<number> =>
  idOf(`INSERT INTO users (msisdn, name, password_hash) VALUES ($1, 'U', 'x') RETURNING id`, [
    `+88017${10_000_000 + (count += 1)}`,
  ]);

const anOrder = (user = userId): Promise<number> =>
  idOf(
    `INSERT INTO orders (order_number, user_id, subtotal_minor, discount_minor, total_minor, discount_code)
     VALUES ($1, $2, 10000, 1000, 9000, 'X') RETURNING id`,
    [`VC-${(count += 1)}`, user],
  );

async function aDiscount(settings = ''): Promise<{ id: number; code: string }> {
  const code = `RULE-${(count += 1)}`;
  const id = await idOf(
    `INSERT INTO discounts (code, name, discount_type, value_hundredths) VALUES ($1, 'Rule', 'PERCENTAGE', 1000)
     RETURNING id`,
    [code],
  );
  if (settings) await db.query(`UPDATE discounts SET ${settings} WHERE id = $1`, [id]);
  return { id, code };
}

const quote = (code: string, user = userId): Promise<DiscountQuote> =>
  quoteDiscount(
    { db, hasPaidOrder: noOrders },
    {
      code,
      userId: user,
      at: new Date(),
      paymentMethod: undefined,
      items: [{ variantId: 1, totalMinor: 10_000 }],
    },
  );

const consume = (quoted: DiscountQuote, orderId: number): Promise<void> =>
  inTransaction(db, (tx) => consumeDiscount(tx, quoted, orderId));
const hold = (orderId: number, paymentMethod = 'dcb'): Promise<void> =>
  inTransaction(db, (tx) => holdDiscountUse(tx, { orderId, paymentMethod, at: new Date() }, noOrders));
const settle = (orderId: number): Promise<void> =>
  inTransaction(db, (tx) => settleDiscountUse(tx, orderId, new Date()));
const release = (orderId: number): Promise<void> =>
  inTransaction(db, (tx) => releaseDiscountUse(tx, orderId));

async function standing(discountId: number): Promise<object | undefined> {
  const { rows } = await db.query<object>(
    `SELECT usage_count AS counted,
       (SELECT COALESCE(sum(uses), 0)::int FROM discount_customers WHERE discount_id = d.id) AS customers,
       (SELECT count(*)::int FROM discount_uses WHERE discount_id = d.id AND released_at IS NULL) AS live,
       (SELECT count(*)::int FROM discount_uses WHERE discount_id = d.id AND NOT is_counted) AS over
     FROM discounts d WHERE id = $1`,
    [discountId],
  );
  return rows[0];
}

const nothing = { counted: 0, customers: 0, live: 0, over: 0 };
const one = { counted: 1, customers: 1, live: 1, over: 0 };

describe('taking a use that was quoted before', () => {
  it.each([
    ['was switched off', 'is_active = false'],
    ['takes off less', 'value_hundredths = 500'],
    ['is for others now', "payment_methods = '{dcb}'"],
    ['ended', "end_date = now() - interval '1 hour'"],
  ])('is refused whole when the discount %s since', async (_, edit) => {
    const { id, code } = await aDiscount();
    const quoted = await quote(code);
    await db.query(`UPDATE discounts SET ${edit} WHERE id = $1`, [id]);
    await expect(consume(quoted, await anOrder())).rejects.toThrow(DiscountChangedError);
    expect(await standing(id)).toEqual(nothing);
  });

  it('is refused whole when somebody else took the last use since', async () => {
    const { id, code } = await aDiscount('usage_limit = 1');
    const [first, second] = [await quote(code), await quote(code, await aUser())];
    await consume(first, await anOrder());
    await expect(consume(second, await anOrder(second.userId))).rejects.toThrow(DiscountChangedError);
    expect(await standing(id)).toEqual(one);
  });

  it('is refused whole when the same customer took their last use since', async () => {
    const { id, code } = await aDiscount('usage_limit_per_user = 1');
    const [first, second] = [await quote(code), await quote(code)];
    await consume(first, await anOrder());
    await expect(consume(second, await anOrder())).rejects.toThrow(DiscountChangedError);
    expect(await standing(id)).toEqual(one);
  });

  it('is refused when the discount was deleted since', async () => {
    const { id, code } = await aDiscount();
    const quoted = await quote(code);
    await db.query('DELETE FROM discounts WHERE id = $1', [id]);
    await expect(consume(quoted, await anOrder())).rejects.toThrow(DiscountChangedError);
  });

  it('is not disturbed by uses of others', async () => {
    const { id, code } = await aDiscount();
    const quoted = await quote(code);
    const other = await quote(code, await aUser());
    await consume(other, await anOrder(other.userId));
    await consume(quoted, await anOrder());
    expect(await standing(id)).toEqual({ counted: 2, customers: 2, live: 2, over: 0 });
  });
});

async function aTakenUse(settings = ''): Promise<{ id: number; code: string; orderId: number }> {
  const discount = await aDiscount(settings);
  const orderId = await anOrder();
  await consume(await quote(discount.code), orderId);
  return { ...discount, orderId };
}

describe('a use that is held', () => {
  it('goes back once', async () => {
    const { id, orderId } = await aTakenUse();
    for (let time = 0; time < 3; time += 1) await release(orderId);
    expect(await standing(id)).toEqual(nothing);
  });

  it('never goes back once it is paid', async () => {
    const { id, orderId } = await aTakenUse();
    await settle(orderId);
    await release(orderId);
    await settle(orderId);
    expect(await standing(id)).toEqual(one);
  });

  it('stays held for another payment session though the discount ended meanwhile', async () => {
    const { id, orderId } = await aTakenUse();
    await db.query('UPDATE discounts SET is_active = false WHERE id = $1', [id]);
    await hold(orderId);
    expect(await standing(id)).toEqual(one);
    await db.query(`UPDATE discounts SET payment_methods = '{gw_aggregator}' WHERE id = $1`, [id]);
    await expect(hold(orderId)).rejects.toMatchObject({ data: { reason: 'payment_method' } });
  });
});

describe('a use that went back', () => {
  it('is taken again at the price that was agreed', async () => {
    const { id, orderId } = await aTakenUse();
    await release(orderId);
    await db.query('UPDATE discounts SET value_hundredths = 100 WHERE id = $1', [id]);
    await hold(orderId);
    await hold(orderId);
    expect(await standing(id)).toEqual(one);
    const { rows } = await db.query(
      'SELECT discount_minor FROM discount_uses WHERE released_at IS NULL AND order_id = $1',
      [orderId],
    );
    expect(rows).toEqual([{ discount_minor: 1_000 }]);
  });

  it.each([
    ['was switched off', 'is_active = false', 'active'],
    ['ended', "end_date = now() - interval '1 hour'", 'not_ended'],
    ['asks for more now', 'min_purchase_minor = 10001', 'minimum_purchase'],
  ])('is not taken again when the discount %s', async (_, edit, reason) => {
    const { id, orderId } = await aTakenUse();
    await release(orderId);
    await db.query(`UPDATE discounts SET ${edit} WHERE id = $1`, [id]);
    await expect(hold(orderId)).rejects.toMatchObject({ code: 'BAD_REQUEST', data: { reason } });
    expect(await standing(id)).toEqual(nothing);
  });

  it.each(['usage_limit = 1', 'usage_limit_per_user = 1', 'first_order_only = true'])(
    'is honoured beyond the limit when the money comes and another order has it (%s)',
    async (limit) => {
      const { id, code, orderId } = await aTakenUse(limit);
      await release(orderId);
      await consume(await quote(code), await anOrder());
      await expect(hold(orderId)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
      await settle(orderId);
      await settle(orderId);
      expect(await standing(id)).toEqual({ counted: 1, customers: 1, live: 2, over: 1 });
      await db.query('DELETE FROM discount_uses WHERE discount_id = $1', [id]);
    },
  );
});

describe('the database itself', () => {
  it('refuses what would break the promise, whoever asks', async () => {
    const { id, orderId } = await aTakenUse('usage_limit = 1');
    for (const [sql, constraint] of [
      ['UPDATE discounts SET usage_count = 2 WHERE id = $1', 'discounts__uses_within_limit'],
      ['UPDATE discounts SET usage_count = -1 WHERE id = $1', 'discounts__uses_within_limit'],
      ['UPDATE discounts SET value_hundredths = 10001 WHERE id = $1', 'discounts__percentage'],
      ['DELETE FROM discounts WHERE id = $1', 'discount_uses__discount'],
    ] as const)
      await expect(db.query(sql, [id])).rejects.toMatchObject({ constraint });
    const twin = `INSERT INTO discount_uses (order_id, discount_id, code, user_id, subtotal_minor, discount_minor, is_first_order)
      VALUES ($1, $2, 'X', $3, 1, 1, false)`;
    await expect(db.query(twin, [orderId, id, userId])).rejects.toMatchObject({
      constraint: 'discount_uses__one_live',
    });
  });
});
