import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { expectInvariants } from '../support/invariants.ts';
import { aCustomer, aVariant, order, pay, someCodes } from '../support/shop.ts';
import type { OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type Fields = Readonly<Record<string, string>>;

const methods = [
  ['gw_aggregator', 'aggregator'],
  ['gw_wallet_tokenized', 'wallet_tokenized'],
  ['gw_multi_wallet', 'multi_wallet'],
  ['dcb', 'dcb'],
  ['gw_wallet_direct', 'wallet_direct'],
] as const;
type Target = (typeof methods)[number][1];

const CALLBACKS = 500;
/** Unpaid orders of each method: the gateway is asked about each at most every two seconds, so there are many. */
const VICTIMS_EACH = 20;

interface Session {
  readonly reference: string;
  readonly ids: Record<string, string>;
}

const sessionOf = async (placed: OrderAnswer): Promise<Session> => {
  const { rows } = await service.db.query<Session>(
    'SELECT gateway_reference AS reference, gateway_session AS ids FROM payments WHERE order_id = $1',
    [placed.id],
  );
  const session = rows[0];
  if (!session) throw new Error('no session');
  return session;
};

/** The success callback of a payment, stolen from a paid one where the wire has ids of its own in it. */
function successOf(target: Target, { reference, ids }: Session, stolen: Fields): Fields {
  switch (target) {
    case 'aggregator':
      return { ...stolen, tran_id: reference };
    case 'wallet_tokenized':
      return { ...stolen, paymentID: ids['paymentID'] ?? '', status: 'success' };
    case 'multi_wallet':
      return { ...stolen, invoice_number: reference, status: 'Successful' };
    case 'dcb':
      return { aocTransID: ids['aocTransID'] ?? '' };
    case 'wallet_direct':
      return {
        ...stolen,
        order_id: reference,
        payment_ref_id: ids['paymentReferenceId'] ?? '',
        status: 'Success',
      };
  }
}

const oddText = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\0',
    '\u{d800}',
    'VALID',
    'SUCCESS',
    'success',
    '1e309',
    '[object Object]',
    'x'.repeat(20_000),
  ),
);

/** One change to a callback: a field lost, cut, replaced, doubled, renamed or added. */
const mutation = fc.record({
  kind: fc.constantFrom(
    'keep',
    'drop',
    'cut',
    'replace',
    'swap_case',
    'rename',
    'add',
    'shuffle',
    'amount',
    'currency',
  ),
  at: fc.nat({ max: 30 }),
  text: oddText,
});

function mutate(fields: Fields, change: { kind: string; at: number; text: string }): Fields {
  const entries = Object.entries(fields);
  const index = change.at % Math.max(entries.length, 1);
  const [name = 'status', value = ''] = entries[index] ?? [];
  const others = Object.fromEntries(entries.filter((_entry, other) => other !== index));
  switch (change.kind) {
    case 'drop':
      return others;
    case 'cut':
      return { ...others, [name]: value.slice(0, Math.floor(value.length / 2)) };
    case 'replace':
      return { ...others, [name]: change.text };
    case 'swap_case':
      return { ...others, [name]: value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase() };
    case 'rename':
      return { ...others, [change.text.slice(0, 50)]: value };
    case 'add':
      return { ...fields, [change.text.slice(0, 50)]: change.text };
    case 'shuffle':
      return Object.fromEntries(entries.toReversed());
    case 'amount':
      return { ...fields, amount: '1.00', currency_amount: '1.00', store_amount: '1.00' };
    case 'currency':
      return { ...fields, currency: 'USD', currency_type: 'USD' };
    default:
      return fields;
  }
}

const sending = fc.record({
  changes: fc.array(mutation, { minLength: 1, maxLength: 4 }),
  as: fc.constantFrom('query', 'form', 'json', 'garbage'),
  html: fc.boolean(),
});

interface Sending {
  readonly changes: readonly { kind: string; at: number; text: string }[];
  readonly as: string;
  readonly html: boolean;
}

async function send(target: Target, fields: Fields, { as, html }: Sending): Promise<number> {
  const url = `${service.url}/api/v1/payments/${target}/callback`;
  const headers = html ? { accept: 'text/html' } : {};
  const given = { redirect: 'manual', headers } as const;
  const wellFormed = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]),
  );
  const form = new URLSearchParams(wellFormed).toString();
  const post = (type: string, body: string) =>
    fetch(url, { ...given, method: 'POST', headers: { ...headers, 'content-type': type }, body });
  const made = {
    query: () => fetch(`${url}?${form.slice(0, 8_000)}`, given),
    form: () => post('application/x-www-form-urlencoded', form),
    json: () => post('application/json', JSON.stringify({ data: fields, ...fields })),
    garbage: () => post('application/json', JSON.stringify(fields).slice(0, -5)),
  }[as];
  if (!made) throw new Error(`no way to send ${as}`);
  return (await made()).status;
}

it('accepts none of five hundred mutated callbacks and answers none with a fault of its own', async () => {
  const customer = await aCustomer(service);
  const { variantId } = await aVariant(service, { codes: someCodes('MUTATED', 150), maxQuantity: 1 });
  const victims: { target: Target; success: Fields }[] = [];
  for (const [method, target] of methods) {
    const paid = (await order(service, customer, { variantId, method })).data;
    await pay(service, paid);
    const { rows } = await service.db.query<{ payload: Fields }>(
      'SELECT payload FROM payment_callbacks c JOIN payments p ON p.id = c.payment_id WHERE p.order_id = $1',
      [paid.id],
    );
    for (let n = 0; n < VICTIMS_EACH; n += 1) {
      const placed = (await order(service, customer, { variantId, method })).data;
      victims.push({ target, success: successOf(target, await sessionOf(placed), rows[0]?.payload ?? {}) });
    }
  }
  await service.drain();
  const before = await paidOrders();

  const sendings = fc.sample(sending, { numRuns: CALLBACKS, seed: 20_261_121 });
  const statuses = await Promise.all(
    sendings.map((one, index) => {
      const victim = victims[index % victims.length];
      if (!victim) throw new Error('no victims');
      const fields = one.changes.reduce(mutate, victim.success);
      return send(victim.target, fields, one);
    }),
  );

  expect(statuses).toHaveLength(CALLBACKS);
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
  await service.drain();
  expect(await paidOrders()).toEqual(before);
  const { rows } = await service.db.query<{ n: number }>(
    "SELECT sum(seen_count)::int AS n FROM payment_callbacks WHERE verdict <> 'accepted' OR payment_id IS NOT NULL",
  );
  // All that could be parsed at all are kept.
  expect(rows[0]?.n).toBeGreaterThan(CALLBACKS / 2);
  await expectInvariants(service.db);
}, 120_000);

const paidOrders = async (): Promise<unknown[]> =>
  (await service.db.query(`SELECT order_id FROM payments WHERE status = 'SUCCEEDED' ORDER BY 1`)).rows;
