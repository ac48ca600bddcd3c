import { Writable } from 'node:stream';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createLog } from '../../src/platform/log.ts';
import { aCustomer, aVariant, call, fault, order, pay, readOrder, someCodes } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let customer: Customer;
let logged = '';

const codes = someCodes('CANARY-CODE', 6);
const PASSWORD = 'a-long-test-password';

beforeAll(async () => {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  service = await startTestService({ log: createLog({ level: 'debug', destination }) });
  customer = await aCustomer(service);
  const { variantId } = await aVariant(service, { codes });
  // Delivered, refused by the mail server, unverifiable and unpaid: every path writes something somewhere.
  for (const trouble of [undefined, 'smtp', 'aggregator'] as const) {
    const placed = (await order(service, customer, { variantId })).data;
    if (trouble === 'smtp') await fault(service, { target: 'smtp', fault: 'reject' });
    if (trouble === 'aggregator')
      await fault(service, { target: 'aggregator', fault: 'error_500', call: 'verify', times: 2 });
    await pay(service, placed);
    await service.drain();
    await readOrder(service, customer, placed.id);
  }
  await call(service, {
    path: '/orders',
    token: customer.token,
    headers: { 'idempotency-key': 'canary' },
    body: {
      items: [{ variant_id: variantId, quantity: 1, fulfillment_input: { email: 'a@b.example' } }],
      payment_method: 'gw_aggregator',
    },
  });
  await service.drain();
});
afterAll(() => service.close());

describe('secrets', () => {
  it('never reach the log, the metrics, or any table in plain text', async () => {
    const tables = await service.db.query<{ name: string }>(
      `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
       WHERE table_type = 'BASE TABLE' AND table_schema IN ('public', 'graphile_worker')`,
    );
    const places = new Map([['the log', logged]]);
    places.set('the metrics', await (await fetch(`${service.url}/metrics`)).text());
    for (const { name } of tables.rows) {
      const { rows } = await service.db.query<{ line: string }>(
        `SELECT row::text AS line FROM ${name} AS row`,
      );
      places.set(name, rows.map((row) => row.line).join('\n'));
    }
    expect(places.size).toBeGreaterThan(25);
    expect(logged).toContain('answered');
    for (const [place, text] of places) {
      for (const secret of [...codes, PASSWORD, customer.token]) {
        expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
        expect(text.includes(Buffer.from(secret).toString('hex')), `${secret} as hex in ${place}`).toBe(
          false,
        );
      }
    }
  });

  it('are where they belong: the owner reads the delivered code', async () => {
    const delivered = await call<{ items: { status: string; voucher_codes: string[] }[] }>(service, {
      path: '/orders?status=SUCCEEDED',
      token: customer.token,
    });
    expect(delivered.data.items.flatMap((one) => one.voucher_codes)).toEqual([
      expect.stringContaining('CANARY-CODE'),
    ]);
  });
});
