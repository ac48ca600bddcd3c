import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, order, pay, readOrder } from '../support/shop.ts';
import type { Answered, Customer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;
let customer: Customer;

beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
  customer = await aCustomer(service);
});
afterAll(() => service.close());

interface Batch {
  readonly id: number;
  readonly status: string;
  readonly dry_run: boolean;
  readonly rows: Readonly<Record<string, number>>;
  readonly stock: Readonly<Record<string, number>>;
  readonly problems: readonly { line: number; outcome: string; problem: string | null }[];
}

const upload = (body: unknown, query = ''): Promise<Answered<Batch>> =>
  operate(service, operator, { path: `/voucher-batches${query}`, body });

async function uploadFile(csv: string, fields: Record<string, string>, query = ''): Promise<Answered<Batch>> {
  const form = new FormData();
  form.append('file', new Blob([csv], { type: 'text/csv' }), 'may.csv');
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const response = await fetch(`${service.url}/api/v1/admin/voucher-batches${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operator.token}` },
    body: form,
  });
  return { ...((await response.json()) as Answered<Batch>), status: response.status };
}

const codes = (count: number): { code: string }[] =>
  Array.from({ length: count }, () => ({ code: `BATCH-${randomUUID()}` }));

describe('POST /admin/voucher-batches (decisions part 3)', () => {
  it('answers the dry run’s report, sells nothing of it, and sells it once committed', async () => {
    const { variantId } = await aVariant(service);
    const [first, second] = codes(2);
    const given = {
      variant_id: variantId,
      supplier: 'Cards Ltd',
      cost: 95.5,
      codes: [
        {
          ...first,
          pin: '4711',
          redemption_url: 'https://x.test/r',
          serial_number: 'SN-1',
          expires_at: '2031-01-31',
        },
        second,
        first,
        { code: '' },
        { code: 'X', expires_at: '2001-01-01' },
        { code: { nested: true } },
      ],
    };
    const staged = await upload(given);
    expect(staged).toMatchObject({
      status: 201,
      data: {
        variant_id: variantId,
        status: 'validating',
        dry_run: true,
        supplier: 'Cards Ltd',
        cost: 95.5,
        uploaded_by: operator.adminId,
        rows: { read: 6, valid: 2, imported: 0, duplicate_in_file: 1, already_stored: 0, invalid: 3 },
        problems: [
          { line: 3, outcome: 'duplicate_in_file' },
          { line: 4, outcome: 'invalid', problem: 'code is empty' },
          { line: 5, outcome: 'invalid', problem: 'expires_at is in the past' },
          { line: 6, outcome: 'invalid', problem: 'code must be text' },
        ],
      },
    });
    expect(await order(service, customer, { variantId })).toMatchObject({ status: 409 });
    const path = `/voucher-batches/${staged.data.id}/commit`;
    const committed = await operate<Batch>(service, operator, { path, method: 'POST' });
    expect(committed).toMatchObject({
      status: 200,
      data: { status: 'committed', dry_run: false, rows: { valid: 0, imported: 2 }, stock: { available: 2 } },
    });
    expect((await operate<Batch>(service, operator, { path, method: 'POST' })).data.rows).toMatchObject({
      imported: 2,
    });
    const placed = (await order(service, customer, { variantId, quantity: 2 })).data;
    await pay(service, placed);
    await service.drain();
    expect((await readOrder(service, customer, placed.id)).data.items[0]).toMatchObject({
      vouchers: [
        {
          code: first?.code,
          pin: '4711',
          redemption_url: 'https://x.test/r',
          serial_number: 'SN-1',
          expires_at: '2031-01-31T17:59:59.999Z',
        },
        { code: second?.code },
      ],
    });
  });

  it('makes the codes sellable at once when asked to commit', async () => {
    const { variantId } = await aVariant(service);
    const answer = await upload({ variant_id: variantId, codes: codes(3) }, '?commit=true');
    expect(answer).toMatchObject({
      status: 201,
      data: { status: 'committed', dry_run: false, rows: { imported: 3 } },
    });
    expect(await order(service, customer, { variantId, quantity: 3 })).toMatchObject({ status: 201 });
  });

  it('reads a CSV upload with its other fields before or after the file', async () => {
    const { variantId } = await aVariant(service);
    const [first, second] = codes(2);
    const csv = `Code,PIN,Expires at\n${first?.code},1,\n${second?.code},,nonsense\n`;
    const answer = await uploadFile(
      csv,
      { variant_id: String(variantId), supplier: 'Cards Ltd', cost: '12.50' },
      '?commit=true',
    );
    expect(answer).toMatchObject({
      status: 201,
      data: {
        source_name: 'may.csv',
        supplier: 'Cards Ltd',
        cost: 12.5,
        rows: { read: 2, imported: 1, invalid: 1 },
        problems: [{ line: 3 }],
      },
    });
    expect(await uploadFile('serial\n1\n', { variant_id: String(variantId) })).toMatchObject({
      status: 400,
      errorCode: 'VALIDATION_ERROR',
    });
    expect(await uploadFile(csv, {})).toMatchObject({ status: 400, errors: [{ field: 'variant_id' }] });
  });

  it('stores a code once for one brand, however often it is uploaded', async () => {
    const { variantId } = await aVariant(service);
    const given = { variant_id: variantId, codes: codes(2) };
    const staged = await upload(given);
    expect((await upload(given, '?commit=true')).data.rows).toMatchObject({ imported: 2 });
    expect((await upload(given)).data).toMatchObject({ rows: { valid: 0, already_stored: 2 } });
    const late = await operate<Batch>(service, operator, {
      path: `/voucher-batches/${staged.data.id}/commit`,
      method: 'POST',
    });
    expect(late.data).toMatchObject({ status: 'committed', rows: { imported: 0, already_stored: 2 } });
    const { rows } = await service.db.query('SELECT id FROM vouchers WHERE variant_id = $1', [variantId]);
    expect(rows).toHaveLength(2);
  });

  it('finishes a commit that was cut off, keeping no code behind', async () => {
    const { variantId } = await aVariant(service);
    const { data: batch } = await upload({ variant_id: variantId, codes: codes(2_500) });
    const path = `/voucher-batches/${batch.id}/commit`;
    const answers = await Promise.all(
      [1, 2].map(() => operate<Batch>(service, operator, { path, method: 'POST' })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { rows } = await service.db.query(
      `SELECT (SELECT count(*)::int FROM vouchers WHERE batch_id = $1) AS stored,
              (SELECT count(*)::int FROM voucher_batch_rows WHERE batch_id = $1 AND code_sealed IS NOT NULL) AS kept`,
      [batch.id],
    );
    expect(rows).toEqual([{ stored: 2_500, kept: 0 }]);
  });

  it('refuses what is no batch', async () => {
    const { variantId } = await aVariant(service);
    const fields = async (body: unknown) => (await upload(body)).errors?.map(({ field }) => field);
    expect(await fields({ codes: codes(1) })).toEqual(['variant_id']);
    expect(await fields({ variant_id: variantId })).toEqual(['codes']);
    expect(await fields({ variant_id: variantId, codes: [] })).toEqual(['codes']);
    expect(await fields({ variant_id: variantId, codes: codes(1), cost: -1 })).toEqual(['cost']);
    expect(await fields([])).toEqual(['body']);
    expect(await upload({ variant_id: 999_999, codes: codes(1) })).toMatchObject({
      status: 404,
      errorCode: 'NOT_FOUND',
    });
    const big = { variant_id: variantId, codes: [{ code: 'x'.repeat(11 * 1024 * 1024) }] };
    expect(await upload(big)).toMatchObject({ status: 413, errorCode: 'PAYLOAD_TOO_LARGE' });
    const support = await anOperator(service, ['support']);
    const denied = await operate(service, support, {
      path: '/voucher-batches',
      body: { variant_id: variantId, codes: codes(1) },
    });
    expect(denied).toMatchObject({ status: 403 });
  });
});

describe('reading batches', () => {
  it('lists them with counts, and rows with what became of them, never a code', async () => {
    const { variantId } = await aVariant(service);
    const [first] = codes(1);
    const { data: batch } = await upload({
      variant_id: variantId,
      supplier: `S-${variantId}`,
      codes: [first, first, { code: ' ' }],
    });
    const listed = await operate<{ items: Batch[]; pagination: { total: number } }>(service, operator, {
      path: `/voucher-batches?variant_id=${variantId}&status=validating`,
    });
    expect(listed.data).toMatchObject({
      items: [{ id: batch.id, rows: { valid: 1, invalid: 1 } }],
      pagination: { total: 1 },
    });
    expect(
      (
        await operate<{ items: Batch[] }>(service, operator, {
          path: `/voucher-batches?search=s-${variantId}`,
        })
      ).data.items,
    ).toHaveLength(1);
    const rows = await operate<{ items: unknown[] }>(service, operator, {
      path: `/voucher-batches/${batch.id}/rows`,
    });
    expect(rows.data.items).toEqual([
      { line: 1, outcome: 'valid', problem: null },
      { line: 2, outcome: 'duplicate_in_file', problem: null },
      { line: 3, outcome: 'invalid', problem: 'code is empty' },
    ]);
    expect(JSON.stringify([listed, rows])).not.toContain(first?.code);
    expect(await operate(service, operator, { path: '/voucher-batches/999999/rows' })).toMatchObject({
      status: 404,
    });
  });
});

describe('recalling a batch', () => {
  it('sells nothing unsold of it, gives holders other units when they pay, and lists what was delivered', async () => {
    const { variantId } = await aVariant(service);
    const bad = (await upload({ variant_id: variantId, codes: codes(3) }, '?commit=true')).data;
    const delivered = (await order(service, customer, { variantId })).data;
    await pay(service, delivered);
    await service.drain();
    const holding = (await order(service, customer, { variantId })).data;
    const good = (await upload({ variant_id: variantId, codes: codes(1) }, '?commit=true')).data;
    const path = `/voucher-batches/${bad.id}/recall`;
    const recalled = await operate(service, operator, { path, body: { reason: 'supplier sent used codes' } });
    expect(recalled).toMatchObject({
      status: 200,
      data: {
        voided: 1,
        held_voided: 1,
        batch: {
          status: 'recalled',
          recall_reason: 'supplier sent used codes',
          stock: { available: 0, reserved: 0, assigned: 1, voided: 2 },
        },
        sold: [
          {
            order_id: delivered.id,
            order_number: delivered.order_number,
            orderItemId: delivered.items[0]?.id,
          },
        ],
      },
    });
    await pay(service, holding);
    await service.drain();
    expect((await readOrder(service, customer, holding.id)).data.status).toBe('SUCCEEDED');
    const { rows } = await service.db.query('SELECT batch_id FROM vouchers WHERE order_item_id = $1', [
      holding.items[0]?.id,
    ]);
    expect(rows).toEqual([{ batch_id: good.id }]);
    expect(await operate(service, operator, { path, body: { reason: 'again' } })).toMatchObject({
      status: 409,
    });
    expect(
      await operate(service, operator, { path: `/voucher-batches/${bad.id}/commit`, method: 'POST' }),
    ).toMatchObject({ status: 409 });
  });

  it('forgets the codes of one that was never committed', async () => {
    const { variantId } = await aVariant(service);
    const { data: batch } = await upload({ variant_id: variantId, codes: codes(2) });
    const path = `/voucher-batches/${batch.id}/recall`;
    expect(await operate(service, operator, { path, body: { reason: 'wrong file' } })).toMatchObject({
      data: { voided: 0, sold: [] },
    });
    const { rows } = await service.db.query('SELECT line FROM voucher_batch_rows WHERE batch_id = $1', [
      batch.id,
    ]);
    expect(rows).toEqual([]);
  });
});
