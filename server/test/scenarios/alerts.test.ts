import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aBrokenOrder } from '../support/broken-orders.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let operator: Operator;
let orderIds: number[];

beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
  const customer = await aCustomer(service);
  orderIds = [];
  for (let n = 0; n < 3; n += 1) orderIds.push((await aBrokenOrder(service, customer)).id);
});
afterAll(() => service.close());

interface AlertAnswer {
  readonly id: number;
  readonly type: string;
  readonly status: string;
  readonly order_id: number;
  readonly acknowledged_by: number | null;
}

const list = (query: string) =>
  operate<{ items: AlertAnswer[]; pagination: { total: number } }>(service, operator, {
    path: `/alerts?${query}`,
  });

describe('alerts (decisions 6.7)', () => {
  it('are listed newest first, filtered and in pages', async () => {
    const all = await list('status=open&limit=2');
    expect(all).toMatchObject({ status: 200, data: { pagination: { total: 3, limit: 2, total_pages: 2 } } });
    expect(all.data.items.map((alert) => alert.order_id)).toEqual([orderIds[2], orderIds[1]]);
    expect((await list('sort=created_at')).data.items[0]?.order_id).toBe(orderIds[0]);
    expect((await list(`order_id=${orderIds[1]}`)).data.items).toMatchObject([
      {
        type: 'fulfillment_failed',
        severity: 'critical',
        resolution_notes: null,
        resolved_by: null,
        resolved_at: null,
      },
    ]);
    expect((await list('type=low_stock')).data.pagination.total).toBe(0);
    expect((await list('search=IS%20PAID')).data.pagination.total).toBe(3);
    expect(await list('status=lost')).toMatchObject({ status: 400, errorCode: 'VALIDATION_ERROR' });
  });

  it('stay open when acknowledged, and keep who saw them first', async () => {
    const id = (await list(`order_id=${orderIds[0]}`)).data.items[0]?.id;
    const path = `/alerts/${id}/acknowledge`;
    expect(await operate(service, operator, { path, body: {} })).toMatchObject({
      status: 200,
      data: { status: 'open', acknowledged_by: operator.adminId, acknowledged_at: expect.any(String) },
    });
    const second = await anOperator(service, ['operations']);
    expect(await operate(service, second, { path, body: {} })).toMatchObject({
      data: { acknowledged_by: operator.adminId },
    });
    expect((await list('acknowledged=true')).data.items.map((alert) => alert.id)).toEqual([id]);
  });

  it('are resolved once, with notes, and a new one may open afterwards', async () => {
    const id = (await list(`order_id=${orderIds[1]}`)).data.items[0]?.id;
    const path = `/alerts/${id}/resolve`;
    expect(await operate(service, operator, { path, body: {} })).toMatchObject({
      status: 400,
      errorCode: 'VALIDATION_ERROR',
    });
    const body = { resolution_notes: 'refunded by hand' };
    expect(await operate(service, operator, { path, body })).toMatchObject({
      status: 200,
      data: { status: 'resolved', resolution_notes: 'refunded by hand', resolved_by: operator.adminId },
    });
    expect(await operate(service, operator, { path, body })).toMatchObject({
      status: 409,
      errorCode: 'CONFLICT',
    });
    expect(await operate(service, operator, { path: `/alerts/${id}/acknowledge`, body: {} })).toMatchObject({
      status: 409,
    });
    const { rows } = await service.db.query(
      `SELECT type FROM outbox_events WHERE type = 'alert.resolved' AND data ->> 'alert_id' = $1`,
      [String(id)],
    );
    expect(rows).toHaveLength(1);
  });

  it('are 404 when unknown, and need alerts:write to be dealt with', async () => {
    expect(await operate(service, operator, { path: '/alerts/999999' })).toMatchObject({ status: 404 });
    expect(
      await operate(service, operator, { path: '/alerts/999999/resolve', body: { resolution_notes: 'x' } }),
    ).toMatchObject({ status: 404 });
    const support = await anOperator(service, ['support']);
    const id = (await list('status=open')).data.items[0]?.id;
    expect(await operate(service, support, { path: `/alerts/${id}` })).toMatchObject({ status: 200 });
    expect(await operate(service, support, { path: `/alerts/${id}/acknowledge`, body: {} })).toMatchObject({
      status: 403,
    });
  });
});
