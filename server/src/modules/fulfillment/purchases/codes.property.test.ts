import { randomUUID } from 'node:crypto';

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { OutboundError } from '../../../platform/outbound/outbound-client.ts';
import type {
  OutboundClient,
  OutboundRequest,
  OutboundResponse,
} from '../../../platform/outbound/outbound-client.ts';
import { secondsAfter } from '../../../platform/time.ts';
import { saveManualCodes } from '../../vouchers/index.ts';
import { createPartnerDirectory } from '../partner-accounts/partner-directory.ts';
import { openBuying } from '../test-buying.ts';
import type { Buying } from '../test-buying.ts';
import { takeDuePurchases } from './purchase-store.ts';
import { runPurchase } from './run-purchase.ts';

const behaviours = [
  'deliver',
  'lostAfter',
  'lostBefore',
  'noCode',
  'repeat',
  'decline',
  'html',
  'processing',
] as const;
type Behaviour = (typeof behaviours)[number];
const actions = [
  'fulfill',
  'run',
  'soon',
  'later',
  'muchLater',
  'typeCode',
  'typeOldCode',
  'retry',
  'requery',
] as const;
type Action = (typeof actions)[number];

let shop: Buying;
/** What the partner does with the next calls that buy; it delivers once the list is used up. */
let script: Behaviour[] = [];
beforeAll(async () => {
  shop = await openBuying({ around: scriptedPartner });
});
afterAll(() => shop.close());

/** A partner in memory: it sells once for each reference, and answers as it is told to. */
function scriptedPartner(http: OutboundClient): OutboundClient {
  const sold = new Map<string, { status: string; codes: { code: string }[] }>();
  let lastCode = `FIRST-${randomUUID()}`;
  const answer = (status: number, body: unknown): OutboundResponse => ({
    status,
    text: typeof body === 'string' ? body : JSON.stringify(body),
    contentType: 'application/json',
  });
  const cut = (): OutboundError => new OutboundError('cut', { neverSent: false, cause: undefined });
  const tell = (reference: string): OutboundResponse => {
    const purchase = sold.get(reference);
    if (!purchase) return answer(404, { error: { code: 'NOT_FOUND' } });
    return answer(purchase.status === 'FAILED' ? 422 : 200, {
      reference,
      transaction_id: `T-${reference}`,
      ...purchase,
    });
  };
  function buy(call: OutboundRequest): OutboundResponse {
    const { reference } = JSON.parse(call.body ?? '{}') as { reference: string };
    if (sold.has(reference)) return tell(reference);
    const behaviour = script.shift() ?? 'deliver';
    if (behaviour === 'lostBefore') throw cut();
    if (behaviour === 'html') return answer(200, '<html>maintenance</html>');
    const fresh = behaviour === 'repeat' ? lastCode : `CODE-${randomUUID()}`;
    lastCode = fresh;
    const status = { decline: 'FAILED', processing: 'PROCESSING' }[behaviour as string] ?? 'SUCCESSFUL';
    const codes = behaviour === 'noCode' || status !== 'SUCCESSFUL' ? [] : [{ code: fresh }];
    sold.set(reference, { status, codes });
    const told = tell(reference);
    if (status === 'PROCESSING') sold.set(reference, { status: 'SUCCESSFUL', codes: [{ code: fresh }] });
    if (behaviour === 'lostAfter') throw cut();
    return told;
  }
  return {
    ...http,
    async send(call) {
      if (call.method === 'POST') return buy(call);
      return tell(call.url.split('/').at(-1) ?? '');
    },
  };
}

interface Scene {
  readonly variantId: number;
  readonly orderId: number;
  readonly itemId: number;
  readonly quantity: number;
  readonly adminId: number;
}

async function aScene(quantity: number): Promise<Scene> {
  const variantId = await shop.aVariant();
  for (const priority of [1, 2])
    await shop.aSource({ variantId, partnerId: await shop.aPartner(), priority });
  const { orderId, itemIds } = await shop.aPaidOrder({ variantId, quantity });
  const { id: adminId } = await shop.one<{ id: number }>(
    `INSERT INTO admins (name, email, password_hash) VALUES ('Operator', $1, 'x') RETURNING id`,
    [`${randomUUID()}@example.com`],
  );
  return { variantId, orderId, itemId: itemIds[0] ?? 0, quantity, adminId };
}

async function act(scene: Scene, action: Action): Promise<void> {
  const { orderId, itemId } = scene;
  const deps = { ...shop.deps, partners: createPartnerDirectory(shop.deps) };
  const runDue = async (): Promise<void> => {
    const at = shop.clock.now();
    const until = secondsAfter(at, 60);
    const due = await inTransaction(shop.db, (tx) => takeDuePurchases(tx, { at, until, limit: 1_000 }));
    // Two processes at once: one does it.
    await Promise.all([...due, ...due].map((id) => runPurchase(deps, id, { takenUntilMs: until.getTime() })));
  };
  switch (action) {
    case 'fulfill':
      return shop.fulfill(orderId);
    case 'run':
      return runDue();
    case 'soon':
    case 'later':
    case 'muchLater':
      shop.clock.advance({ soon: 16, later: 301, muchLater: 3_601 }[action]);
      return runDue();
    case 'typeCode':
      return typeCode(scene, `TYPED-${randomUUID()}`);
    case 'typeOldCode':
      return typeCode(scene, `TYPED-OLD`);
    case 'retry': {
      const { status } = await shop.one<{ status: string }>('SELECT status FROM orders WHERE id = $1', [
        orderId,
      ]);
      if (status !== 'NEEDS_ATTENTION') return;
      const wanted = { orderId, orderItemId: itemId, adminId: scene.adminId };
      const retries = [randomUUID(), randomUUID()].map((correlationId) =>
        shop.fulfillment.purchaseForItem({ ...wanted, correlationId }),
      );
      await Promise.all(retries);
      return;
    }
    case 'requery': {
      const { rows } = await shop.db.query<{ id: number }>(
        `SELECT id FROM partner_api_transactions WHERE order_item_id = $1 AND status IN ('UNKNOWN', 'DISPUTED', 'REJECTED')`,
        [itemId],
      );
      await Promise.all(rows.map(({ id }) => runPurchase(deps, id, { isUrgent: true })));
    }
  }
}

/** As an operator would, once the order is in operators' hands. A refusal is an answer too. */
async function typeCode(scene: Scene, code: string): Promise<void> {
  const { status } = await shop.one<{ status: string }>('SELECT status FROM orders WHERE id = $1', [
    scene.orderId,
  ]);
  if (status !== 'NEEDS_ATTENTION') return;
  const typed = { code, pin: null, redemptionUrl: null, serialNumber: null, expiresAt: null, metadata: {} };
  const item = {
    orderItemId: scene.itemId,
    variantId: scene.variantId,
    quantity: scene.quantity,
    codes: [{ ...typed, partnerId: null }],
    field: 'codes',
    mayNameMissingOnly: true,
  };
  await inTransaction(shop.db, (tx) => saveManualCodes(tx, shop.deps.box, [item])).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
  });
}

/** True of the whole database, at every moment. */
async function checkPromises(): Promise<void> {
  const broken = await shop.db.query(
    `SELECT 'more codes than units' AS promise FROM order_items item JOIN vouchers ON order_item_id = item.id
       GROUP BY item.id, item.quantity HAVING count(*) > item.quantity
     UNION ALL
     SELECT 'a code with two items' FROM vouchers WHERE order_item_id IS NOT NULL
       GROUP BY code_digest HAVING count(DISTINCT order_item_id) > 1
     UNION ALL
     SELECT 'two purchases of one unit' FROM partner_api_transactions WHERE status NOT IN ('REJECTED', 'LATE')
       GROUP BY order_item_id, unit_no HAVING count(*) > 1
     UNION ALL
     SELECT 'a purchase without its code' FROM partner_api_transactions WHERE status = 'OK' AND voucher_id IS NULL
     UNION ALL
     SELECT 'a code bought and not kept' FROM vouchers WHERE source_type = 'PARTNER' AND status = 'voided'
     UNION ALL
     SELECT 'a letter for an order that is not whole' FROM mail_messages JOIN order_items item USING (order_id)
       WHERE (SELECT count(*) FROM vouchers WHERE order_item_id = item.id) < item.quantity`,
  );
  expect(broken.rows).toEqual([]);
}

describe('whatever partners answer and operators do', () => {
  it('gives no item more codes than it was sold, and no code to two items', async () => {
    const plan = fc.record({
      quantity: fc.integer({ min: 1, max: 3 }),
      answers: fc.array(fc.constantFrom(...behaviours), { maxLength: 8 }),
      actions: fc.array(fc.constantFrom(...actions), { minLength: 4, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ quantity, answers, actions: planned }) => {
        await shop.calm();
        script = [...answers];
        const scene = await aScene(quantity);
        for (const action of ['fulfill', 'run', ...planned] as const) {
          await act(scene, action);
          await checkPromises();
        }
      }),
      { numRuns: 25 },
    );
  }, 90_000);
});
