import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { aCode } from '../support/discounts.ts';
import { anOperator } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, call, order, someCodes } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

const PROGRAM = 'Console/7 (audit trail test)';

let service: TestService;
let operator: Operator;
beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
});
afterAll(() => service.close());

async function write(path: string, body: object, method = 'POST'): Promise<{ id: number }> {
  const answered = await call<{ id: number }>(service, {
    path: `/admin${path}`,
    method,
    token: operator.token,
    body,
    headers: { 'user-agent': PROGRAM },
  });
  expect([path, answered.status]).toEqual([
    path,
    expect.toSatisfy((status) => status === 200 || status === 201),
  ]);
  return answered.data;
}

it('tells of every write who did it, from where and with which program (decisions part 2)', async () => {
  const { variantId } = await aVariant(service, { codes: someCodes(randomUUID(), 1) });
  const placed = (await order(service, await aCustomer(service), { variantId })).data;
  const discount = { code: aCode(), name: 'Eid', discount_type: 'FIXED', discount_value: 10 };
  const campaign = {
    name: 'Tea',
    slug: randomUUID(),
    headline: 'A cup',
    cta_text: 'Drink',
    starts_at: '2026-01-01T00:00:00.000Z',
    ends_at: '2099-01-01T00:00:00.000Z',
    status: 'active',
  };
  const { id: brandId } = await write('/brands', { name: 'Tea', slug: randomUUID() });
  await write('/brands/reorder', { items: [{ id: brandId, sort_order: 3 }] }, 'PATCH');
  await write('/discounts', discount);
  await write(`/orders/${placed.id}/notes`, { text: 'called' });
  await write(`/orders/${placed.id}/status`, { status: 'CANCELLED' }, 'PATCH');
  await write('/redemption/campaigns', campaign);
  await write('/webhooks', { url: 'https://receiver.example/hook', events: ['*'], description: '' });
  await write(`/stock/${variantId}/threshold`, { low_units: 5 }, 'PUT');
  await write('/admins', {
    name: 'Colleague',
    email: `${randomUUID()}@example.com`,
    password: 'a-long-enough-password',
    roles: ['support'],
  });
  const { rows } = await service.db.query<{ resource_type: string; user_agent: string | null }>(
    `SELECT resource_type, user_agent, ip, session_id IS NOT NULL AS has_session, request_id IS NOT NULL AS has_request
     FROM audit_logs WHERE admin_id = $1 AND action NOT LIKE '%login%' ORDER BY id`,
    [operator.adminId],
  );
  const written = rows.filter(({ user_agent: program }) => program !== 'node');
  expect(written.length).toBeGreaterThanOrEqual(9);
  for (const row of written)
    expect(row).toMatchObject({ user_agent: PROGRAM, ip: '127.0.0.1', has_session: true, has_request: true });
});
