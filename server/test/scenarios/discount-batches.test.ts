import { afterAll, beforeAll, expect, it } from 'vitest';

import { aDiscount, orderWith, usesOf, validate } from '../support/discounts.ts';
import { expectInvariants } from '../support/invariants.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, call, someCodes } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;
let customer: Customer;
let variantId: number;

beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
  customer = await aCustomer(service);
  ({ variantId } = await aVariant(service, { priceMinor: 50_000, codes: someCodes('BATCH', 20) }));
});
afterAll(async () => {
  await expectInvariants(service.db);
  await service.close();
});

interface Batch {
  readonly id: number;
  readonly count: number;
  readonly generated: number;
  readonly status: string;
}

const generate = (discountId: number, body: object) =>
  operate<Batch>(service, operator, { path: `/discounts/${discountId}/codes/generate`, body });

const batchesOf = async (discountId: number): Promise<Batch[]> =>
  (await operate<{ items: Batch[] }>(service, operator, { path: `/discounts/${discountId}/codes/batches` }))
    .data.items;

function download(discountId: number, batchId: number): Promise<Response> {
  return fetch(`${service.url}/api/v1/admin/discounts/${discountId}/codes/batches/${batchId}/export`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operator.token}` },
  });
}

async function codesOf(discountId: number, batchId: number): Promise<string[]> {
  const answer = await download(discountId, batchId);
  expect(answer.status).toBe(200);
  const [heading, ...codes] = (await answer.text()).trimEnd().split('\r\n');
  expect(heading).toBe('code');
  return codes;
}

it('makes 100,000 unique codes in the background, shows how far it is, and hands them out once', async () => {
  const { id } = await aDiscount(service, operator, { unique_codes_only: true });
  const asked = await generate(id, { count: 100_000, prefix: 'eid-' });
  expect(asked).toMatchObject({ status: 201, data: { count: 100_000, generated: 0, status: 'generating' } });
  expect((await download(id, asked.data.id)).status).toBe(409);

  const stop = await service.work();
  const seen: number[] = [];
  await expect
    .poll(
      async () => {
        const [batch] = await batchesOf(id);
        seen.push(batch?.generated ?? 0);
        return batch?.status;
      },
      { timeout: 90_000, interval: 50 },
    )
    .toBe('ready');
  await stop();
  expect(seen.some((generated) => generated > 0 && generated < 100_000)).toBe(true);

  const codes = await codesOf(id, asked.data.id);
  expect(new Set(codes).size).toBe(100_000);
  expect(codes.every((code) => /^EID-[A-HJKMNP-Z2-9]{10}$/.test(code))).toBe(true);
  expect(await (await download(id, asked.data.id)).json()).toMatchObject({
    errorCode: 'CONFLICT',
    data: { type: 'CodesAlreadyExported' },
  });
  expect((await batchesOf(id))[0]?.status).toBe('exported');
}, 120_000);

it('lets each code be used once under the common rule, and again when its order died', async () => {
  const discount = await aDiscount(service, operator, { unique_codes_only: true, usage_limit: 2 });
  const batch = await generate(discount.id, { count: 3, code_length: 12 });
  await service.drain();
  const [first = '', second = '', third = ''] = await codesOf(discount.id, batch.data.id);
  const order = (code: string) => orderWith(service, customer, { code, variants: [variantId] });
  expect((await validate(service, { code: discount.code, subtotal: 10 })).status).toBe(400);

  const placed = await order(first.toLowerCase());
  expect(placed).toMatchObject({ status: 201, data: { discount_code: first, discount_amount: 50 } });
  const message = `Discount code ${first} has reached its usage limit`;
  expect(await order(first)).toMatchObject({ status: 400, message });
  expect(await validate(service, { code: first, subtotal: 10 })).toMatchObject({ status: 400, message });

  expect((await order(second)).status).toBe(201);
  expect((await order(third)).message).toBe(`Discount code ${third} has reached its usage limit`);
  await call(service, { path: `/orders/${placed.data.id}/cancel`, token: customer.token, body: {} });
  expect((await order(first)).status).toBe(201);
  expect(await usesOf(service, discount.id)).toEqual({ usage_count: 2, live: 2 });

  const found = await operate<{ items: { id: number }[] }>(service, operator, {
    path: `/discounts?search=${third}`,
  });
  expect(found.data.items.map(({ id }) => id)).toEqual([discount.id]);
});

it('gives one of 20 parallel orders a single-use code', async () => {
  const discount = await aDiscount(service, operator);
  const batch = await generate(discount.id, { count: 1 });
  await service.drain();
  const [code = ''] = await codesOf(discount.id, batch.data.id);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => orderWith(service, customer, { code, variants: [variantId] })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
});

it('makes exactly the number asked for when two workers take the same batch', async () => {
  const discount = await aDiscount(service, operator);
  const batch = await generate(discount.id, { count: 12_000 });
  const handler = service.app.jobHandlers.find(({ name }) => name === 'generate_discount_codes');
  await Promise.all([handler?.run({ batchId: batch.data.id }), handler?.run({ batchId: batch.data.id })]);
  expect(await codesOf(discount.id, batch.data.id)).toHaveLength(12_000);
  await service.drain();
});
