import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createGatewayTokens } from '../../src/modules/payments/gateway-token-store.ts';
import { OutboundError } from '../../src/platform/outbound/outbound-client.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { expectInvariants } from '../support/invariants.ts';
import {
  aCustomer,
  aVariant,
  control,
  fault,
  mailsTo,
  order,
  pay,
  readOrder,
  someCodes,
} from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let one: TestService;
let two: TestService;
beforeAll(async () => {
  one = await startTestService();
  two = await startTestService({ beside: one });
});
afterAll(async () => {
  await two.close();
  await one.close();
});

const methods = [
  ['gw_aggregator', 'aggregator'],
  ['gw_wallet_tokenized', 'wallet_tokenized'],
  ['gw_multi_wallet', 'multi_wallet'],
  ['dcb', 'dcb'],
  ['gw_wallet_direct', 'wallet_direct'],
] as const;

describe.each(methods)('%s on two processes', (method, target) => {
  it('is fulfilled once when fifty copies of its callback arrive at once', async () => {
    const customer = await aCustomer(one);
    const { variantId } = await aVariant(one, { codes: someCodes(`TWO-${target}`, 3) });
    const placed = (await order(one, customer, { variantId, method })).data;
    // Paid, and nobody was told: the fifty are all there is.
    await fault(one, { target, fault: 'drop_callback' });
    await pay(one, placed);
    const fields = await callbackFields(target, placed.id);
    const stop = await Promise.all([one.work(), two.work()]);
    try {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, copy) => {
          const url = `${(copy % 2 === 0 ? one : two).url}/api/v1/payments/${target}/callback`;
          return fetch(`${url}?${new URLSearchParams(fields).toString()}`);
        }),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      await expect
        .poll(async () => (await readOrder(one, customer, placed.id)).data.status, { timeout: 15_000 })
        .toBe('SUCCEEDED');
    } finally {
      await Promise.all(stop.map((end) => end()));
    }
    expect(await mailsTo(one, customer.email)).toHaveLength(1);
    const { rows } = await one.db.query(
      `SELECT (SELECT count(*)::int FROM outbox_events WHERE stream = 'order:' || $1::text AND type = 'order.paid') AS paid,
         (SELECT count(*)::int FROM fulfillment_attempts WHERE order_id = $1::bigint) AS attempts,
         (SELECT seen_count FROM payment_callbacks c JOIN payments p ON p.id = c.payment_id WHERE p.order_id = $1::bigint) AS seen,
         (SELECT count(*)::int FROM payment_verifications v JOIN payments p ON p.id = v.payment_id
          WHERE p.order_id = $1::bigint) AS verifications`,
      [placed.id],
    );
    expect(rows).toEqual([{ paid: 1, attempts: 1, seen: 50, verifications: 1 }]);
  });
});

/** What the gateway would have sent, in the names of its own wire. */
async function callbackFields(target: string, orderId: number): Promise<Record<string, string>> {
  const { rows } = await one.db.query<{ reference: string; session: Record<string, string> }>(
    'SELECT gateway_reference AS reference, gateway_session AS session FROM payments WHERE order_id = $1',
    [orderId],
  );
  const { reference = '', session = {} } = rows[0] ?? {};
  switch (target) {
    case 'aggregator':
      return { tran_id: reference, status: 'VALID' };
    case 'wallet_tokenized':
      return { paymentID: session['paymentID'] ?? '', status: 'success' };
    case 'multi_wallet':
      return { invoice_number: reference, status: 'Successful' };
    case 'dcb':
      return { aocTransID: session['aocTransID'] ?? '' };
    default:
      return { order_id: reference, payment_ref_id: session['paymentReferenceId'] ?? '', status: 'Success' };
  }
}

describe('gateway tokens', () => {
  const box = createSecretBox({
    sealing: [{ id: 'k', key: Buffer.alloc(32, 1) }],
    digesting: Buffer.alloc(32, 2),
  });
  let keys = 0;
  const aKey = (): string => `test:${(keys += 1)}`;
  const processes = () => [one, two].map(({ db }) => createGatewayTokens({ db, box }));

  it('are granted once for all who ask at the same moment, and stored sealed', async () => {
    const key = aKey();
    let grants = 0;
    const ask = async () => ({ token: `token-${(grants += 1)}`, lifetimeSeconds: 3600 });
    const everybody = Array.from({ length: 10 }, () =>
      processes().map((tokens) => tokens.renew(key, { refused: undefined, ask })),
    );
    expect(new Set(await Promise.all(everybody.flat()))).toEqual(new Set(['token-1']));
    const { rows } = await one.db.query<{ token: Buffer }>(
      'SELECT token FROM gateway_tokens WHERE key = $1',
      [key],
    );
    expect(rows[0]?.token.toString('latin1')).not.toContain('token-1');
    expect(await processes()[1]?.find(key)).toBe('token-1');
  });

  it('are granted twice in an hour and not a third time', async () => {
    const key = aKey();
    let grants = 0;
    const ask = async () => ({ token: `token-${(grants += 1)}`, lifetimeSeconds: 3600 });
    const [tokens] = processes();
    const first = await tokens?.renew(key, { refused: undefined, ask });
    const second = await tokens?.renew(key, { refused: first, ask });
    expect([first, second]).toEqual(['token-1', 'token-2']);
    // Whoever still holds the first is given the second, without a grant.
    expect(await tokens?.renew(key, { refused: first, ask })).toBe('token-2');
    await expect(tokens?.renew(key, { refused: second, ask })).rejects.toThrow('within the hour');
    await one.db.query(
      `UPDATE gateway_tokens SET grant_before_that_at = now() - interval '61 minutes' WHERE key = $1`,
      [key],
    );
    expect(await tokens?.renew(key, { refused: second, ask })).toBe('token-3');
  });

  it('are not used up by grants that never left, and are by those that failed', async () => {
    const key = aKey();
    const [tokens] = processes();
    const neverSent = async () => {
      throw new OutboundError('down', { neverSent: true, cause: undefined });
    };
    const failing = async () => {
      throw new Error('HTTP 500');
    };
    for (let round = 0; round < 4; round += 1) {
      await expect(tokens?.renew(key, { refused: undefined, ask: neverSent })).rejects.toThrow('down');
    }
    await expect(tokens?.renew(key, { refused: undefined, ask: failing })).rejects.toThrow('HTTP 500');
    await expect(tokens?.renew(key, { refused: undefined, ask: failing })).rejects.toThrow('HTTP 500');
    await expect(tokens?.renew(key, { refused: undefined, ask: failing })).rejects.toThrow('within the hour');
  });

  it('are not handed out after their life has ended', async () => {
    const key = aKey();
    const [tokens] = processes();
    const ask = async () => ({ token: 'short', lifetimeSeconds: 3600 });
    await tokens?.renew(key, { refused: undefined, ask });
    await one.db.query(`UPDATE gateway_tokens SET expires_at = now() - interval '1 second' WHERE key = $1`, [
      key,
    ]);
    expect(await tokens?.find(key)).toBeUndefined();
  });

  it('are granted anew when the stored one was sealed with a key that is gone', async () => {
    const key = aKey();
    const other = createSecretBox({
      sealing: [{ id: 'other', key: Buffer.alloc(32, 3) }],
      digesting: Buffer.alloc(32, 2),
    });
    const ask = async () => ({ token: 'anew', lifetimeSeconds: 3600 });
    await createGatewayTokens({ db: one.db, box: other }).renew(key, { refused: undefined, ask });
    const [tokens] = processes();
    expect(await tokens?.find(key)).toBeUndefined();
    expect(await tokens?.renew(key, { refused: undefined, ask })).toBe('anew');
  });

  it('serve both processes with one grant, and outlive a refusal', async () => {
    const granted = async () =>
      (await control<{ items: unknown[] }>(one, '/ledger?target=wallet_tokenized&call=token')).items.length;
    expect(await granted()).toBe(1);
    const customer = await aCustomer(one);
    const { variantId } = await aVariant(one, { codes: someCodes('TOKEN', 3) });
    await fault(one, { target: 'wallet_tokenized', fault: 'expired_token', call: 'init' });
    const placed = await order(two, customer, { variantId, method: 'gw_wallet_tokenized' });
    expect(placed.status).toBe(201);
    expect(await granted()).toBe(2);
  });
});

it('leaves every invariant standing', async () => {
  await one.drain();
  await expectInvariants(one.db);
});
