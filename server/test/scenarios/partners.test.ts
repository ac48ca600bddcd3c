import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { PartnerVariables } from '../../src/modules/fulfillment/index.ts';
import { openPartnerShop } from '../support/partner-shop.ts';
import type { Listed, Partner, PartnerShop } from '../support/partner-shop.ts';
import { control, fault, mailsTo } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

/** Operations A97 to A111, A131 and decisions 6.4, 6.5: partners from the operator’s side, over HTTP. */
let service: TestService;
let shop: PartnerShop;
beforeAll(async () => {
  service = await startTestService();
  shop = await openPartnerShop(service);
});
afterEach(() => control(service, '/faults', undefined, 'DELETE'));
afterAll(() => service.close());

describe('an order that a partner serves', () => {
  it('is paid, bought and delivered in one e-mail, without an operator', async () => {
    const { variantId } = await shop.aSoldVariant();
    const { customer, read } = await shop.aPaidOrder(variantId);
    const delivered = await read();
    expect(delivered.status).toBe('SUCCEEDED');
    expect(delivered.voucher_codes).toHaveLength(1);
    const [mail, ...more] = await mailsTo(service, customer.email);
    expect(more).toEqual([]);
    expect(mail?.text).toContain(delivered.voucher_codes[0]);
  });

  it('never reads as failed to its customer, and an operator’s retry delivers it', async () => {
    const { variantId } = await shop.aSoldVariant();
    await fault(service, { target: 'partner', fault: 'declined' });
    const { customer, orderId, read } = await shop.aPaidOrder(variantId);
    const waiting = await read();
    expect([waiting.status, waiting.status_label]).toEqual(['NEEDS_ATTENTION', 'Being prepared']);
    const retried = await shop.admin<{ status: string; emailSent: boolean }>(
      'POST',
      `/orders/${orderId}/fulfillment/partner-retry`,
      { orderItemId: waiting.items[0]?.id },
    );
    expect(retried.status).toBe(200);
    expect(retried.data).toMatchObject({ status: 'DISPATCHED', emailSent: true });
    expect((await read()).status).toBe('SUCCEEDED');
    expect(await mailsTo(service, customer.email)).toHaveLength(1);
  });
});

describe('partners that the environment names', () => {
  it('are made once, and follow their addresses and credentials', async () => {
    const variables = {
      reloadly: shop.known['reloadly'],
      generic: shop.known['partner'],
    } as PartnerVariables;
    await service.app.fulfillment.ensurePartners(variables);
    await service.app.fulfillment.ensurePartners({
      ...variables,
      generic: { ...variables['generic'], base_url: 'https://moved.example' },
    });
    const { data } = await shop.admin<Listed<Partner>>('GET', '/partners?search=generic%20partner');
    expect(data.items).toMatchObject([
      { has_credentials: true, config: { base_url: 'https://moved.example' } },
    ]);
    const reloadly = await shop.admin<Listed<Partner>>('GET', '/partners?search=reloadly');
    expect(reloadly.data.items.map(({ name }) => name)).toEqual(['Reloadly airtime', 'Reloadly gift cards']);
    for (const { id } of reloadly.data.items) {
      const tested = await shop.admin<{ reachable: boolean }>('POST', `/partners/${id}/test`);
      expect(tested.data).toMatchObject({ reachable: true, message: expect.stringContaining('USD') });
    }
  });
});

describe('a partner', () => {
  it('is refused by the name of each field that is wrong, before it is stored', async () => {
    const wrong = { ...shop.plainConfig(), base_url: 'ftp://x', statuses: { SUCCESSFUL: 'perhaps' } };
    const refused = await shop.admin('POST', '/partners', { name: 'Wrong', kind: 'generic', config: wrong });
    expect([refused.status, refused.errorCode]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused.errors?.map(({ field }) => field)).toContain('config.base_url');
    const kind = await shop.admin('POST', '/partners', { name: 'Wrong', kind: 'carrier-pigeon', config: {} });
    expect(kind.errors?.map(({ field }) => field)).toEqual(['kind']);
  });

  it('has a name of its own', async () => {
    const { name } = await shop.aPartner();
    const again = await shop.admin('POST', '/partners', {
      name,
      kind: 'generic',
      config: shop.plainConfig(),
    });
    expect([again.status, again.errorCode]).toEqual([409, 'CONFLICT']);
  });

  it('never shows its credentials, not in answers, not in the audit log, not in the database', async () => {
    const secret = 'a-very-secret-api-key-4711';
    const { id } = await shop.aPartner();
    const replaced = await shop.admin('PUT', `/partners/${id}/credentials`, {
      credentials: { api_key: secret },
    });
    expect(replaced.data).toMatchObject({ has_credentials: true });
    const seen = [replaced, await shop.admin('GET', `/partners/${id}`), await shop.admin('GET', '/partners')];
    const { rows: audit } = await service.db.query('SELECT * FROM audit_logs ORDER BY 1 DESC LIMIT 50');
    const { rows: stored } = await service.db.query('SELECT partners::text FROM partners');
    expect(audit.length).toBeGreaterThan(0);
    expect(JSON.stringify([seen, audit, stored])).not.toContain(secret);
  });

  it('is changed field by field, and switched off for a window', async () => {
    const { id } = await shop.aPartner();
    const changed = await shop.admin<Partner>('PUT', `/partners/${id}`, { name: `Renamed ${id}` });
    expect(changed.data).toMatchObject({ name: `Renamed ${id}`, config: { timeout_seconds: 0.5 } });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const off = await shop.admin('PATCH', `/partners/${id}/status`, {
      status: 'maintenance',
      maintenance_until: until,
    });
    expect(off.data).toMatchObject({ status: 'maintenance', maintenance_until: until });
    const wrong = await shop.admin('PATCH', `/partners/${id}/status`, {
      status: 'active',
      maintenance_until: until,
    });
    expect(wrong.status).toBe(400);
    expect((await shop.admin('GET', '/partners/999999')).status).toBe(404);
  });

  it('tells its balance; a low one opens an alert that closes when it is topped up', async () => {
    const { id } = await shop.aPartner({ balance_threshold: 50 });
    await fault(service, { target: 'partner', fault: 'low_balance' });
    await service.sweep('watch-partner-balances');
    const alerts = () =>
      service.db.query(`SELECT 1 FROM admin_alerts WHERE cause = $1 AND status = 'open'`, [`partner:${id}`]);
    expect((await alerts()).count).toBe(1);
    const asked = await shop.admin('GET', `/partners/${id}/balance`);
    expect(asked.data).toMatchObject({ currency: 'BDT', threshold: 50, is_low: false, problem: null });
    expect((await alerts()).count).toBe(0);
  });

  it('that cannot be reached says why, and shows the last known balance', async () => {
    const { id } = await shop.aPartner({ config: { ...shop.plainConfig(), base_url: 'http://127.0.0.1:9' } });
    const tested = await shop.admin<{ reachable: boolean; message: string }>('POST', `/partners/${id}/test`);
    expect(tested.data).toMatchObject({ reachable: false, message: expect.stringContaining('127.0.0.1:9') });
    const asked = await shop.admin('GET', `/partners/${id}/balance`);
    expect(asked.data).toMatchObject({ amount: null, problem: expect.stringContaining('127.0.0.1:9') });
  });

  it('has its calls, latency and unclear purchases counted', async () => {
    const { variantId, partnerId } = await shop.aSoldVariant();
    await shop.aPaidOrder(variantId);
    await fault(service, { target: 'partner', fault: 'unknown_result', call: 'purchase' });
    await shop.aPaidOrder(variantId);
    const { data } = await shop.admin('GET', `/partners/${partnerId}/health`);
    expect(data).toMatchObject({
      breaker: 'closed',
      calls: 2,
      unanswered_calls: 1,
      delivered: 1,
      unclear: 1,
    });
    expect(data).toMatchObject({ success_rate: 0.5, latency_p50_ms: expect.any(Number) });
  });
});

describe('partner sources', () => {
  it('are listed in the order in which they are tried, and reordered', async () => {
    const { variantId, sourceId } = await shop.aSoldVariant();
    const body = {
      variant_id: variantId,
      partner_id: (await shop.aPartner()).id,
      partner_product: 'OTHER',
      priority: 200,
    };
    const other = (await shop.admin<{ id: number }>('POST', '/partner-sources', body)).data.id;
    const path = `/variants/${variantId}/partner-sources`;
    const ids = async () =>
      (await shop.admin<Listed<{ id: number }>>('GET', path)).data.items.map(({ id }) => id);
    expect(await ids()).toEqual([sourceId, other]);
    await shop.admin('PUT', `${path}/priority`, { items: [{ id: other, priority: 1 }] });
    expect(await ids()).toEqual([other, sourceId]);
    expect(
      (await shop.admin('PUT', `${path}/priority`, { items: [{ id: 999_999, priority: 1 }] })).status,
    ).toBe(404);
    expect((await shop.admin('POST', '/partner-sources', body)).status).toBe(409);
    expect(
      (await shop.admin<Listed<unknown>>('GET', `/partner-sources?variant_id=${variantId}`)).data.pagination
        .total,
    ).toBe(2);
  });

  it('are changed field by field, removed while unused, and kept once something was bought', async () => {
    const { variantId, sourceId } = await shop.aSoldVariant();
    const changed = await shop.admin('PUT', `/partner-sources/${sourceId}`, { cost: 99.99 });
    expect(changed.data).toMatchObject({ cost: 99.99, partner_product: 'CARD-500', priority: 100 });
    await shop.aPaidOrder(variantId);
    expect((await shop.admin('DELETE', `/partner-sources/${sourceId}`)).status).toBe(409);
    const unused = await shop.aSoldVariant();
    expect((await shop.admin('DELETE', `/partner-sources/${unused.sourceId}`)).status).toBe(200);
    expect((await shop.admin('DELETE', `/partner-sources/${unused.sourceId}`)).status).toBe(404);
  });

  it('say what their kind needs, and cannot ask for a second identifier', async () => {
    const { variantId } = await shop.aSoldVariant();
    const { data: listed } = await shop.admin<Listed<Partner>>('GET', '/partners?search=Reloadly%20gift');
    const cards = { variant_id: variantId, partner_id: listed.items[0]?.id, partner_product: '12' };
    const refused = await shop.admin('POST', '/partner-sources', { ...cards, options: {} });
    expect(refused.errors?.[0]?.field).toMatch(/^options/);
    const fields = [{ name: 'uid', label: 'UID', type: 'text', required: true }];
    const second = await shop.admin('POST', '/partner-sources', {
      ...cards,
      options: { unit_price: '5.00' },
      required_fields: fields,
    });
    expect(second.errors?.map(({ field }) => field)).toEqual(['required_fields.0.name']);
  });

  it('have the keys that they require merged into the variant’s fields for operators', async () => {
    const { variantId, sourceId } = await shop.aSoldVariant();
    const zone = { name: 'zone', label: 'Zone ID', type: 'text', required: true };
    const nick = { name: 'nick', label: 'Nick', type: 'text', required: false };
    await shop.admin('PUT', `/partner-sources/${sourceId}`, { required_fields: [zone, nick] });
    const { data } = await shop.admin('GET', `/orders/variants/${variantId}/fulfillment-fields`);
    expect(data).toMatchObject({
      variant_id: variantId,
      identifier_field: 'email',
      fields: [{ name: 'email', required: true }, zone],
    });
    expect((await shop.admin('GET', '/orders/variants/999999/fulfillment-fields')).status).toBe(404);
  });
});
