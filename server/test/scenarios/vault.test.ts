import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, loadCodes, order, pay } from '../support/shop.ts';
import type { Customer, OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let chief: Operator;
let support: Operator;
let customer: Customer;
let variantId: number;
let sold: OrderAnswer;
let held: OrderAnswer;
const codes = Array.from({ length: 6 }, () => `VAULT-${randomUUID()}`);

beforeAll(async () => {
  service = await startTestService();
  chief = await anOperator(service);
  support = await anOperator(service, ['support']);
  customer = await aCustomer(service);
  ({ variantId } = await aVariant(service, { codes }));
  sold = (await order(service, customer, { variantId })).data;
  await pay(service, sold);
  await service.drain();
  held = (await order(service, customer, { variantId, quantity: 2 })).data;
});
afterAll(() => service.close());

interface Voucher {
  readonly id: number;
  readonly status: string;
  readonly code: string;
}

const list = async (query: string): Promise<Voucher[]> =>
  (
    await operate<{ items: Voucher[] }>(service, chief, {
      path: `/vouchers?variant_id=${variantId}&${query}`,
    })
  ).data.items;

async function auditOf(
  action: string,
): Promise<{ admin_id: number; resource_id: string | null; after: unknown }[]> {
  const { rows } = await service.db.query<{ admin_id: number; resource_id: string | null; after: unknown }>(
    'SELECT admin_id, resource_id, after FROM audit_logs WHERE action = $1 ORDER BY id',
    [action],
  );
  return rows;
}

describe('codes in the vault', () => {
  it('are masked on every list, whoever reads', async () => {
    const all = await list('limit=100');
    expect(all).toHaveLength(6);
    for (const voucher of all) expect(voucher.code).toMatch(/^\*{4}.{4}$/);
    expect((await list('status=assigned')).map(({ status }) => status)).toEqual(['assigned']);
    expect(await list(`order_id=${held.id}`)).toHaveLength(2);
    expect(await list('expires_before=2031-01-01T00:00:00Z')).toEqual([]);
  });

  it('show plain to vouchers:reveal with a reason, and the audit log knows who and why', async () => {
    const [voucher] = await list('status=assigned');
    const path = `/vouchers/${voucher?.id}/reveal`;
    expect(await operate(service, support, { path, body: { reason: 'curious' } })).toMatchObject({
      status: 403,
    });
    expect(await operate(service, chief, { path, body: {} })).toMatchObject({
      status: 400,
      errorCode: 'VALIDATION_ERROR',
    });
    const shown = await operate<Voucher>(service, chief, {
      path,
      body: { reason: 'customer lost the e-mail' },
    });
    expect(codes).toContain(shown.data.code);
    expect(await auditOf('vouchers:reveal')).toMatchObject([
      {
        admin_id: chief.adminId,
        resource_id: String(voucher?.id),
        after: { reason: 'customer lost the e-mail' },
      },
    ]);
    expect(
      await operate(service, chief, { path: '/vouchers/999999/reveal', body: { reason: 'curious' } }),
    ).toMatchObject({ status: 404 });
  });

  it('know everybody who could have seen them', async () => {
    const [voucher] = await list('status=assigned');
    await operate(service, chief, { path: `/orders/${sold.id}` });
    const read = await operate<Voucher & { custody: { kind: string; admin_user: { id: number } | null }[] }>(
      service,
      support,
      { path: `/vouchers/${voucher?.id}` },
    );
    expect(read).toMatchObject({
      status: 200,
      data: { id: voucher?.id, code: expect.stringMatching(/^\*{4}/) },
    });
    const { custody } = read.data;
    expect(custody.map(({ kind }) => kind)).toEqual(['stored', 'assigned', 'e-mailed', 'revealed', 'read']);
    expect(custody.slice(3)).toMatchObject([
      { admin_user: { id: chief.adminId }, details: { reason: 'customer lost the e-mail' } },
      { admin_user: { id: chief.adminId } },
    ]);
    expect(await operate(service, chief, { path: '/vouchers/999999' })).toMatchObject({ status: 404 });
  });

  it('are found by the whole code and nothing less, with the order they went to', async () => {
    const { rows } = await service.db.query<{ id: number }>(
      `SELECT id FROM vouchers WHERE order_item_id = $1`,
      [sold.items[0]?.id],
    );
    const plain = await operate<Voucher>(service, chief, {
      path: `/vouchers/${rows[0]?.id}/reveal`,
      body: { reason: 'for the test' },
    });
    const found = await operate(service, support, {
      path: '/vouchers/lookup',
      body: { code: ` ${plain.data.code} ` },
    });
    expect(found).toMatchObject({
      status: 200,
      data: {
        items: [
          {
            id: rows[0]?.id,
            order_id: sold.id,
            order_number: sold.order_number,
            code: expect.stringMatching(/^\*{4}/),
          },
        ],
      },
    });
    const part = await operate(service, support, {
      path: '/vouchers/lookup',
      body: { code: plain.data.code.slice(0, -1) },
    });
    expect(part).toMatchObject({ status: 404, errorCode: 'NOT_FOUND' });
    expect(await auditOf('vouchers:lookup')).toHaveLength(2);
  });

  it('change expiry, metadata and note; an expired one is not sold', async () => {
    const [voucher] = await list('status=available&sort=id');
    const path = `/vouchers/${voucher?.id}`;
    const change = (body: unknown) => operate(service, chief, { path, method: 'PATCH', body });
    expect(await change({ note: 'from the May invoice', metadata: { lot: 7 } })).toMatchObject({
      status: 200,
      data: { note: 'from the May invoice', metadata: { lot: 7 }, expires_at: null },
    });
    expect(await change({ expires_at: '2020-01-01T00:00:00.000Z' })).toMatchObject({
      data: { expires_at: '2020-01-01T00:00:00.000Z', note: 'from the May invoice' },
    });
    expect(await order(service, customer, { variantId, quantity: 3 })).toMatchObject({ status: 409 });
    expect(await change({ expires_at: null })).toMatchObject({ data: { expires_at: null } });
  });

  it('are voided when they are free, and left alone when somebody has them', async () => {
    const [free, other] = await list('status=available');
    const [taken] = await list('status=assigned');
    const ids = [free?.id, taken?.id, 999_999, free?.id];
    const answer = await operate(service, chief, { path: '/vouchers/void', body: { ids, reason: 'leaked' } });
    expect(answer).toMatchObject({
      status: 200,
      data: {
        voided: 1,
        results: [
          { id: free?.id, outcome: 'voided' },
          { id: taken?.id, outcome: 'not_available' },
          { id: 999_999, outcome: 'unknown' },
        ],
      },
    });
    expect(await list('status=voided')).toMatchObject([
      { id: free?.id, void_reason: 'leaked', voided_at: expect.any(String) },
    ]);
    const back = service.db.query(`UPDATE vouchers SET status = 'available' WHERE id = $1`, [free?.id]);
    await expect(back).rejects.toThrow('voided');
    const path = `/vouchers/${free?.id}`;
    expect(await operate(service, chief, { path, method: 'PATCH', body: { note: 'x' } })).toMatchObject({
      status: 409,
    });
    expect(other?.status).toBe('available');
  });
});

describe('stock', () => {
  it('shows what there is, what is held and sold, and how long it lasts', async () => {
    const answer = await operate(service, chief, { path: `/stock?variant_id=${variantId}` });
    expect(answer.data).toMatchObject({
      items: [
        {
          variant_id: variantId,
          available: 2,
          held: 2,
          sold: 1,
          voided: 1,
          expired: 0,
          sold_last_14_days: 1,
          days_of_cover: 28,
          threshold: null,
          is_low: false,
        },
      ],
    });
  });

  it('lists holds with their order and until when', async () => {
    const answer = await operate(service, chief, { path: `/stock/holds?variant_id=${variantId}` });
    expect(answer.data).toMatchObject({
      items: [
        {
          order_id: held.id,
          order_number: held.order_number,
          units: 2,
          held_until: expect.stringMatching(/Z$/),
        },
      ],
      pagination: { total: 1 },
    });
  });

  it('keeps every movement, which add up to what is there', async () => {
    const answer = await operate<{ items: { from: string | null; to: string; units: number }[] }>(
      service,
      chief,
      { path: `/stock/${variantId}/movements` },
    );
    const moves = answer.data.items.map(({ from, to, units }) => `${from} ${to} ${units}`);
    expect(moves).toEqual([
      'available voided 1',
      'available reserved 2',
      'reserved assigned 1',
      'available reserved 1',
      'null available 6',
    ]);
    expect(answer.data).toMatchObject({
      balance: { is_equal: true, by_vouchers: { available: 2, reserved: 2, assigned: 1, voided: 1 } },
    });
    await expect(service.db.query('DELETE FROM stock_movements')).rejects.toThrow('append-only');
    expect(await operate(service, chief, { path: '/stock/999999/movements' })).toMatchObject({ status: 404 });
  });

  it('raises one alert and one event when it crosses its threshold, and takes it back when it is filled', async () => {
    const path = `/stock/${variantId}/threshold`;
    const set = await operate(service, chief, { path, method: 'PUT', body: { threshold: 3 } });
    expect(set).toMatchObject({
      status: 200,
      data: { variant_id: variantId, threshold: 3, cover_days: null },
    });
    await service.sweep('watch-stock');
    await service.sweep('watch-stock');
    const alerts = async () =>
      (
        await service.db.query(`SELECT status FROM admin_alerts WHERE type = 'low_stock' AND cause = $1`, [
          `variant:${variantId}`,
        ])
      ).rows;
    const events = await service.db.query(`SELECT data FROM outbox_events WHERE type = 'voucher.low_stock'`);
    expect(await alerts()).toEqual([{ status: 'open' }]);
    expect(events.rows).toMatchObject([{ data: { variant_id: variantId, available: 2, threshold: 3 } }]);
    await loadCodes(service, variantId, [`VAULT-${randomUUID()}`]);
    await service.sweep('watch-stock');
    expect(await alerts()).toEqual([{ status: 'resolved' }]);
    await operate(service, chief, { path, method: 'PUT', body: {} });
    expect(
      (
        await operate<{ items: { threshold: number | null }[] }>(service, chief, {
          path: `/stock?variant_id=${variantId}`,
        })
      ).data.items,
    ).toMatchObject([{ threshold: null }]);
    expect(
      await operate(service, chief, {
        path: '/stock/999999/threshold',
        method: 'PUT',
        body: { threshold: 1 },
      }),
    ).toMatchObject({ status: 404 });
  });
});
