import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { inTransaction } from '../../../platform/db/database.ts';
import { OutboundError } from '../../../platform/outbound/outbound-client.ts';
import type { OutboundClient } from '../../../platform/outbound/outbound-client.ts';
import { secondsAfter } from '../../../platform/time.ts';
import { voucherContexts } from '../../vouchers/index.ts';
import { createPartnerDirectory } from '../partner-accounts/partner-directory.ts';
import { openBuying } from '../test-buying.ts';
import type { Buying } from '../test-buying.ts';
import { runPurchase } from './run-purchase.ts';
import { takeDuePurchases } from './purchase-store.ts';

const ORDERS = 250;
const UNITS = 4;
const LOST = 1_000;
/** Of the calls that buy: so many of a hundred are not answered. */
const LOST_PERCENT = 85;
const LOST_QUESTIONS_PERCENT = 30;

let shop: Buying;
const lost = { executed: 0, notExecuted: 0 };
beforeAll(async () => {
  shop = await openBuying({ around: losesAnswers, lineLimits: wide });
});
afterAll(() => shop.close());

const wide = { atOnce: 32, breaker: { share: 0.99, ofCalls: 100_000, pauseMs: 1 } };

/** The same numbers in every run, so that a failure can be seen again. */
function createDice(seed: number): (percent: number) => boolean {
  let state = seed;
  return (percent) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % 100 < percent;
  };
}
const dice = createDice(20_261_121);

/** A line that loses answers, of calls that were executed and of calls that were not, as no fault box tells apart. */
function losesAnswers(http: OutboundClient): OutboundClient {
  const timeOut = (): OutboundError =>
    new OutboundError('no answer in time', { neverSent: false, cause: undefined });
  return {
    ...http,
    async send(call) {
      if (call.url.endsWith('/oauth/token')) return http.send(call);
      if (call.method === 'GET') {
        if (dice(LOST_QUESTIONS_PERCENT)) throw timeOut();
        return http.send(call);
      }
      if (!dice(LOST_PERCENT)) return http.send(call);
      const isExecuted = dice(50);
      if (isExecuted) await http.send(call);
      lost[isExecuted ? 'executed' : 'notExecuted'] += 1;
      throw timeOut();
    },
  };
}

interface Exchange {
  readonly url: string;
  readonly request: { readonly body: { readonly reference?: string; readonly customIdentifier?: string } };
  readonly response: { readonly status: number; readonly body: Answer };
}
interface Answer {
  readonly transaction_id?: string;
  readonly transactionId?: number;
  readonly status?: string;
}

/** What the partners executed, from their own ledger: our reference → their transactions. */
async function readPartnerLedger(): Promise<Map<string, Set<string>>> {
  const response = await fetch(
    `${shop.sandboxUrl}/_control/ledger?target=partner&call=purchase&limit=100000`,
  );
  const { items } = (await response.json()) as { items: Exchange[] };
  const executed = new Map<string, Set<string>>();
  for (const { request, response: answered } of items) {
    const reference = request.body.reference ?? request.body.customIdentifier ?? '';
    const { transaction_id: id, transactionId, status } = answered.body;
    if (answered.status !== 200 || status !== 'SUCCESSFUL') continue;
    executed.set(reference, (executed.get(reference) ?? new Set()).add(String(id ?? transactionId)));
  }
  return executed;
}

interface Bought {
  readonly order_item_id: number;
  readonly unit_no: number;
  readonly reference: string;
  readonly status: string;
  readonly partner_transaction_id: string | null;
  readonly voucher_id: number | null;
  readonly mode: string;
}

/** Does what is due, many at a time, and lets time pass until nothing is due any more. */
async function runToTheEnd(): Promise<void> {
  const deps = { ...shop.deps, partners: createPartnerDirectory(shop.deps) };
  for (const seconds of [0, 6, 15, 31, 45, 60, 240, 300, 600, 900, 2_700, 3_600, 3_600, 3_600, 3_600]) {
    shop.clock.advance(seconds);
    for (;;) {
      const at = shop.clock.now();
      const until = secondsAfter(at, 60);
      const due = await inTransaction(shop.db, (tx) => takeDuePurchases(tx, { at, until, limit: 5_000 }));
      if (due.length === 0) break;
      await inParallel(due, 10, (id) => runPurchase(deps, id, { takenUntilMs: until.getTime() }));
    }
  }
  // Where all five questions were lost too, operators ask.
  for (;;) {
    const { rows } = await shop.db.query<{ id: number }>(
      `SELECT id FROM partner_api_transactions WHERE status NOT IN ('OK', 'REJECTED')`,
    );
    if (rows.length === 0) return;
    await inParallel(rows, 10, ({ id }) => runPurchase(deps, id, { isUrgent: true }));
  }
}

async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

describe('a thousand answers that never came', () => {
  it('end with our ledger, the partners’ and the vault in agreement, and nothing bought twice', async () => {
    const repeatable = await shop.aPartner();
    const strict = await shop.aPartner({ config: { is_repeatable: false } });
    const cards = await shop.aPartner({ kind: 'reloadly-gift-cards' });
    const options = { unit_price: '5.00' };
    const variants = await Promise.all(
      ([repeatable, strict, cards] as const).map(async (first) => {
        const variantId = await shop.aVariant();
        await shop.aSource({ variantId, partnerId: repeatable, priority: first === repeatable ? 1 : 5 });
        await shop.aSource({ variantId, partnerId: strict, priority: first === strict ? 1 : 6 });
        await shop.aSource({
          variantId,
          partnerId: cards,
          priority: first === cards ? 1 : 7,
          product: '12',
          options,
        });
        return variantId;
      }),
    );
    const orders = Array.from({ length: ORDERS }, (_, index) => index);
    await inParallel(orders, 8, async (index) => {
      const { orderId } = await shop.aPaidOrder({ variantId: variants[index % 3] ?? 0, quantity: UNITS });
      await shop.fulfill(orderId);
    });
    await runToTheEnd();
    expect(lost.executed + lost.notExecuted).toBeGreaterThanOrEqual(LOST);
    expect(Math.min(lost.executed, lost.notExecuted)).toBeGreaterThan(LOST / 3);

    const executed = await readPartnerLedger();
    const { rows: bought } = await shop.db.query<Bought>(
      'SELECT * FROM partner_api_transactions ORDER BY id',
    );
    // Ours and theirs, purchase by purchase: done exactly where they did it, under their own id, once.
    for (const { reference, status, partner_transaction_id: id } of bought) {
      const theirs = [...(executed.get(reference) ?? [])];
      expect([reference, status, theirs]).toEqual([
        reference,
        theirs.length === 0 ? 'REJECTED' : 'OK',
        id ? [id] : [],
      ]);
    }
    expect(executed.size).toBe(bought.filter(({ status }) => status === 'OK').length);
    // Unit by unit: never two.
    const units = Map.groupBy(bought, (purchase) => `${purchase.order_item_id}/${purchase.unit_no}`);
    expect(units.size).toBe(ORDERS * UNITS);
    for (const purchases of units.values())
      expect(purchases.filter(({ status }) => status === 'OK').length).toBeLessThanOrEqual(1);
    // The vault: one code for each purchase that was done, and no other.
    const { rows: vault } = await shop.db.query<{ id: number; code_sealed: Buffer; order_item_id: number }>(
      'SELECT id, code_sealed, order_item_id FROM vouchers',
    );
    const done = bought.filter(({ status }) => status === 'OK');
    expect(new Set(vault.map(({ id }) => id))).toEqual(new Set(done.map((one) => one.voucher_id)));
    expect(vault.length).toBe(done.length);
    const codes = vault.map(({ code_sealed: code }) => shop.deps.box.open(code, voucherContexts.code));
    expect(new Set(codes).size).toBe(done.length);
    // Every order ended: one letter queued, or one alert open.
    const ended = await shop.one<{ whole: number; letters: number; attention: number; alerts: number }>(
      `SELECT (SELECT count(DISTINCT order_id)::int FROM mail_messages) AS letters,
         (SELECT count(*)::int FROM orders WHERE status = 'NEEDS_ATTENTION') AS attention,
         (SELECT count(DISTINCT order_id)::int FROM admin_alerts WHERE status = 'open' AND type LIKE 'fulfillment%') AS alerts,
         (SELECT count(*)::int FROM orders WHERE NOT EXISTS (
            SELECT 1 FROM order_items item WHERE item.order_id = orders.id AND
              (SELECT count(*) FROM vouchers WHERE order_item_id = item.id) < item.quantity)) AS whole`,
    );
    expect(ended.whole).toBe(ended.letters);
    expect(ended.whole).toBeGreaterThan(0);
    expect(ended.alerts).toBe(ended.attention);
  }, 120_000);
});
